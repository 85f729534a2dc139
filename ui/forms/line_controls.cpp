#include "ui/forms/line_controls.h"

#include "core/base/text.h"
#include "ui/client/text.h"
#include "ui/models/style_properties.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

QHBoxLayout* lineLayout(QWidget* owner) {
    auto* layout = new QHBoxLayout(owner);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    return layout;
}

QString textOf(const Json& value) {
    if (value.is_string())
        return toQt(value.get<std::string>());
    return value.is_null() ? QString() : toQt(dumpJson(value));
}

/// The wheel scrolls the form; only a box that has the focus takes it.
class CalmComboBox final : public QComboBox {
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent* event) override {
        if (hasFocus())
            QComboBox::wheelEvent(event);
        else
            event->ignore();
    }
};

} // namespace

void markInput(QWidget& input, const QColor& color) {
    if (input.property(markProperty).value<QColor>() == color)
        return;
    input.setProperty(markProperty, color);
    input.update();
}

BooleanControl::BooleanControl(const Field& field, QWidget* parent)
    : FieldControl(field, parent), box_(new QCheckBox("on", this)) {
    lineLayout(this)->addWidget(box_);
    connect(box_, &QCheckBox::toggled, this, [this](bool on) {
        box_->setText(on ? "on" : "off");
        Q_EMIT edited();
    });
}

void BooleanControl::setValue(const Json& value) {
    const QSignalBlocker blocker(box_);
    box_->setChecked(value.is_boolean() && value.get<bool>());
    box_->setText(box_->isChecked() ? "on" : "off");
}

ChoiceControl::ChoiceControl(const Field& field, QWidget* parent)
    : FieldControl(field, parent), box_(new CalmComboBox(this)) {
    box_->setEditable(!field.closed);
    box_->setInsertPolicy(QComboBox::NoInsert);
    box_->setFocusPolicy(Qt::StrongFocus);
    box_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    box_->setMinimumContentsLength(6);
    for (const auto& choice : field.choices)
        box_->addItem(toQt(choice));
    lineLayout(this)->addWidget(box_);
    connect(box_, &QComboBox::currentTextChanged, this, &FieldControl::edited);
}

Json ChoiceControl::value() const {
    const auto text = toStd(box_->currentText().trimmed());
    return text.empty() && field().optional ? Json(nullptr) : Json(text);
}

void ChoiceControl::setValue(const Json& value) {
    const QSignalBlocker blocker(box_);
    const auto text = textOf(value);
    if (box_->findText(text) < 0 && !box_->isEditable())
        box_->addItem(text); // shown as it is, with the problem beside it
    box_->setCurrentIndex(box_->findText(text));
    if (box_->isEditable()) {
        box_->setEditText(text);
        box_->lineEdit()->setCursorPosition(0);
    }
}

void ChoiceControl::setMark(const QColor& color) {
    if (box_->lineEdit())
        markInput(*box_->lineEdit(), color);
}

TextControl::TextControl(const Field& field, QWidget* parent)
    : FieldControl(field, parent), edit_(new QLineEdit(this)) {
    edit_->setMinimumWidth(60);
    lineLayout(this)->addWidget(edit_, 1);
    if (field.optional)
        edit_->setPlaceholderText("not set");
    connect(edit_, &QLineEdit::textChanged, this, &FieldControl::edited);
}

Json TextControl::value() const {
    const auto text = toStd(edit_->text());
    return field().optional && trim(text).empty() ? Json(nullptr) : Json(text);
}

void TextControl::setValue(const Json& value) {
    const QSignalBlocker blocker(edit_);
    edit_->setText(textOf(value));
    edit_->setCursorPosition(0);
}

void TextControl::setMark(const QColor& color) { markInput(*edit_, color); }

