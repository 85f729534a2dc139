#include "ui/models/run_filter_model.h"

#include "core/base/text.h"
#include "ui/client/text.h"
#include "ui/models/run_list_model.h"

#include <algorithm>

namespace anneal {

RunFilterModel::RunFilterModel(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(RunListModel::SortRole);
    setDynamicSortFilter(true);
}

void RunFilterModel::setWords(const QString& words) {
    words_ = words.split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void RunFilterModel::setStatuses(std::set<RunStatus> statuses) {
    statuses_ = std::move(statuses);
    invalidateFilter();
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex&) const {
    const auto* run = static_cast<const RunListModel*>(sourceModel())->run(row);
    if (!run || (!statuses_.empty() && !statuses_.contains(run->status)))
        return false;
    const auto haystack = toQt(run->id + " " + run->name + " " + run->model + " " + join(run->tags, " "));
    return std::all_of(words_.begin(), words_.end(),
                       [&](const QString& word) { return haystack.contains(word, Qt::CaseInsensitive); });
}

} // namespace anneal
