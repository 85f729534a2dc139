#pragma once
#include "ui/models/checkpoint_model.h"
#include "ui/models/event_model.h"
#include "ui/models/run_feed.h"
#include "ui/models/setting_model.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/studio.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTabWidget>

namespace anneal {

/// What a run says in words and tables: log, samples, checkpoints, its configuration, events.
class LiveTabs : public QTabWidget {
    Q_OBJECT

public:
    LiveTabs(Studio& studio, RunFeed& feed, QWidget* parent = nullptr);

    /// The tab that is shown, as Markdown.
    QString markdown() const;
    CheckpointModel& checkpoints() { return *checkpointModel_; }

Q_SIGNALS:
    void exportWanted(const QString& checkpoint);
    void playgroundWanted(const QString& checkpoint);
    void copyWanted();

private:
    QWidget* makeLog();
    QWidget* makeSamples();
    QWidget* makeCheckpoints();
    QWidget* makeConfiguration();
    QWidget* makeEvents();
    void refreshHistory();
    void refreshSamples();
    void showSamplesOf(int row);
    void refreshCheckpoints();
    void refreshLog();
    void appendLog(const QStringList& lines);
    QString selectedCheckpoint() const;

    Studio& studio_;
    RunFeed& feed_;
    QPlainTextEdit *log_, *samples_;
    QLineEdit* logFilter_;
    QListWidget* prompts_;
    QTableView *checkpointTable_, *settingTable_, *eventTable_;
    CheckpointModel* checkpointModel_;
    SettingModel* settingModel_;
    EventModel* eventModel_;
    std::size_t shownSamples_ = 0, shownCheckpoints_ = 0;
};

} // namespace anneal
