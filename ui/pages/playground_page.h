#pragma once
#include "ui/models/checkpoint_model.h"
#include "ui/pages/page.h"
#include "ui/pages/page_parts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextBrowser>

namespace anneal {

/// Asks the base model or a checkpoint, or both, and shows the answers one below the other.
class PlaygroundPage : public Page {
    Q_OBJECT

public:
    explicit PlaygroundPage(Studio& studio, QWidget* parent = nullptr);

    /// Chooses a run and one of its checkpoints ("best", "last" or a step).
    void choose(const QString& run, const QString& checkpoint);
    void setPrompt(const QString& prompt) { prompt_->setPlainText(prompt); }
    void generate();
    QString answers() const { return answers_->toPlainText(); }
    QString markdown() override;
    QWidget* firstControl() override { return prompt_; }

private:
    struct Question {
        QString who;
        Json params;
    };
    struct Answer {
        QString who, prompt, text, note;
    };
    QLayout* makeChoice();
    QLayout* makeControls();
    void refreshRuns();
    void askCheckpoints();
    void askConfig();
    void refreshControls();
    Json settings() const;
    void send(std::vector<Question> questions);
    void onAnswer(const Question& question, Result<Json> result);
    void showAnswers();

    QComboBox *run_, *checkpoint_;
    QLineEdit *model_, *length_, *temperature_, *topP_;
    QLabel* modelLabel_;
    QCheckBox* both_;
    QPlainTextEdit* prompt_;
    QPushButton* button_;
    NoticeLine* notice_;
    QTextBrowser* answers_;
    std::vector<Answer> given_;
    std::vector<Question> waiting_;
    QString wantedCheckpoint_;
    std::string baseModel_; ///< of the chosen run
    std::int64_t underWay_ = 0;
};

} // namespace anneal
