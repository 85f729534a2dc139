#pragma once
#include <QAbstractItemModel>
#include <QString>

namespace anneal {

/// The model's visible text as a Markdown table; `columns` empty: all of them.
QString tableMarkdown(const QAbstractItemModel& model, const QList<int>& columns = {});

} // namespace anneal
