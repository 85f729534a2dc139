#include "ui/models/form_answers.h"

#include "ui/client/text.h"
#include "ui/models/number_text.h"

#include <QStringList>

namespace anneal {

Problems problemsFrom(const Json& answer) {
    Problems problems;
    const auto list = answer.find("problems");
    if (list == answer.end() || !list->is_array())
        return problems;
    for (const auto& item : *list) {
        const auto severity = item.value("severity", std::string("error"));
        problems.push_back({item.value("key", std::string()), item.value("line", 0),
                            severity == "error"     ? Severity::Error
                            : severity == "warning" ? Severity::Warning
                                                    : Severity::Note,
                            item.value("text", std::string()), item.value("fix", std::string())});
    }
    return problems;
}

QString modelFacts(const Json& model) {
    QStringList parts;
    parts << toQt(model.value("family", std::string("model")));
    if (model.contains("parameters"))
        parts << text::shortCount(numberFromJson(model["parameters"])) + " parameters";
    if (model.contains("layers") && model["layers"].is_number())
        parts << toQt(dumpJson(model["layers"])) + " layers";
    const auto found = model.find("template");
    const bool has =
        found != model.end() &&
        (found->is_boolean() ? found->get<bool>() : found->is_string() && !found->get<std::string>().empty());
    parts << (has ? "chat template found" : "no chat template");
    return parts.join(", ");
}

QString dataFacts(const Json& data) {
    QStringList parts;
    parts << toQt(data.value("format", std::string()));
    if (data.contains("rows") && data["rows"].is_number())
        parts << text::count(data["rows"].get<std::int64_t>()) + " rows";
    if (const auto reason = data.value("reason", std::string()); !reason.empty())
        parts << toQt(reason);
    return parts.join(", ");
}

} // namespace anneal
