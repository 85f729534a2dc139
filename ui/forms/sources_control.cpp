#include "ui/forms/sources_control.h"

#include "core/base/text.h"
#include "ui/client/text.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace anneal {

SourcesControl::SourcesControl(const Field& field, const ControlOptions& options, QWidget* parent)
    : FieldControl(field, parent), options_(options), list_(new QVBoxLayout(this)) {
    list_->setContentsMargins(0, 0, 0, 0);
    list_->setSpacing(4);
    auto* button = new QPushButton("Add file", this);
    button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    addButton_ = button;
    list_->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this] {
        addLine(Json::object());
        lines_.back().path->setFocus();
        Q_EMIT edited();
    });
}

QWidget* SourcesControl::buddy() { return lines_.empty() ? addButton_ : lines_.front().path; }

void SourcesControl::addLine(const Json& source) {
    Line line{new QWidget(this), new QLineEdit, new QComboBox, new QLineEdit};
    auto* layout = new QHBoxLayout(line.widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    line.path->setText(toQt(source.value("path", std::string())));
    line.path->setPlaceholderText("JSONL, JSON, CSV or text file");
    line.path->setAccessibleName(QString("%1, file %2").arg(toQt(field().label)).arg(lines_.size() + 1));
    for (const auto& format : field().choices)
        line.format->addItem(toQt(format));
    line.format->setCurrentText(toQt(source.value("format", std::string("auto"))));
    line.format->setAccessibleName("Format");
    line.format->setToolTip("How the rows are laid out; auto finds out.");
    const auto weight = source.contains("weight") ? numberFromJson(source["weight"]).value_or(1) : 1;
    line.weight->setText(editableNumber(weight));
    line.weight->setFixedWidth(fontMetrics().averageCharWidth() * 8);
    line.weight->setAccessibleName("Weight");
    line.weight->setToolTip("How often the file is seen in an epoch.");
    layout->addWidget(line.path, 1);
    if (options_.browse) {
        auto* button = new QToolButton;
        button->setText("Browse");
        button->setAccessibleName("Browse for a data file");
        connect(button, &QToolButton::clicked, this, [this, path = line.path] { browse(path); });
        layout->addWidget(button);
    }
    layout->addWidget(line.format);
    layout->addWidget(new QLabel("×"));
    layout->addWidget(line.weight);
    auto* remove = new QToolButton;
    remove->setText("Remove");
    remove->setAutoRaise(true);
    connect(remove, &QToolButton::clicked, this, [this, widget = line.widget] { removeLine(widget); });
    layout->addWidget(remove);
    connect(line.path, &QLineEdit::textChanged, this, &FieldControl::edited);
    connect(line.format, &QComboBox::currentTextChanged, this, &FieldControl::edited);
    connect(line.weight, &QLineEdit::textChanged, this, &FieldControl::edited);
    list_->insertWidget(static_cast<int>(lines_.size()), line.widget);
    lines_.push_back(line);
}

void SourcesControl::browse(QLineEdit* path) {
    const auto file =
        QFileDialog::getOpenFileName(this, toQt(field().label), path->text(),
                                     "Data (*.jsonl *.json *.csv *.tsv *.txt *.md);;All files (*)");
    if (!file.isEmpty())
        path->setText(file);
}

void SourcesControl::removeLine(QWidget* widget) {
    std::erase_if(lines_, [&](const Line& line) { return line.widget == widget; });
    widget->hide();
    widget->deleteLater();
    Q_EMIT edited();
}

void SourcesControl::clearLines() {
    for (const auto& line : lines_) {
        list_->removeWidget(line.widget);
        line.widget->hide();
        line.widget->deleteLater();
    }
    lines_.clear();
}

Json SourcesControl::value() const {
    Json list = Json::array();
    for (const auto& line : lines_) {
        const auto weight = toStd(line.weight->text().trimmed());
        const auto number = parseDouble(weight);
        list.push_back({{"path", toStd(line.path->text().trimmed())},
                        {"format", toStd(line.format->currentText())},
                        {"weight", number ? jsonNumber(*number) : Json(weight)}});
    }
    return list;
}

void SourcesControl::setValue(const Json& value) {
    if (value == this->value())
        return;
    clearLines();
    if (value.is_array())
        for (const auto& source : value)
            addLine(source);
}

} // namespace anneal
