#include "core/data/jinja_evaluator.h"

#include <ctime>
#include <map>

namespace anneal::jinja {

namespace {

constexpr std::int64_t longestRange = 100'000; // Jinja's sandbox has the same limit

Value range(const Arguments& arguments) {
    const auto& given = arguments.positional;
    if (given.empty() || given.size() > 3)
        fault("range expected 1 to 3 arguments, got " + std::to_string(given.size()));
    const auto start = given.size() == 1 ? 0 : integerArgument(given[0], "range");
    const auto stop = integerArgument(given[given.size() == 1 ? 0 : 1], "range");
    const auto step = given.size() == 3 ? integerArgument(given[2], "range") : 1;
    if (step == 0)
        fault("range() arg 3 must not be zero");
    List numbers;
    for (auto at = start; step > 0 ? at < stop : at > stop; at += step) {
        if (static_cast<std::int64_t>(numbers.size()) >= longestRange)
            fault("Range too big. The sandbox blocks ranges larger than " + std::to_string(longestRange) + ".");
        numbers.push_back(Value(at));
    }
    return Value(std::move(numbers));
}

Dict dictFrom(const Arguments& arguments) {
    Dict dict;
    for (const auto& source : arguments.positional)
        if (source.dict())
            for (const auto& [key, value] : source.dict()->items())
                dict.set(key, value);
    for (const auto& [name, value] : arguments.named)
        dict.set(Value(name), value);
    return dict;
}

Value makeNamespace(const Arguments& arguments) {
    auto space = std::make_shared<Namespace>();
    space->fields = dictFrom(arguments);
    return Value(std::move(space));
}

Value raiseException(const Arguments& arguments) {
    const auto* message = arguments.find(0, "message");
    throw TemplateFault{message ? str(*message) : "", true, 0};
}

Value strftimeNow(const Arguments& arguments) {
    const auto* format = arguments.find(0, "format");
    if (!format || !format->isString())
        fault("strftime_now needs a format");
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    char text[256];
    const auto length = std::strftime(text, sizeof text, format->text().c_str(), &local);
    return Value(std::string(text, length));
}

} // namespace

Value globalNamed(const std::string& name) {
    static const std::map<std::string, Value, std::less<>> globals = {
        {"range", Value(Function(range))},
        {"namespace", Value(Function(makeNamespace))},
        {"dict", Value(Function([](const Arguments& arguments) { return Value(dictFrom(arguments)); }))},
        {"raise_exception", Value(Function(raiseException))},
        {"strftime_now", Value(Function(strftimeNow))},
    };
    const auto found = globals.find(name);
    return found == globals.end() ? Value::undefined("'" + name + "' is undefined") : found->second;
}

} // namespace anneal::jinja
