#include "ui/models/run_list_model.h"

#include "core/base/system.h"
#include "core/base/text.h"
#include "ui/client/text.h"
#include "ui/models/number_text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace anneal {

namespace {

QString stepText(const RunSummary& run) { return text::count(run.step) + " / " + text::count(run.max_steps); }

/// What stands in the cell; dashes for what is not known.
QString cellText(const RunSummary& run, int column) {
    switch (column) {
    case RunListModel::Name: return toQt(run.id);
    case RunListModel::TrainLoss: return text::loss(run.train_loss);
    case RunListModel::BestValidation:
        return text::loss(run.best ? std::optional(run.best->validation_loss) : std::nullopt);
    case RunListModel::BaseValidation: return text::loss(run.base_validation_loss);
    case RunListModel::LearningRate: return text::rate(run.learning_rate);
    case RunListModel::Step: return stepText(run);
    case RunListModel::TokensPerSecond:
        return run.tokens_per_second ? text::count(std::llround(*run.tokens_per_second)) : text::dash;
    case RunListModel::TimeLeft:
        return isActive(run.status) ? text::durationRange(run.seconds_left) : text::dash;
    case RunListModel::Cost:
        return text::money(isActive(run.status) && run.cost.projected ? run.cost.projected : run.cost.spent,
                           run.cost.currency);
    case RunListModel::Duration: return run.seconds > 0 ? text::duration(run.seconds) : text::dash;
    case RunListModel::Created: return text::moment(run.created, unixSeconds());
    case RunListModel::Model: return toQt(run.model).section('/', -1);
    case RunListModel::Tags: return toQt(join(run.tags, ", "));
    default: return {};
    }
}

QVariant numberOr(std::optional<double> value) {
    return value && !std::isnan(*value) ? *value : std::numeric_limits<double>::max();
}

QVariant sortValue(const RunSummary& run, int column) {
    switch (column) {
    case RunListModel::Status: return static_cast<int>(run.status);
    case RunListModel::TrainLoss: return numberOr(run.train_loss);
    case RunListModel::BestValidation:
        return numberOr(run.best ? std::optional(run.best->validation_loss) : std::nullopt);
    case RunListModel::BaseValidation: return numberOr(run.base_validation_loss);
    case RunListModel::LearningRate: return numberOr(run.learning_rate);
    case RunListModel::Step: return static_cast<qlonglong>(run.step);
    case RunListModel::TokensPerSecond: return numberOr(run.tokens_per_second);
    case RunListModel::TimeLeft:
        return numberOr(run.seconds_left ? std::optional(run.seconds_left->high) : std::nullopt);
    case RunListModel::Cost: return numberOr(run.cost.spent);
    case RunListModel::Duration: return run.seconds;
    case RunListModel::Created: return run.created;
    default: return cellText(run, column).toLower();
    }
}

QString toolTip(const RunSummary& run, int column) {
    switch (column) {
    case RunListModel::Name: return toQt(run.folder);
    case RunListModel::Status: return toQt(run.reason.empty() ? run.phase : run.reason);
    case RunListModel::BestValidation:
        return run.best ? QString("at step %1").arg(run.best->step) : QString();
    case RunListModel::Cost:
        return QString("%1 spent, %2 projected")
            .arg(text::money(run.cost.spent, run.cost.currency),
                 text::money(run.cost.projected, run.cost.currency));
    case RunListModel::Model: return toQt(run.model);
    default: return {};
    }
}

bool isNumber(int column) { return column >= RunListModel::TrainLoss && column <= RunListModel::Duration; }

/// Everything that is shown of a run, for finding out whether it changed.
bool sameShown(const RunSummary& a, const RunSummary& b) { return toJson(a) == toJson(b); }

} // namespace

RunListModel::RunListModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunListModel::follow(ServeClient& client) {
    const auto take = [this](const std::string&, const Json& params) {
        std::vector<RunSummary> runs;
        const auto list = params.find("runs");
        if (list != params.end() && fromJson(*list, runs))
            setRuns(std::move(runs));
    };
    const auto opened = [this, &client, take] {
        client.request("list", Json::object(), this, [take](Result<Json> result) {
            if (result)
                take("runs", *result);
        });
    };
    subscription_ = client.subscribe("follow_runs", Json::object(), {opened, take, {}});
}

void RunListModel::setRuns(std::vector<RunSummary> runs) {
    std::stable_sort(runs.begin(), runs.end(),
                     [](const RunSummary& a, const RunSummary& b) { return a.created > b.created; });
    const bool sameRows = std::equal(runs.begin(), runs.end(), runs_.begin(), runs_.end(),
                                     [](const RunSummary& a, const RunSummary& b) { return a.id == b.id; });
    bool news = !sameRows || !loaded_;
    loaded_ = true;
    if (!sameRows) {
        beginResetModel();
        runs_ = std::move(runs);
        endResetModel();
    } else {
        for (int row = 0; row < static_cast<int>(runs.size()); ++row) {
            if (sameShown(runs[row], runs_[row]))
                continue;
            runs_[row] = std::move(runs[row]);
            Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
            news = true;
        }
    }
    if (news)
        Q_EMIT changed();
}

const RunSummary* RunListModel::run(int row) const {
    return row >= 0 && row < static_cast<int>(runs_.size()) ? &runs_[row] : nullptr;
}

const RunSummary* RunListModel::find(const QString& id) const {
    const auto wanted = toStd(id);
    const auto found =
        std::find_if(runs_.begin(), runs_.end(), [&](const RunSummary& run) { return run.id == wanted; });
    return found == runs_.end() ? nullptr : &*found;
}

int RunListModel::activeCount() const {
    return static_cast<int>(std::count_if(runs_.begin(), runs_.end(),
                                          [](const RunSummary& run) { return isActive(run.status); }));
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int RunListModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    const auto* run = this->run(index.row());
    if (!run)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Status ? toQt(statusName(run->status)) : cellText(*run, index.column());
    case Qt::ToolTipRole: return toolTip(*run, index.column());
    case Qt::TextAlignmentRole:
        return isNumber(index.column()) ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                        : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case SortRole: return sortValue(*run, index.column());
    case IdRole: return toQt(run->id);
    default: return {};
    }
}

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const titles[] = {"Name",   "Status",  "Loss",  "Best val",  "Base val",
                                         "LR",     "Step",    "tok/s", "Time left", "Cost",
                                         "Active", "Created", "Model", "Tags"};
    static_assert(std::size(titles) == ColumnCount);
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return QString(titles[section]);
    if (role == Qt::TextAlignmentRole)
        return isNumber(section) ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                 : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

} // namespace anneal
