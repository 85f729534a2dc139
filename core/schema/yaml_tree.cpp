#include "core/schema/yaml_tree.h"

#include "core/base/text.h"

#include <algorithm>
#include <yaml-cpp/yaml.h>

namespace anneal::schema {

namespace {

/// Far above any configuration; aliases could otherwise multiply a small file without end.
constexpr std::size_t maxNodes = 100000;
constexpr int maxDepth = 32;

class TreeReader {
public:
    explicit TreeReader(YamlTree& tree) : tree_(tree) {}

    Json read(const YAML::Node& node, const std::string& key, int depth) {
        if (++nodes_ > maxNodes || depth > maxDepth)
            throw YAML::Exception(node.Mark(), "too many values, or nested too deeply");
        if (!key.empty())
            tree_.lines.try_emplace(key, node.Mark().line + 1);
        switch (node.Type()) {
        case YAML::NodeType::Scalar: return readScalar(node, key);
        case YAML::NodeType::Sequence: return readSequence(node, key, depth);
        case YAML::NodeType::Map: return readMap(node, key, depth);
        default: return nullptr;
        }
    }

private:
    Json readScalar(const YAML::Node& node, const std::string& key) {
        if (node.Tag() == "!") // quoted
            return node.Scalar();
        auto value = plainScalar(node.Scalar());
        if (!value.is_string())
            tree_.spelling[key] = node.Scalar();
        return value;
    }

    Json readSequence(const YAML::Node& node, const std::string& key, int depth) {
        Json list = Json::array();
        for (const auto& item : node)
            list.push_back(read(item, key + "." + std::to_string(list.size()), depth + 1));
        return list;
    }

    Json readMap(const YAML::Node& node, const std::string& key, int depth) {
        Json object = Json::object();
        for (const auto& entry : node) {
            const int line = entry.first.Mark().line + 1;
            if (!entry.first.IsScalar()) {
                report(key, line, "A key must be a word.", "Write \"key: value\".");
                continue;
            }
            const std::string name = entry.first.Scalar();
            const std::string dotted = key.empty() ? name : key + "." + name;
            if (object.contains(name)) {
                report(dotted, line,
                       dotted + " is stated twice, first on line " + std::to_string(tree_.lines[dotted]) +
                           ".",
                       "Keep one of the two.");
                continue;
            }
            tree_.lines[dotted] = line;
            object[name] = read(entry.second, dotted, depth + 1);
        }
        return object;
    }

    void report(const std::string& key, int line, std::string text, std::string fix) {
        tree_.problems.push_back({key, line, Severity::Error, std::move(text), std::move(fix)});
    }

    YamlTree& tree_;
    std::size_t nodes_ = 0;
};

bool isOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

Json specialNumber(std::string_view text) {
    if (isOneOf(text, {".inf", ".Inf", ".INF", "+.inf"}))
        return "Infinity";
    if (isOneOf(text, {"-.inf", "-.Inf", "-.INF"}))
        return "-Infinity";
    return isOneOf(text, {".nan", ".NaN", ".NAN"}) ? Json("NaN") : Json(text);
}

} // namespace

Json plainScalar(std::string_view text) {
    if (isOneOf(text, {"", "~", "null", "Null", "NULL"}))
        return nullptr;
    if (isOneOf(text, {"true", "True", "TRUE"}))
        return true;
    if (isOneOf(text, {"false", "False", "FALSE"}))
        return false;
    const char first =
        text.front() == '-' || text.front() == '+' ? (text.size() > 1 ? text[1] : '\0') : text.front();
    if (first != '.' && !(first >= '0' && first <= '9')) // "inf" and "nan" without a point are words
        return Json(text);
    if (const auto whole = parseInteger(text))
        return *whole;
    if (const auto number = parseDouble(text))
        return *number;
    return specialNumber(text);
}

YamlTree readYaml(std::string_view text, const std::string& file) {
    YamlTree tree;
    const std::string place = file.empty() ? std::string() : " of " + file;
    const auto syntaxError = [&](int line, const std::string& reason) {
        tree.value = nullptr;
        tree.problems.push_back(
            {"", line, Severity::Error,
             "Line " + std::to_string(line) + place + " is not valid YAML: " + reason + ".",
             "Check indentation, colons and quotes there."});
    };
    if (const auto offset = findInvalidUtf8(text)) {
        syntaxError(1 + static_cast<int>(std::count(
                            text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*offset), '\n')),
                    "it is not UTF-8 text");
        return tree;
    }
    try {
        tree.value = TreeReader(tree).read(YAML::Load(std::string(text)), {}, 0);
    } catch (const YAML::Exception& error) {
        syntaxError(std::max(0, error.mark.line) + 1, error.msg);
    } catch (const std::exception& error) {
        syntaxError(1, error.what());
    }
    return tree;
}

} // namespace anneal::schema
