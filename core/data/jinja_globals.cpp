#include "core/data/jinja_evaluator.h"

#include <ctime>
#include <map>

namespace anneal::jinja {

namespace {

constexpr std::int64_t longestRange = 100'000; // the sandbox's own limit

Value range(const Arguments& arguments) {
    arguments.expectAtMost("range", 3);
    if (arguments.positional.empty())
        fault("range expected at least 1 argument, got 0");
    const auto argument = [&](std::size_t i) { return integerArgument(arguments.positional[i], "range"); };
    const bool single = arguments.positional.size() == 1;
    const auto start = single ? 0 : argument(0), stop = argument(single ? 0 : 1);
    const auto step = arguments.positional.size() > 2 ? argument(2) : 1;
    if (step == 0)
        fault("range() arg 3 must not be zero");
    List out;
    for (auto at = start; step > 0 ? at < stop : at > stop;) {
        if (static_cast<std::int64_t>(out.size()) >= longestRange)
            fault("Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).");
        out.emplace_back(at);
        if (__builtin_add_overflow(at, step, &at))
            break;
    }
    return out;
}

Dict dictFrom(const Arguments& arguments) {
    Dict dict;
    for (const auto& value : arguments.positional) {
        if (value.dict())
            dict = *value.dict();
        else
            for (const auto& pair : iterate(value)) {
                const auto parts = iterate(pair);
                if (parts.size() != 2)
                    fault("dictionary update sequence element has length " + std::to_string(parts.size()) +
                          "; 2 is required");
                dict.set(parts[0], parts[1]);
            }
    }
    dict.message = -1;
    for (const auto& [name, value] : arguments.named)
        dict.set(name, value);
    return dict;
}

Value makeNamespace(const Arguments& arguments) {
    auto space = std::make_shared<Namespace>();
    space->fields = dictFrom(arguments);
    return Value(std::move(space));
}

Value raiseException(const Arguments& arguments) {
    const auto* message = arguments.find(0, "message");
    throw TemplateFault{message ? str(*message) : std::string("the template raised an exception"), true};
}

Value strftimeNow(const Arguments& arguments) {
    const auto* format = arguments.find(0, "format");
    if (!format || !format->isString())
        fault("strftime_now() needs a format");
    const auto now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    std::string text(format->text().size() * 8 + 256, '\0');
    text.resize(std::strftime(text.data(), text.size(), format->text().c_str(), &local));
    return text;
}

/// joiner(): nothing the first time, the separator from then on.
Value joiner(const Arguments& arguments) {
    const auto* separator = arguments.find(0, "sep");
    return Function([separator = separator ? *separator : Value(", "),
                     used = std::make_shared<bool>(false)](const Arguments&) {
        return std::exchange(*used, true) ? separator : Value(std::string{});
    });
}

} // namespace

Value globalNamed(const std::string& name) {
    static const std::map<std::string_view, Value> globals{
        {"range", Value(Function(range))},
        {"dict", Value(Function([](const Arguments& arguments) { return Value(dictFrom(arguments)); }))},
        {"namespace", Value(Function(makeNamespace))},
        {"raise_exception", Value(Function(raiseException))},
        {"strftime_now", Value(Function(strftimeNow))},
        {"joiner", Value(Function(joiner))},
    };
    const auto found = globals.find(name);
    return found == globals.end() ? Value::undefined("") : found->second;
}

} // namespace anneal::jinja