QString editableNumber(double value) {
    if (!std::isfinite(value))
        return toQt(formatDouble(value));
    auto text = QString::number(value, 'g', QLocale::FloatingPointShortest);
    const bool small = value != 0 && std::abs(value) < 1e-3;
    if (small)
        text = QString::number(value, 'e', QLocale::FloatingPointShortest);
    text.replace("e-0", "e-");
    text.replace("e+0", "e");
    text.replace("e+", "e");
    return text;
}

NumberControl::NumberControl(const Field& field, QWidget* parent) : TextControl(field, parent) {
    edit_->installEventFilter(this);
}

Json NumberControl::value() const {
    const auto text = toStd(edit_->text().trimmed());
    if (text.empty())
        return field().optional ? Json(nullptr) : Json("");
    if (const auto whole = parseInteger(text))
        return *whole;
    const auto number = parseDouble(text);
    return number ? jsonNumber(*number) : Json(text);
}

void NumberControl::setValue(const Json& value) {
    const QSignalBlocker blocker(edit_);
    const auto number = numberFromJson(value);
    edit_->setText(value.is_number_integer() ? QString::number(value.get<std::int64_t>())
                   : number                  ? editableNumber(*number)
                                             : textOf(value));
    edit_->setCursorPosition(0);
}

bool NumberControl::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down)
            return step(key == Qt::Key_Up), true;
    }
    return TextControl::eventFilter(watched, event);
}

/// Counts go by one; sizes that are powers of two double; other numbers go by a unit of their first digit.
void NumberControl::step(bool up) {
    const auto number = numberFromJson(value());
    if (!number)
        return;
    double next = 0;
    const double size = std::abs(*number);
    const bool powerOfTwo = size >= 8 && std::exp2(std::round(std::log2(size))) == size;
    if (field().kind == FieldKind::Integer && powerOfTwo)
        next = up ? *number * 2 : *number / 2;
    else if (field().kind == FieldKind::Integer || size == 0)
        next = *number + (up ? 1 : -1) * (field().kind == FieldKind::Integer ? 1 : 0.01);
    else
        next = *number + (up ? 1 : -1) * std::pow(10, std::floor(std::log10(size)));
    const double unit = size == 0 ? 1 : std::pow(10, std::floor(std::log10(size)) - 6);
    next = size >= 1e-12 && next != 0 ? std::round(next / unit) * unit : next;
    if (field().minimum)
        next = std::max(next, *field().minimum);
    if (field().maximum)
        next = std::min(next, *field().maximum);
    edit_->setText(field().kind == FieldKind::Integer
                       ? QString::number(std::llround(next))
                       : editableNumber(parseDouble(toStd(QString::number(next, 'g', 7))).value_or(next)));
}

PathControl::PathControl(const Field& field, const ControlOptions& options, QWidget* parent)
    : TextControl(field, parent) {
    if (!options.browse)
        return;
    auto* button = new QToolButton(this);
    button->setText("Browse");
    button->setAccessibleName("Browse for " + toQt(field.label));
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    menu->addAction("Folder…", this, [this] { browse(true); });
    menu->addAction("File…", this, [this] { browse(false); });
    button->setMenu(menu);
    layout()->addWidget(button);
}

void PathControl::browse(bool folder) {
    const auto title = toQt(field().label);
    const auto path = folder ? QFileDialog::getExistingDirectory(this, title, edit_->text())
                             : QFileDialog::getOpenFileName(this, title, edit_->text());
    if (!path.isEmpty())
        edit_->setText(path);
}

ProseControl::ProseControl(const Field& field, QWidget* parent)
    : FieldControl(field, parent), edit_(new QPlainTextEdit(this)) {
    lineLayout(this)->addWidget(edit_);
    edit_->setTabChangesFocus(true);
    edit_->setFixedHeight(fontMetrics().lineSpacing() * 3 + 12);
    connect(edit_, &QPlainTextEdit::textChanged, this, &FieldControl::edited);
}

void ProseControl::setValue(const Json& value) {
    const QSignalBlocker blocker(edit_);
    edit_->setPlainText(textOf(value));
}

} // namespace anneal
