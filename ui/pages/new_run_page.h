#pragma once
#include "ui/client/latest_request.h"
#include "ui/forms/config_form.h"
#include "ui/pages/page.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/summary_panel.h"

#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

namespace anneal {

/// The form of a new run, with what it comes to beside it.
class NewRunPage : public Page {
    Q_OBJECT

public:
    explicit NewRunPage(Studio& studio, QWidget* parent = nullptr);

    const RunConfig& config() const { return form_->config(); }
    ConfigForm& form() { return *form_; }
    SummaryPanel& summary() { return *summary_; }
    /// Shows a configuration and says where it is from.
    void startFrom(const RunConfig& config, const QString& origin);
    void openFile(const QString& path);
    void copyRun(const QString& run);
    void saveFile(const QString& path);
    void askOpenFile();
    void askSaveFile();
    /// Starts the run, when there is no error.
    void start();
    bool canStart() const { return startButton_->isEnabled(); }

    QString markdown() override;
    QWidget* firstControl() override { return search_; }

Q_SIGNALS:
    void runStarted(const QString& run);
    void rowsWanted();
    void configChanged();

private:
    QLayout* makeHead();
    QWidget* makeBody();
    QLayout* makeFoot();
    QToolButton* menuButton(const QString& text, void (NewRunPage::*fill)(QMenu*));
    void fillRecipes(QMenu* menu);
    void fillRuns(QMenu* menu);
    void onConfigChanged(const QString& key);
    void onProblems(const Json& answer);
    void onPlan(Result<Json> result);
    void onModel(Result<Json> result);
    void onDetected(Result<Json> result);
    void refreshProblems();
    void refreshStart();
    void showCommandLine();
    void showDryRun();
    Json params() const;

    ConfigForm* form_;
    SummaryPanel* summary_;
    LatestRequest *validate_, *plan_, *model_, *detect_;
    QLineEdit* search_;
    QLabel* origin_;
    QPushButton *startButton_, *undo_;
    NoticeLine* notice_;
    Problems validated_, planned_;
    std::optional<RunConfig> previous_;
    Json presets_ = Json::array();
    std::string lastModel_, lastData_;
    bool starting_ = false, checked_ = false;
};

} // namespace anneal
