#pragma once
#include "core/schema/config_io.h"
#include "ui/client/latest_request.h"
#include "ui/models/row_model.h"
#include "ui/pages/page.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/run_head.h"
#include "ui/pages/token_view.h"

#include <QStackedWidget>

namespace anneal {

/// The rows of the configuration as they will be trained: every token with its label mask, and what was left
/// out.
class DataPage : public Page {
    Q_OBJECT

public:
    explicit DataPage(Studio& studio, QWidget* parent = nullptr);

    /// The configuration whose rows are wanted; they are asked for when the page is seen.
    void setConfig(const RunConfig& config);
    QString markdown() override;
    RowModel& rows() { return *rows_; }
    RejectedModel& rejected() { return *rejected_; }
    TokenView& tokens() { return *tokens_; }
    QTableView& table() { return *table_; }
    const std::vector<StatTile*>& tiles() const { return tiles_; }

Q_SIGNALS:
    void configurationWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QLayout* makeHead();
    QLayout* makeTiles();
    QWidget* makeBody();
    void askRows(std::int64_t first);
    void onAnswer(Result<Json> result);
    void showSummary(const DataSummary& summary);
    void showCurrentRow();
    void step(int rows);
    void showSubject();

    RunConfig config_;
    std::string asked_, wanted_;
    LatestRequest* inspect_;
    RowModel* rows_;
    RejectedModel* rejected_;
    QTableView *table_, *rejectedTable_;
    TokenView* tokens_;
    QLabel *subject_, *place_, *rowFacts_, *rejectedTitle_;
    QPushButton *back_, *next_, *earlier_, *later_;
    std::vector<StatTile*> tiles_;
    QStackedWidget* stack_;
    EmptyState* empty_;
    DataSummary summary_;
    std::int64_t first_ = 0, askedFirst_ = 0; ///< of the window shown, and of the one asked for
    int selectAfter_ = 0;
    bool reading_ = false;
};

} // namespace anneal
