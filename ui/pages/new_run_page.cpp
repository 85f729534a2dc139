#include "ui/pages/new_run_page.h"

#include "ui/client/text.h"
#include "ui/models/form_answers.h"
#include "ui/models/number_text.h"
#include "ui/models/setting_model.h"
#include "ui/pages/text_dialog.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QScrollArea>
#include <QVBoxLayout>

namespace anneal {

namespace {

constexpr int validatePause = 120, planPause = 400; // ms

} // namespace

NewRunPage::NewRunPage(Studio& studio, QWidget* parent)
    : Page(studio, parent), form_(new ConfigForm({studio.local()}, this)), summary_(new SummaryPanel(this)),
      search_(new QLineEdit(this)), origin_(mutedLabel({}, this)), startButton_(primaryButton("Start", this)),
      undo_(new QPushButton("Undo", this)), notice_(new NoticeLine(this)) {
    validate_ = new LatestRequest(
        studio.client, "validate",
        [this](Result<Json> result) {
            if (result)
                onProblems(*result);
            else
                notice_->showError(result.error());
        },
        this);
    plan_ = new LatestRequest(
        studio.client, "plan", [this](Result<Json> result) { onPlan(std::move(result)); }, this);
    model_ = new LatestRequest(
        studio.client, "model", [this](Result<Json> result) { onModel(std::move(result)); }, this);
    detect_ = new LatestRequest(
        studio.client, "detect", [this](Result<Json> result) { onDetected(std::move(result)); }, this);
    connect(plan_, &LatestRequest::busyChanged, this, [this] { summary_->setBusy(plan_->busy()); });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 12);
    layout->setSpacing(10);
    layout->addLayout(makeHead());
    layout->addWidget(notice_);
    layout->addWidget(makeBody(), 1);
    layout->addLayout(makeFoot());
    connect(form_, &ConfigForm::configChanged, this, &NewRunPage::onConfigChanged);
    connect(form_, &ConfigForm::problemsChanged, this, &NewRunPage::refreshProblems);
    connect(summary_, &SummaryPanel::settingChosen, form_, &ConfigForm::reveal);
    connect(summary_, &SummaryPanel::fixChosen, form_, &ConfigForm::applyFix);
    studio.client.request("presets", Json::object(), this, [this](Result<Json> result) {
        if (result)
            presets_ = result->value("presets", Json::array());
    });
    origin_->setText("defaults");
    onConfigChanged({});
}

QToolButton* NewRunPage::menuButton(const QString& text, void (NewRunPage::*fill)(QMenu*)) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    button->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, fill] {
        menu->clear();
        (this->*fill)(menu);
        if (menu->isEmpty())
            menu->addAction("none")->setEnabled(false);
    });
    return button;
}

QLayout* NewRunPage::makeHead() {
    search_->setPlaceholderText("Find a setting, by any tool's name for it");
    search_->setClearButtonEnabled(true);
    search_->setAccessibleName("Find a setting");
    search_->setMaximumWidth(320);
    connect(search_, &QLineEdit::textChanged, form_, &ConfigForm::search);
    auto* yaml = new QToolButton(this);
    yaml->setText("YAML…");
    connect(yaml, &QToolButton::clicked, this, &NewRunPage::askOpenFile);
    undo_->hide();
    undo_->setToolTip("Brings back what the form held before.");
    connect(undo_, &QPushButton::clicked, this, [this] {
        form_->setConfig(*previous_);
        form_->setModified(true);
        undo_->hide();
        origin_->setText("as before");
    });
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(pageTitle("New run", this));
    head->addSpacing(12);
    head->addWidget(mutedLabel("Start from", this));
    head->addWidget(menuButton("Recipe", &NewRunPage::fillRecipes));
    head->addWidget(menuButton("Run", &NewRunPage::fillRuns));
    head->addWidget(yaml);
    head->addWidget(origin_);
    head->addWidget(undo_);
    head->addStretch(1);
    head->addWidget(search_, 1);
    return head;
}

QWidget* NewRunPage::makeBody() {
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* holder = new QWidget(area);
    auto* inner = new QVBoxLayout(holder);
    inner->setContentsMargins(0, 0, 14, 0);
    inner->addWidget(form_);
    area->setWidget(holder);
    auto* side = new QScrollArea(this);
    side->setWidgetResizable(true);
    side->setFrameShape(QFrame::StyledPanel);
    side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    side->setFixedWidth(310);
    side->setBackgroundRole(QPalette::Base);
    side->setWidget(summary_);
    auto* rows = new QPushButton("Look at rows", this);
    rows->setToolTip("Shows what is learned of each row, token by token.");
    connect(rows, &QPushButton::clicked, this, &NewRunPage::rowsWanted);
    form_->section("Data").addAction(rows);
    auto* body = new QWidget(this);
    auto* row = new QHBoxLayout(body);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(10);
    row->addWidget(area, 1);
    row->addWidget(side);
    return body;
}

