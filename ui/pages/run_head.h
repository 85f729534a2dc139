#pragma once
#include "ui/models/run_feed.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/studio.h"
#include "ui/pages/throttle.h"

#include <QProgressBar>
#include <QToolButton>

namespace anneal {

/// One figure of the head: the value large, what it is below it.
class StatTile : public QWidget {
    Q_OBJECT

public:
    /// `noteLines`: height that is kept for the note.
    explicit StatTile(QWidget* parent = nullptr, int noteLines = 2);
    void show(const QString& value, const QString& note);
    QString value() const { return value_->text(); }
    QString note() const { return note_->text(); }

private:
    QLabel *value_, *note_;
};

/// The head of the live page: which run, how it stands, what it costs, and what can be done with it.
class RunHead : public QWidget {
    Q_OBJECT

public:
    RunHead(Studio& studio, RunFeed& feed, QWidget* parent = nullptr);

    /// Sends stop, pause, resume or save for the run.
    void control(const char* method);
    /// The figures as lines of text.
    QString markdown() const;
    const std::vector<StatTile*>& tiles() const { return tiles_; }
    void refresh();

Q_SIGNALS:
    void runChosen(const QString& run);
    void said(const QString& text);

private:
    QLayout* makeTitle();
    QLayout* makeTiles();
    void fillRunMenu();
    void refreshTitle(const RunSummary& run);
    void refreshTiles(const RunSummary& run);
    void refreshProgress(const RunSummary& run);
    void refreshButtons(RunStatus status);
    QString savedText(double now) const;

    Studio& studio_;
    RunFeed& feed_;
    QToolButton* name_;
    QLabel* status_;
    QPushButton *save_, *pause_, *resume_, *stop_;
    std::vector<StatTile*> tiles_;
    QProgressBar* progress_;
    NoticeLine* notice_;
    QTimer clock_;
    Throttle refresh_;
};

} // namespace anneal
