#include "ui/models/event_model.h"

#include "core/base/system.h"
#include "ui/client/text.h"
#include "ui/models/number_text.h"

#include <algorithm>

namespace anneal {

namespace {

struct Sentence {
    QString operator()(const StartedEvent& e) const {
        return QString("%1, %2 parameters trained of %3, %4 steps")
            .arg(toQt(e.device), text::shortCount(static_cast<double>(e.trainable_parameters)),
                 text::shortCount(static_cast<double>(e.total_parameters)), text::count(e.max_steps));
    }
    QString operator()(const PhaseEvent& e) const { return toQt(e.name); }
    QString operator()(const StepEvent& e) const { return "loss " + text::loss(e.loss); }
    QString operator()(const EvaluationEvent& e) const {
        auto sentence =
            QString("validation loss %1, perplexity %2, in %3")
                .arg(text::loss(e.loss), text::significant(e.perplexity), text::duration(e.seconds));
        for (const auto& [name, value] : e.metrics.items())
            if (const auto number = numberFromJson(value); number && name != "loss" && name != "perplexity")
                sentence += ", " + toQt(name) + " " + text::significant(*number, 3);
        return e.best ? sentence + " (best)" : sentence;
    }
    QString operator()(const SampleEvent& e) const { return toQt(e.prompt) + " → " + toQt(e.text); }
    QString operator()(const CheckpointEvent& e) const {
        return QString("%1, %2, in %3")
            .arg(toQt(e.path), text::bytes(static_cast<double>(e.bytes)), text::duration(e.seconds));
    }
    QString operator()(const SettingChangedEvent& e) const {
        return QString("%1: %2 → %3").arg(toQt(e.key), toQt(dumpJson(e.from)), toQt(dumpJson(e.to)));
    }
    QString operator()(const WarningEvent& e) const {
        return toQt(e.text + (e.fix.empty() ? "" : " " + e.fix));
    }
    QString operator()(const ErrorEvent& e) const {
        return toQt(e.text + (e.fix.empty() ? "" : " " + e.fix));
    }
    QString operator()(const ResumedEvent& e) const {
        return QString("continues after step %1").arg(text::count(e.step)) +
               (e.reason.empty() ? QString() : ": " + toQt(e.reason));
    }
    QString operator()(const CommandEvent& e) const { return toQt(e.command + ": " + e.outcome); }
    QString operator()(const FinishedEvent& e) const {
        return toQt(e.status + (e.reason.empty() ? "" : ": " + e.reason)) + ", after " +
               text::duration(e.seconds);
    }
};

QString stepText(const Event& event) {
    return std::visit(
        [](const auto& typed) -> QString {
            if constexpr (requires { typed.step; })
                return text::count(typed.step);
            else
                return {};
        },
        event);
}

} // namespace

QString eventSentence(const Event& event) { return std::visit(Sentence{}, event).simplified(); }

void EventModel::setRecords(const std::vector<EventRecord>& records) {
    const auto old = records_.size();
    const bool grown =
        records.size() >= old && std::equal(records_.begin(), records_.end(), records.begin(),
                                            [](const auto& a, const auto& b) { return a.seq == b.seq; });
    if (!grown) {
        beginResetModel();
        records_ = records;
        endResetModel();
    } else if (records.size() > old) {
        beginInsertRows({}, 0, static_cast<int>(records.size() - old) - 1);
        records_.insert(records_.end(), records.begin() + static_cast<std::ptrdiff_t>(old), records.end());
        endInsertRows();
    }
}

int EventModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(records_.size());
}

int EventModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

static QString cellText(const EventRecord& record, int column) {
    switch (column) {
    case EventModel::Time: return text::moment(record.t, unixSeconds());
    case EventModel::Step: return stepText(record.event);
    case EventModel::Type: return QString(eventType(record.event)).replace('_', ' ');
    default: return eventSentence(record.event);
    }
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const auto& record = records_[records_.size() - 1 - static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole || (role == Qt::ToolTipRole && index.column() == Text))
        return cellText(record, index.column());
    if (role == Qt::TextAlignmentRole && index.column() == Step)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const titles[] = {"Time", "Step", "Event", "What"};
    if (orientation != Qt::Horizontal || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return QString(titles[section]);
    if (role == Qt::TextAlignmentRole)
        return QVariant(section == Step ? Qt::AlignRight | Qt::AlignVCenter
                                        : Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

} // namespace anneal
