#include "ui/shell/export_dialog.h"

#include "ui/client/text.h"
#include "ui/models/checkpoint_model.h"
#include "ui/models/number_text.h"
#include "ui/models/style_properties.h"

#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace anneal {

namespace {

QString checkpointText(const CheckpointItem& item) {
    return QString("step %1, validation loss %2%3")
        .arg(text::count(item.step), text::loss(item.validation_loss), item.best ? " (best)" : "");
}

} // namespace

ExportDialog::ExportDialog(Studio& studio, const QString& run, const QString& checkpoint, QWidget* parent)
    : QDialog(parent), studio_(studio), run_(run), checkpoint_(new QComboBox(this)),
      format_(new QComboBox(this)), folder_(new QLineEdit(this)), notice_(new NoticeLine(this)),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Close, this)) {
    setWindowTitle("Export adapter");
    setMinimumWidth(560);
    build();
    askCheckpoints(checkpoint);
    connect(&studio.client, &ServeClient::progressed, this, [this](std::int64_t request, const Json& phase) {
        if (request == underWay_ && phase.contains("name"))
            notice_->showInfo(toQt(phase.value("name", std::string())));
    });
    refresh();
}

void ExportDialog::build() {
    checkpoint_->addItem("best", "best");
    checkpoint_->addItem("last", "last");
    format_->addItem("PEFT adapter (safetensors)", "peft");
    folder_->setText(studio_.local() ? QDir::homePath() + "/" + run_ + "-adapter" : run_ + "-adapter");
    auto* place = new QHBoxLayout;
    place->addWidget(folder_, 1);
    if (studio_.local()) {
        auto* browse = new QPushButton("Browse…", this);
        connect(browse, &QPushButton::clicked, this, [this] {
            const auto path = QFileDialog::getExistingDirectory(this, "Export to", folder_->text());
            if (!path.isEmpty())
                folder_->setText(path);
        });
        place->addWidget(browse);
    }
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow("Run", new QLabel(run_, this));
    form->addRow("&Checkpoint", checkpoint_);
    form->addRow("&Format", format_);
    form->addRow(studio_.local() ? "F&older" : "F&older on " + studio_.client.host(), place);
    folder_->setAccessibleName("Folder");
    export_ = buttons_->addButton("Export", QDialogButtonBox::ActionRole);
    export_->setProperty(primaryProperty, true);
    export_->setDefault(true);
    connect(export_, &QPushButton::clicked, this, &ExportDialog::startExport);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(folder_, &QLineEdit::textChanged, this, &ExportDialog::refresh);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(12);
    layout->addLayout(form);
    layout->addWidget(notice_);
    layout->addWidget(buttons_);
}

void ExportDialog::askCheckpoints(const QString& wanted) {
    studio_.client.request("checkpoints", {{"run", toStd(run_)}}, this, [this, wanted](Result<Json> result) {
        std::vector<CheckpointItem> items;
        if (!result)
            return notice_->showError(result.error());
        if (!result->contains("checkpoints") || !fromJson((*result)["checkpoints"], items) || items.empty())
            return notice_->showInfo("This run has saved no checkpoint yet.");
        for (const auto& item : items)
            checkpoint_->addItem(checkpointText(item), QString::number(item.step));
        if (const int index = checkpoint_->findData(wanted); index >= 0)
            checkpoint_->setCurrentIndex(index);
    });
}

void ExportDialog::refresh() {
    export_->setEnabled(underWay_ == 0 && !folder_->text().trimmed().isEmpty());
    export_->setText(underWay_ != 0 ? "Exporting" : "Export");
}

void ExportDialog::startExport() {
    notice_->clearNotice();
    finished_ = false;
    underWay_ = studio_.client.request("export",
                                       {{"run", toStd(run_)},
                                        {"checkpoint", toStd(checkpoint_->currentData().toString())},
                                        {"format", toStd(format_->currentData().toString())},
                                        {"output", toStd(folder_->text().trimmed())}},
                                       this, [this](Result<Json> result) { onAnswer(std::move(result)); });
    refresh();
}

void ExportDialog::onAnswer(Result<Json> result) {
    underWay_ = 0;
    refresh();
    if (!result)
        return notice_->showError(result.error());
    finished_ = true;
    QStringList files;
    for (const auto& file : result->value("files", Json::array()))
        if (file.is_string())
            files << toQt(file.get<std::string>()).section('/', -1);
    const auto bytes = result->contains("bytes") ? numberFromJson((*result)["bytes"]) : std::nullopt;
    notice_->showInfo(
        QString("Written to %1: %2, %3.")
            .arg(toQt(result->value("path", std::string())), files.join(", "), text::bytes(bytes)));
}

} // namespace anneal
