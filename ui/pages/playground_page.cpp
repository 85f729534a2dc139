#include "ui/pages/playground_page.h"

#include "core/base/text.h"
#include "core/protocol/events.h"
#include "core/schema/config_io.h"
#include "ui/client/text.h"
#include "ui/models/colors.h"
#include "ui/models/number_text.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QShortcut>
#include <QVBoxLayout>

namespace anneal {

namespace {

const QString baseItem = QStringLiteral("Base model");

QLineEdit* numberEdit(const QString& text, const QString& tip, QWidget* parent) {
    auto* edit = new QLineEdit(text, parent);
    edit->setFixedWidth(parent->fontMetrics().averageCharWidth() * 9);
    edit->setToolTip(tip);
    return edit;
}

} // namespace

PlaygroundPage::PlaygroundPage(Studio& studio, QWidget* parent)
    : Page(studio, parent), run_(new QComboBox(this)), checkpoint_(new QComboBox(this)),
      model_(new QLineEdit(this)), modelLabel_(new QLabel("Model", this)),
      both_(new QCheckBox("Ask the base as well", this)), prompt_(new QPlainTextEdit(this)),
      button_(primaryButton("Generate", this)), notice_(new NoticeLine(this)),
      answers_(new QTextBrowser(this)) {
    prompt_->setPlaceholderText("Prompt. It goes through the chat template of the model.");
    prompt_->setAccessibleName("Prompt");
    prompt_->setTabChangesFocus(true);
    prompt_->setFixedHeight(fontMetrics().lineSpacing() * 6 + 12);
    answers_->setAccessibleName("Answers");
    answers_->setPlaceholderText("Answers appear here, the latest first.");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    layout->addWidget(pageTitle("Playground", this));
    layout->addLayout(makeChoice());
    layout->addWidget(prompt_);
    layout->addLayout(makeControls());
    layout->addWidget(notice_);
    layout->addWidget(answers_, 1);
    connect(run_, &QComboBox::currentIndexChanged, this, [this] {
        baseModel_.clear();
        askCheckpoints();
        askConfig();
        refreshControls();
    });
    connect(prompt_, &QPlainTextEdit::textChanged, this, &PlaygroundPage::refreshControls);
    connect(model_, &QLineEdit::textChanged, this, &PlaygroundPage::refreshControls);
    connect(button_, &QPushButton::clicked, this, &PlaygroundPage::generate);
    auto* enter = new QShortcut(QKeySequence("Ctrl+Return"), this);
    enter->setContext(Qt::WidgetWithChildrenShortcut);
    connect(enter, &QShortcut::activated, this, &PlaygroundPage::generate);
    connect(&studio.runs, &RunListModel::changed, this, &PlaygroundPage::refreshRuns);
    connect(&studio.client, &ServeClient::progressed, this, [this](std::int64_t request, const Json& phase) {
        PhaseEvent where;
        if (request == underWay_ && fromJson(phase, where))
            notice_->showInfo(toQt(where.name) +
                              (where.total > 0 ? QString(" %1 / %2").arg(where.done).arg(where.total) : ""));
    });
    refreshRuns();
    refreshControls();
}

QLayout* PlaygroundPage::makeChoice() {
    run_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    run_->setMinimumContentsLength(18);
    run_->addItem(baseItem);
    checkpoint_->setMinimumContentsLength(12);
    model_->setPlaceholderText("Folder, GGUF file, or a model in the hub cache");
    const auto label = [this](const QString& text, QWidget* buddy) {
        auto* made = new QLabel(text, this);
        made->setBuddy(buddy);
        buddy->setAccessibleName(text);
        return made;
    };
    modelLabel_->setBuddy(model_);
    model_->setAccessibleName("Model");
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(label("Ask", run_));
    row->addWidget(run_);
    row->addWidget(label("Checkpoint", checkpoint_));
    row->addWidget(checkpoint_);
    row->addWidget(modelLabel_);
    row->addWidget(model_, 1);
    row->addWidget(both_);
    row->addStretch();
    return row;
}

QLayout* PlaygroundPage::makeControls() {
    length_ = numberEdit("128", "The answer ends after so many tokens.", this);
    temperature_ = numberEdit("0", "0 always takes the most likely token; higher is more varied.", this);
    topP_ =
        numberEdit("1", "Draws from the smallest set of tokens with this share of the probability.", this);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    const auto add = [&](const QString& text, QLineEdit* edit) {
        auto* label = new QLabel(text, this);
        label->setBuddy(edit);
        edit->setAccessibleName(text);
        row->addWidget(label);
        row->addWidget(edit);
        row->addSpacing(8);
    };
    add("Length", length_);
    add("Temperature", temperature_);
    add("Top p", topP_);
    row->addStretch();
    row->addWidget(mutedLabel("Ctrl+Enter", this));
    row->addWidget(button_);
    return row;
}

void PlaygroundPage::refreshRuns() {
    QStringList wanted{baseItem};
    for (const auto& run : studio_.runs.runs())
        wanted << toQt(run.id);
    QStringList shown;
    for (int i = 0; i < run_->count(); ++i)
        shown << run_->itemText(i);
    if (shown == wanted)
        return;
    const auto chosen = run_->currentText();
    const QSignalBlocker blocker(run_);
    run_->clear();
    run_->addItems(wanted);
    run_->setCurrentIndex(std::max(0, run_->findText(chosen)));
}

void PlaygroundPage::choose(const QString& run, const QString& checkpoint) {
    refreshRuns();
    if (run_->findText(run) < 0)
        run_->addItem(run);
    wantedCheckpoint_ = checkpoint;
    if (run_->currentText() == run)
        askCheckpoints();
    else
        run_->setCurrentText(run);
}

void PlaygroundPage::askCheckpoints() {
    checkpoint_->clear();
    if (run_->currentIndex() <= 0)
        return;
    checkpoint_->addItems({"best", "last"});
    const auto run = run_->currentText();
    studio_.client.request("checkpoints", {{"run", toStd(run)}}, this, [this, run](Result<Json> result) {
        std::vector<CheckpointItem> items;
        if (run != run_->currentText() || !result || !result->contains("checkpoints") ||
            !fromJson((*result)["checkpoints"], items))
            return;
        for (const auto& item : items)
            if (const auto step = QString::number(item.step); checkpoint_->findText(step) < 0)
                checkpoint_->addItem(step);
        if (const int index = checkpoint_->findText(wantedCheckpoint_); index >= 0)
            checkpoint_->setCurrentIndex(index);
        wantedCheckpoint_.clear();
    });
}

void PlaygroundPage::askConfig() {
    if (run_->currentIndex() <= 0)
        return;
    const auto run = run_->currentText();
    studio_.client.request("show", {{"run", toStd(run)}}, this, [this, run](Result<Json> result) {
        if (run != run_->currentText() || !result)
            return;
        const auto loaded = configFromJson(result->value("config", Json::object()));
        baseModel_ = loaded.config.model.path;
        if (prompt_->toPlainText().isEmpty() && !loaded.config.evaluation.prompts.empty())
            prompt_->setPlainText(toQt(loaded.config.evaluation.prompts.front()));
        refreshControls();
    });
}

void PlaygroundPage::refreshControls() {
    const bool base = run_->currentIndex() <= 0;
    model_->setVisible(base);
    modelLabel_->setVisible(base);
    checkpoint_->setEnabled(!base);
    both_->setVisible(!base);
    both_->setEnabled(!baseModel_.empty());
    const bool subject = !base || !model_->text().trimmed().isEmpty();
    button_->setEnabled(subject && !prompt_->toPlainText().trimmed().isEmpty() && underWay_ == 0);
    button_->setText(underWay_ != 0 ? "Generating" : "Generate");
}

Json PlaygroundPage::settings() const {
    Json params{{"prompt", toStd(prompt_->toPlainText())}};
    if (const auto length = parseInteger(toStd(length_->text().trimmed())))
        params["max_new_tokens"] = *length;
    if (const auto temperature = parseDouble(toStd(temperature_->text().trimmed())))
        params["temperature"] = *temperature;
    if (const auto topP = parseDouble(toStd(topP_->text().trimmed())))
        params["top_p"] = *topP;
    return params;
}

void PlaygroundPage::generate() {
    if (!button_->isEnabled())
        return;
    notice_->clearNotice();
    std::vector<Question> questions;
    auto params = settings();
    if (run_->currentIndex() <= 0) {
        params["model"] = toStd(model_->text().trimmed());
        questions.push_back({model_->text().trimmed().section('/', -1), params});
        return send(std::move(questions));
    }
    if (both_->isChecked() && !baseModel_.empty()) {
        auto baseParams = params;
        baseParams["model"] = baseModel_;
        questions.push_back({"base", std::move(baseParams)});
    }
    params["run"] = toStd(run_->currentText());
    params["checkpoint"] = toStd(checkpoint_->currentText());
    questions.push_back({run_->currentText() + " (" + checkpoint_->currentText() + ")", std::move(params)});
    send(std::move(questions));
}

/// One after the other: each loads a model.
void PlaygroundPage::send(std::vector<Question> questions) {
    if (questions.empty()) {
        underWay_ = 0;
        return refreshControls();
    }
    const auto question = questions.front();
    questions.erase(questions.begin());
    waiting_ = std::move(questions);
    notice_->showInfo("Asking " + question.who);
    underWay_ =
        studio_.client.request("generate", question.params, this, [this, question](Result<Json> result) {
            onAnswer(question, std::move(result));
        });
    refreshControls();
}

void PlaygroundPage::onAnswer(const Question& question, Result<Json> result) {
    if (!result) {
        notice_->showError(result.error());
        return send({});
    }
    notice_->clearNotice();
    const auto speed =
        result->contains("tokens_per_second") ? numberFromJson((*result)["tokens_per_second"]) : std::nullopt;
    const auto tokens = result->contains("tokens") ? numberFromJson((*result)["tokens"]) : std::nullopt;
    given_.insert(given_.begin(),
                  {question.who, toQt(question.params.value("prompt", std::string())),
                   toQt(result->value("text", std::string())),
                   text::significant(tokens, 1) + " tokens, " + text::significant(speed, 3) + " tokens/s"});
    showAnswers();
    send(std::exchange(waiting_, {}));
}

void PlaygroundPage::showAnswers() {
    const auto& colors = Colors::of(palette());
    QString html;
    for (const auto& answer : given_) {
        html += QString("<p style=\"margin-bottom:2px\"><b>%1</b> <span style=\"color:%2\">%3</span></p>")
                    .arg(answer.who.toHtmlEscaped(), colors.muted.name(), answer.note.toHtmlEscaped());
        html += QString("<p style=\"color:%1; margin-top:0; margin-bottom:2px; white-space:pre-wrap\">%2</p>")
                    .arg(colors.muted.name(), answer.prompt.toHtmlEscaped());
        html += QString("<p style=\"margin-top:0; margin-bottom:14px; white-space:pre-wrap\">%1</p>")
                    .arg(answer.text.toHtmlEscaped());
    }
    answers_->setHtml(html);
}

QString PlaygroundPage::markdown() {
    QString text;
    for (const auto& answer : given_)
        text += "**" + answer.who + "** (" + answer.note + ")\n\n> " +
                QString(answer.prompt).replace('\n', "\n> ") + "\n\n" + answer.text + "\n\n";
    return text;
}

} // namespace anneal
