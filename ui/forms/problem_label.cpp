#include "ui/forms/problem_label.h"

#include "ui/client/text.h"
#include "ui/forms/proposed_fix.h"
#include "ui/models/colors.h"

#include <QEvent>
#include <QRegularExpression>

namespace anneal {

namespace {

QString link(const QString& target, const QString& text, const QColor& color) {
    return QString("<a href=\"%1\" style=\"color:%2\">%3</a>").arg(target, color.name(), text);
}

/// The fix with the settings it names as links.
QString fixText(const Problem& problem, const QColor& color) {
    auto text = toQt(problem.fix).toHtmlEscaped();
    static const QRegularExpression key("\\b[a-z_]+(?:\\.[a-z_]+)+\\b");
    qsizetype offset = 0;
    auto match = key.match(text);
    while (match.hasMatch()) {
        const auto name = match.captured();
        const bool other = findField(toStd(name)) && toStd(name) != problem.key;
        const auto shown = other ? link("go:" + name, name, color) : name;
        text.replace(match.capturedStart(), match.capturedLength(), shown);
        offset = match.capturedStart() + shown.size();
        match = key.match(text, offset);
    }
    return text;
}

QString actionText(const ProposedFix& fix) {
    const auto value = fix.value.is_string() ? toQt(fix.value.get<std::string>()) : toQt(dumpJson(fix.value));
    return "Set " + toQt(fix.field->key) + " to " + value;
}

} // namespace

ProblemLabel::ProblemLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::RichText);
    setWordWrap(true);
    setTextInteractionFlags(Qt::TextBrowserInteraction);
    setOpenExternalLinks(false);
    setContentsMargins(0, 0, 0, 2);
    hide();
    connect(this, &QLabel::linkActivated, this, &ProblemLabel::onLink);
}

void ProblemLabel::setProblems(const Problems& problems, bool named) {
    if (problems == problems_ && named == named_)
        return;
    problems_ = problems;
    named_ = named;
    render();
    setVisible(!problems_.empty());
}

void ProblemLabel::render() {
    const auto& colors = Colors::of(palette());
    QStringList lines;
    for (std::size_t i = 0; i < problems_.size(); ++i) {
        const auto& problem = problems_[i];
        const auto* field = fieldOfProblem(problem.key);
        auto line = QString("<span style=\"color:%1\">%2</span> ")
                        .arg(severityColor(colors, problem.severity).name(),
                             problem.severity == Severity::Error     ? "✕"
                             : problem.severity == Severity::Warning ? "▲"
                                                                     : "ℹ");
        if (named_ && field)
            line += link("go:" + toQt(field->key), toQt(field->label), colors.accent) + ": ";
        line += toQt(problem.text).toHtmlEscaped() + " " + fixText(problem, colors.accent);
        if (const auto fix = proposedFix(problem))
            line += " " + link("fix:" + QString::number(i), "[" + actionText(*fix).toHtmlEscaped() + "]",
                               colors.accent);
        lines.append(line);
    }
    setText(lines.join("<br>"));
}

void ProblemLabel::onLink(const QString& link) {
    if (link.startsWith("go:"))
        Q_EMIT settingChosen(link.mid(3));
    const auto index = link.mid(4).toULongLong();
    if (link.startsWith("fix:") && index < problems_.size())
        Q_EMIT fixChosen(problems_[index]);
}

void ProblemLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !problems_.empty())
        render();
}

} // namespace anneal
