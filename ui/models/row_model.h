#pragma once
#include "core/protocol/record.h"

#include <QAbstractTableModel>

namespace anneal {

struct RowSource {
    std::string file;
    std::int64_t line = 0; ///< 1-based
    static constexpr auto fields() {
        using T = RowSource;
        return std::tuple{field("file", &T::file), field("line", &T::line)};
    }
};

/// One row as `inspect` shows it.
struct InspectedRow {
    RowSource source;
    std::string text;
    std::vector<std::int64_t> input_ids, labels; ///< a label is an id or -100
    std::vector<std::string> tokens;             ///< text of each id; empty when serve does not send them
    std::int64_t truncated_tokens = 0;
    static constexpr auto fields() {
        using T = InspectedRow;
        return std::tuple{field("source", &T::source),       field("text", &T::text),
                          field("input_ids", &T::input_ids), field("labels", &T::labels),
                          field("tokens", &T::tokens),       field("truncated_tokens", &T::truncated_tokens)};
    }
    std::int64_t supervised() const;
    /// The beginning of what is learned; of the whole text where the tokens are not known.
    QString learnedText() const;
};

struct RejectedRow {
    std::string file;
    std::int64_t line = 0;
    std::string reason;
    static constexpr auto fields() {
        using T = RejectedRow;
        return std::tuple{field("file", &T::file), field("line", &T::line), field("reason", &T::reason)};
    }
};

struct DataSummary {
    std::optional<std::int64_t> rows, tokens, supervised_tokens, truncated_rows, rejected_rows;
    std::vector<RejectedRow> rejected;
    static constexpr auto fields() {
        using T = DataSummary;
        return std::tuple{field("rows", &T::rows),
                          field("tokens", &T::tokens),
                          field("supervised_tokens", &T::supervised_tokens),
                          field("truncated_rows", &T::truncated_rows),
                          field("rejected_rows", &T::rejected_rows),
                          field("rejected", &T::rejected)};
    }
};

/// Rows with their numbers, a window [first, first + size) of the file order.
class RowModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Number, Source, Tokens, Supervised, Truncated, Text, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::int64_t first, std::vector<InspectedRow> rows);
    const InspectedRow* row(int index) const;
    std::int64_t first() const { return first_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::int64_t first_ = 0;
    std::vector<InspectedRow> rows_;
};

/// Rows that could not be read, with the reason.
class RejectedModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Source, Reason, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<RejectedRow> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<RejectedRow> rows_;
};

} // namespace anneal