QLayout* NewRunPage::makeFoot() {
    const auto button = [this](const QString& text, const QString& tip, void (NewRunPage::*action)()) {
        auto* made = new QPushButton(text, this);
        made->setToolTip(tip);
        connect(made, &QPushButton::clicked, this, action);
        return made;
    };
    connect(startButton_, &QPushButton::clicked, this, &NewRunPage::start);
    startButton_->setMinimumWidth(110);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    foot->addStretch();
    foot->addWidget(
        button("Command line", "The same run as a command and a file.", &NewRunPage::showCommandLine));
    foot->addWidget(button("Save YAML…", "Writes the configuration to a file.", &NewRunPage::askSaveFile));
    foot->addWidget(
        button("Dry run", "Checks everything and plans, without starting.", &NewRunPage::showDryRun));
    foot->addWidget(startButton_);
    return foot;
}

void NewRunPage::fillRecipes(QMenu* menu) {
    for (const auto& preset : presets_) {
        const auto loaded = configFromJson(preset.value("config", Json::object()));
        const auto name = toQt(preset.value("name", std::string()));
        auto* action =
            menu->addAction(toQt(preset.value("title", toStd(name))), this,
                            [this, config = loaded.config, name] { startFrom(config, "recipe " + name); });
        action->setToolTip(toQt(preset.value("path", std::string())));
    }
    menu->addSeparator();
    menu->addAction("Defaults", this, [this] { startFrom(RunConfig(), "defaults"); });
}

void NewRunPage::fillRuns(QMenu* menu) {
    for (const auto& run : studio_.runs.runs()) {
        const auto id = toQt(run.id);
        menu->addAction(id, this, [this, id] { copyRun(id); });
        if (menu->actions().size() >= 30)
            break;
    }
}

void NewRunPage::startFrom(const RunConfig& config, const QString& origin) {
    previous_ = form_->config();
    undo_->setVisible(form_->modified());
    form_->setConfig(config);
    origin_->setText(origin);
    notice_->clearNotice();
}

void NewRunPage::openFile(const QString& path) {
    studio_.client.request("load_config", {{"path", toStd(path)}}, this, [this, path](Result<Json> result) {
        if (!result)
            return notice_->showError(result.error());
        startFrom(configFromJson(result->value("config", Json::object())).config, path.section('/', -1));
        const auto problems = problemsFrom(*result);
        QStringList unread; // an unknown key has no field to stand beside
        for (const auto& problem : problems)
            if (problem.severity == Severity::Error && !findField(problem.key))
                unread << toQt(problem.text + " " + problem.fix);
        if (!unread.isEmpty())
            notice_->showError(unread.join('\n'));
    });
}

void NewRunPage::copyRun(const QString& run) {
    studio_.client.request("show", {{"run", toStd(run)}}, this, [this, run](Result<Json> result) {
        if (!result)
            return notice_->showError(result.error());
        startFrom(configFromJson(result->value("config", Json::object())).config, "run " + run);
    });
}

void NewRunPage::askOpenFile() {
    const auto path =
        studio_.local()
            ? QFileDialog::getOpenFileName(this, "Open configuration", {}, "Configuration (*.yaml *.yml)")
            : QInputDialog::getText(this, "Open configuration", "Path on " + studio_.client.host());
    if (!path.isEmpty())
        openFile(path);
}

void NewRunPage::askSaveFile() {
    const auto name = config().name.empty() ? QString("run.yaml") : toQt(config().name) + ".yaml";
    const auto path =
        studio_.local()
            ? QFileDialog::getSaveFileName(this, "Save configuration", name, "Configuration (*.yaml *.yml)")
            : QInputDialog::getText(this, "Save configuration", "Path on " + studio_.client.host(),
                                    QLineEdit::Normal, name);
    if (!path.isEmpty())
        saveFile(path);
}

void NewRunPage::saveFile(const QString& path) {
    auto request = params();
    request["path"] = toStd(path);
    studio_.client.request("save_config", std::move(request), this, [this, path](Result<Json> result) {
        if (!result)
            return notice_->showError(result.error());
        form_->setModified(false);
        notice_->showInfo("Saved " + path + ".");
    });
}

Json NewRunPage::params() const { return {{"config", configToJson(form_->config())}}; }

