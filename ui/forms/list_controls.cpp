#include "ui/forms/list_controls.h"

#include "ui/client/text.h"
#include "ui/forms/line_controls.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace anneal {

namespace {

QHBoxLayout* lineLayout(QWidget* owner) {
    auto* layout = new QHBoxLayout(owner);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    return layout;
}

QStringList textsOf(const Json& value) {
    QStringList texts;
    if (value.is_array())
        for (const auto& item : value)
            if (item.is_string())
                texts.append(toQt(item.get<std::string>()));
    return texts;
}

Json jsonOf(const QStringList& texts) {
    Json list = Json::array();
    for (const auto& text : texts)
        if (!text.trimmed().isEmpty())
            list.push_back(toStd(text.trimmed()));
    return list;
}

} // namespace

bool takesWords(const Field& field) {
    RunConfig scratch;
    return !field.write(scratch, "a, b") && field.read(scratch).size() == 2;
}

ChecksControl::ChecksControl(const Field& field, QWidget* parent) : FieldControl(field, parent) {
    auto* layout = lineLayout(this);
    layout->setSpacing(12);
    for (const auto& choice : field.choices) {
        auto* box = new QCheckBox(toQt(choice), this);
        boxes_.push_back(box);
        layout->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &FieldControl::edited);
    }
    layout->addStretch();
}

Json ChecksControl::value() const {
    Json list = Json::array();
    for (const auto* box : boxes_)
        if (box->isChecked())
            list.push_back(toStd(box->text()));
    return list;
}

void ChecksControl::setValue(const Json& value) {
    const auto chosen = textsOf(value);
    for (auto* box : boxes_) {
        const QSignalBlocker blocker(box);
        box->setChecked(chosen.contains(box->text()));
    }
}

WordsControl::WordsControl(const Field& field, QWidget* parent)
    : FieldControl(field, parent), edit_(new QLineEdit(this)) {
    lineLayout(this)->addWidget(edit_, 1);
    edit_->setMinimumWidth(60);
    edit_->setPlaceholderText("words with commas");
    connect(edit_, &QLineEdit::textChanged, this, &FieldControl::edited);
    if (!field.choices.empty())
        addMenu();
}

void WordsControl::addMenu() {
    auto* button = new QToolButton(this);
    auto* menu = new QMenu(button);
    for (const auto& choice : field().choices) {
        auto* action = menu->addAction(toQt(choice));
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, choice] { toggle(choice); });
    }
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        const auto chosen = textsOf(value());
        for (auto* action : menu->actions())
            action->setChecked(chosen.contains(action->text()));
    });
    button->setText("…");
    button->setAccessibleName("Pick " + toQt(field().label));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(menu);
    layout()->addWidget(button);
}

/// A word that begins with "all" stands alone.
void WordsControl::toggle(const std::string& word) {
    auto words = textsOf(value());
    const auto text = toQt(word);
    if (words.contains(text))
        words.removeAll(text);
    else if (text.startsWith("all"))
        words = QStringList{text};
    else {
        words.erase(
            std::remove_if(words.begin(), words.end(), [](const QString& w) { return w.startsWith("all"); }),
            words.end());
        words.append(text);
    }
    edit_->setText(words.join(", "));
}

Json WordsControl::value() const { return jsonOf(edit_->text().split(',')); }

void WordsControl::setValue(const Json& value) {
    const QSignalBlocker blocker(edit_);
    edit_->setText(textsOf(value).join(", "));
    edit_->setCursorPosition(0);
}

void WordsControl::setMark(const QColor& color) { markInput(*edit_, color); }

LinesControl::LinesControl(const Field& field, QWidget* parent)
    : FieldControl(field, parent), edit_(new QPlainTextEdit(this)) {
    lineLayout(this)->addWidget(edit_);
    edit_->setPlaceholderText("one a line");
    edit_->setTabChangesFocus(true);
    edit_->setLineWrapMode(QPlainTextEdit::NoWrap);
    edit_->setFixedHeight(fontMetrics().lineSpacing() * 3 + 12);
    connect(edit_, &QPlainTextEdit::textChanged, this, &FieldControl::edited);
}

Json LinesControl::value() const { return jsonOf(edit_->toPlainText().split('\n')); }

void LinesControl::setValue(const Json& value) {
    const QSignalBlocker blocker(edit_);
    edit_->setPlainText(textsOf(value).join('\n'));
}

} // namespace anneal
