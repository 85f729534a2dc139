#include "ui/forms/proposed_fix.h"

#include "core/base/text.h"
#include "core/schema/yaml_tree.h"
#include "ui/client/text.h"

#include <QRegularExpression>

#include <algorithm>

namespace anneal {

namespace {

struct Words {
    QString key; ///< empty: the problem's own
    QString value;
};

std::optional<Words> readWords(const QString& fix) {
    static const QRegularExpression setTo("\\bSet ([a-z_]+(?:\\.[a-z_]+)+) to ([^\\s,]+)\\.(?:\\s|$)");
    if (const auto match = setTo.match(fix); match.hasMatch())
        return Words{match.captured(1), match.captured(2)};
    static const QRegularExpression own(
        "(?:\\bUse|\\bWrite|Did you mean|The default is) ([^\\s,\\[\\]]+?)[.?](?:\\s|$)|"
        "^(\\S+) is usual\\.|^(\\S+) (?:holds out|takes)\\b");
    const auto match = own.match(fix);
    if (!match.hasMatch())
        return std::nullopt;
    return Words{{}, match.captured(1) + match.captured(2) + match.captured(3)};
}

/// A value that the setting takes as it is: the right type, in its range, one of its choices.
bool accepts(const Field& field, const Json& value) {
    RunConfig scratch;
    if (field.write(scratch, value))
        return false;
    const bool known =
        std::find(field.choices.begin(), field.choices.end(),
                  value.is_string() ? value.get<std::string>() : dumpJson(value)) != field.choices.end();
    if (field.kind == FieldKind::Choice || field.kind == FieldKind::TextList)
        return known;
    if (const auto number = numberFromJson(value))
        return (!field.minimum || *number >= *field.minimum) && (!field.maximum || *number <= *field.maximum);
    return known || field.kind == FieldKind::Boolean;
}

} // namespace

std::optional<ProposedFix> proposedFix(const Problem& problem) {
    const auto words = readWords(toQt(problem.fix));
    if (!words)
        return std::nullopt;
    const auto* field = words->key.isEmpty() ? fieldOfProblem(problem.key) : findField(toStd(words->key));
    if (!field || field->kind == FieldKind::Sources || field->kind == FieldKind::Path)
        return std::nullopt;
    const auto value = schema::plainScalar(toStd(words->value));
    const auto typed =
        field->kind == FieldKind::Text && !value.is_string() ? Json(toStd(words->value)) : value;
    return accepts(*field, typed) ? std::optional(ProposedFix{field, typed}) : std::nullopt;
}

const Field* fieldOfProblem(const std::string& key) {
    auto prefix = std::string_view(key);
    while (!prefix.empty()) {
        if (const auto* field = findField(prefix))
            return field;
        const auto point = prefix.rfind('.');
        prefix = point == std::string_view::npos ? std::string_view() : prefix.substr(0, point);
    }
    return nullptr;
}

} // namespace anneal
