#include "ui/models/table_markdown.h"

namespace anneal {

namespace {

QString cell(QString text) { return text.replace('|', "\\|").replace('\n', ' '); }

QString line(const QStringList& cells) { return "| " + cells.join(" | ") + " |\n"; }

bool isRight(const QAbstractItemModel& model, int column) {
    const auto alignment = model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
    return (alignment & Qt::AlignRight) != 0;
}

} // namespace

QString tableMarkdown(const QAbstractItemModel& model, const QList<int>& columns) {
    auto shown = columns;
    for (int column = 0; columns.isEmpty() && column < model.columnCount(); ++column)
        shown.append(column);
    QStringList titles, rules;
    for (const int column : shown) {
        titles.append(cell(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()));
        rules.append(isRight(model, column) ? "---:" : "---");
    }
    auto text = line(titles) + line(rules);
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (const int column : shown)
            cells.append(cell(model.index(row, column).data().toString()));
        text += line(cells);
    }
    return text;
}

} // namespace anneal