void NewRunPage::onConfigChanged(const QString&) {
    const auto& config = form_->config();
    summary_->setConfig(config);
    checked_ = false;
    validate_->send(params(), validatePause);
    if (config.model.path.empty() || config.data.train.empty()) {
        plan_->cancel();
        summary_->setNoPlan("The estimate needs a model and training data.");
        planned_.clear();
    } else {
        plan_->send(params(), planPause);
    }
    if (config.model.path != lastModel_) {
        lastModel_ = config.model.path;
        form_->section("Model").setFacts({});
        if (!lastModel_.empty())
            model_->send({{"path", lastModel_}}, planPause);
    }
    const auto data = config.data.train.empty() ? std::string() : config.data.train.front().path;
    if (data != lastData_) {
        lastData_ = data;
        form_->section("Data").setFacts({});
        if (!data.empty())
            detect_->send({{"path", data}}, planPause);
    }
    refreshStart();
    Q_EMIT configChanged();
}

void NewRunPage::onProblems(const Json& answer) {
    checked_ = true;
    validated_ = problemsFrom(answer);
    auto all = validated_;
    all.insert(all.end(), planned_.begin(), planned_.end());
    form_->setProblems(all);
}

void NewRunPage::onPlan(Result<Json> result) {
    PlanAnswer plan;
    if (result && fromJson(*result, plan)) {
        summary_->setPlan(plan);
        planned_ = problemsFrom(*result);
        form_->section("LoRA").setFacts(
            plan.trainable_parameters
                ? text::shortCount(static_cast<double>(*plan.trainable_parameters)) + " parameters trained"
                : QString());
    } else {
        summary_->setNoPlan(result ? "The plan could not be read." : toQt(result.error().text()));
        planned_.clear();
    }
    auto all = validated_;
    all.insert(all.end(), planned_.begin(), planned_.end());
    form_->setProblems(all);
}

void NewRunPage::onModel(Result<Json> result) {
    form_->section("Model").setFacts(result ? modelFacts(*result) : toQt(result.error().message));
}

void NewRunPage::onDetected(Result<Json> result) {
    if (!result)
        return form_->section("Data").setFacts(toQt(result.error().message));
    form_->section("Data").setFacts(dataFacts(*result));
}

void NewRunPage::refreshProblems() {
    summary_->setProblems(form_->problems());
    refreshStart();
}

void NewRunPage::refreshStart() {
    const bool errors = hasError(form_->problems());
    startButton_->setEnabled(!errors && !starting_ && checked_);
    startButton_->setText(starting_ ? "Starting" : "Start");
    startButton_->setToolTip(errors ? "The errors beside the fields have to be settled first."
                                    : "Starts the run in the background.");
}

void NewRunPage::start() {
    if (!canStart())
        return;
    starting_ = true;
    refreshStart();
    notice_->clearNotice();
    studio_.client.request("start", params(), this, [this](Result<Json> result) {
        starting_ = false;
        refreshStart();
        if (!result)
            return notice_->showError(result.error());
        form_->setModified(false);
        Q_EMIT runStarted(toQt(result->value("id", std::string())));
    });
}

void NewRunPage::showCommandLine() {
    studio_.client.request("yaml", params(), this, [this](Result<Json> result) {
        if (!result)
            return notice_->showError(result.error());
        const auto command = toQt(result->value("command", std::string()));
        TextDialog(QString("Command line"),
                   "The same run without the window: save this as a file, then  " + command,
                   "# " + command + "\n" + toQt(result->value("yaml", std::string())), this)
            .exec();
    });
}

void NewRunPage::showDryRun() {
    studio_.client.request("plan", params(), this, [this](Result<Json> result) {
        QString text;
        for (const auto& problem : form_->problems())
            text +=
                toQt(std::string(severityName(problem.severity)) + ": " + problem.text + " " + problem.fix) +
                "\n";
        if (text.isEmpty())
            text = "No problems.\n";
        PlanAnswer plan;
        if (result && fromJson(*result, plan))
            text += "\n" + planMarkdown(plan);
        else
            text += "\nNo plan: " +
                    (result ? QString("its answer could not be read.") : toQt(result.error().text())) + "\n";
        TextDialog("Dry run", "What would happen. Nothing was started.", text, this).exec();
    });
}

QString NewRunPage::markdown() {
    SettingModel model;
    model.setOnlyChanged(true);
    model.setConfig(config());
    QString text = "| Setting | Value |\n| --- | --- |\n";
    for (int row = 0; row < model.rowCount(); ++row)
        text += "| " + model.index(row, SettingModel::Key).data().toString() + " | " +
                model.index(row, SettingModel::Value).data().toString() + " |\n";
    return text + (summary_->plan() ? "\n" + planMarkdown(*summary_->plan()) : QString());
}

} // namespace anneal
