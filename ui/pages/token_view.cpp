#include "ui/pages/token_view.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"

#include <QEvent>
#include <QTextCursor>

namespace anneal {

namespace {

constexpr std::size_t shownTokens = 20'000;

/// Line ends are part of what is learned, so they are shown.
QString visible(const std::string& token) { return toQt(token).replace("\n", "↵\n").replace('\t', "→\t"); }

QString tokenTip(const InspectedRow& row, std::size_t index) {
    const bool learned = index < row.labels.size() && row.labels[index] >= 0;
    return QString("token %1, id %2, %3")
        .arg(index + 1)
        .arg(row.input_ids[index])
        .arg(learned ? "learned" : "context");
}

} // namespace

TokenView::TokenView(QWidget* parent) : QTextEdit(parent) {
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setAccessibleName("Tokens of the row");
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
}

void TokenView::showRow(const InspectedRow& row) {
    row_ = row;
    render();
}

void TokenView::render() {
    const auto& colors = Colors::of(palette());
    QTextCharFormat learned, context;
    learned.setForeground(colors.text);
    context.setForeground(colors.muted);
    highlighted_ = 0;
    clear();
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    if (row_.tokens.size() != row_.input_ids.size())
        cursor.insertText(toQt(row_.text), context);
    const auto count =
        row_.tokens.size() == row_.input_ids.size() ? std::min(row_.tokens.size(), shownTokens) : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool isLearned = i < row_.labels.size() && row_.labels[i] >= 0;
        auto format = isLearned ? learned : context;
        if (isLearned)
            format.setBackground(i % 2 ? colors.tokenSupervised
                                       : colors.tokenSupervised.darker(colors.dark ? 115 : 105));
        format.setToolTip(tokenTip(row_, i));
        highlighted_ += isLearned;
        cursor.insertText(visible(row_.tokens[i]), format);
    }
    if (count < row_.tokens.size())
        cursor.insertText(QString("\n%1 more tokens").arg(row_.tokens.size() - count), context);
    cursor.endEditBlock();
    moveCursor(QTextCursor::Start);
}

void TokenView::changeEvent(QEvent* event) {
    QTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        render();
}

} // namespace anneal
