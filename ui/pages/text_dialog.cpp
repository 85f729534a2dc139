#include "ui/pages/text_dialog.h"

#include "ui/pages/page_parts.h"

#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace anneal {

TextDialog::TextDialog(const QString& title, const QString& intro, const QString& text, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(title);
    resize(720, 480);
    auto* edit = new QPlainTextEdit(text, this);
    edit->setReadOnly(true);
    edit->setFont(fixedFont());
    edit->setAccessibleName(title);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* copy = buttons->addButton("Copy", QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, [text] { copyText(text); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    auto* label = new QLabel(intro, this);
    label->setWordWrap(true);
    layout->addWidget(label);
    layout->addWidget(edit, 1);
    layout->addWidget(buttons);
}

} // namespace anneal
