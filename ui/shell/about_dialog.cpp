#include "ui/shell/about_dialog.h"

#include "ui/pages/page_parts.h"
#include "ui/shell/icons.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QVBoxLayout>

namespace anneal {

void showAbout(QWidget* parent) {
    QDialog dialog(parent);
    dialog.setWindowTitle("About Anneal");
    auto* icon = new QLabel(&dialog);
    icon->setPixmap(programIcon().pixmap(64, 64));
    auto* title = pageTitle(QString("Anneal Studio ") + ANNEAL_VERSION, &dialog);
    auto* text = new QLabel(
        QString(
            "<p>Configures a QLoRA fine-tune, runs it in the background, shows its curves and its cost, and "
            "exports the "
            "adapter.</p>"
            "<p>The sources of Anneal are licensed under the <b>Apache License 2.0</b>. This program, "
            "<code>anneal-studio</code>, links QCustomPlot and is distributed under the <b>GNU General "
            "Public License, "
            "version 3 or later</b>. The programs <code>anneal</code> and <code>anneal-engine</code> link "
            "nothing under "
            "the GPL and stay under Apache-2.0.</p>"
            "<p>Parts of this program:<br>Qt %1, LGPL-3.0<br>QCustomPlot 2.1, GPL-3.0-or-later, © Emanuel "
            "Eichhammer<br>yaml-cpp, MIT<br>nlohmann-json, MIT<br>xxHash, BSD-2-Clause</p>"
            "<p>There is no warranty, to the extent permitted by law.</p>")
            .arg(qVersion()),
        &dialog);
    text->setWordWrap(true);
    text->setMinimumWidth(460);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* head = new QHBoxLayout;
    head->addWidget(icon);
    head->addWidget(title, 1);
    auto* layout = new QVBoxLayout(&dialog);
    layout->addLayout(head);
    layout->addWidget(text);
    layout->addWidget(buttons);
    dialog.exec();
}

void showShortcuts(QWidget* parent) {
    static constexpr const char* shortcuts[][2] = {
        {"Ctrl+K", "Find any command, setting or run"},
        {"Ctrl+1 … Ctrl+6", "The pages, in the order of the rail"},
        {"Ctrl+N", "New run"},
        {"Ctrl+O", "Open configuration"},
        {"Ctrl+S", "Save configuration as"},
        {"Ctrl+Return", "Start the run; in the playground, generate"},
        {"Ctrl+F", "Find or filter on this page"},
        {"Ctrl+E", "Export adapter"},
        {"Ctrl+T", "Table view of the charts"},
        {"Ctrl+Shift+C", "Copy the page as Markdown"},
        {"Up, Down", "Step a number; double or halve a power of two"},
        {"Double click on a chart", "Show everything again"},
        {"Ctrl+Q", "Quit; runs go on"},
    };
    QDialog dialog(parent);
    dialog.setWindowTitle("Keyboard shortcuts");
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(24);
    for (const auto& [keys, meaning] : shortcuts) {
        auto* label = new QLabel(keys, &dialog);
        label->setFont(fixedFont());
        form->addRow(label, new QLabel(meaning, &dialog));
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(&dialog);
    layout->addLayout(form);
    layout->addWidget(buttons);
    dialog.exec();
}

} // namespace anneal
