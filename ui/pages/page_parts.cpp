#include "ui/pages/page_parts.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"
#include "ui/models/style_properties.h"

#include <QClipboard>
#include <QEvent>
#include <QFontDatabase>
#include <QFrame>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

namespace anneal {

QPushButton* primaryButton(const QString& text, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setProperty(primaryProperty, true);
    return button;
}

QLabel* pageTitle(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    auto font = label->font();
    font.setPointSizeF(font.pointSizeF() * 1.35);
    font.setBold(true);
    label->setFont(font);
    label->setMinimumHeight(label->fontMetrics().height() + 8); // as high as a line of controls
    return label;
}

QLabel* mutedLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

void setUpTable(QTableView& table, const QString& accessibleName) {
    table.setAccessibleName(accessibleName);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setTabKeyNavigation(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 10);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table.horizontalHeader()->setMinimumSectionSize(40);
}

QWidget* panel(QWidget* parent) {
    auto* frame = new QFrame(parent);
    frame->setFrameShape(QFrame::StyledPanel);
    frame->setBackgroundRole(QPalette::Base);
    frame->setAutoFillBackground(true);
    return frame;
}

QFont fixedFont() { return QFontDatabase::systemFont(QFontDatabase::FixedFont); }

void copyText(const QString& text) { QGuiApplication::clipboard()->setText(text); }

NoticeLine::NoticeLine(QWidget* parent) : QLabel(parent) {
    setWordWrap(true);
    setTextFormat(Qt::RichText);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    hide();
}

void NoticeLine::showError(const Error& error) { showError(toQt(error.text())); }

void NoticeLine::showError(const QString& text) {
    text_ = text;
    error_ = true;
    render();
}

void NoticeLine::showInfo(const QString& text) {
    text_ = text;
    error_ = false;
    render();
}

void NoticeLine::clearNotice() {
    text_.clear();
    hide();
}

void NoticeLine::render() {
    const auto& colors = Colors::of(palette());
    const auto mark =
        error_ ? QString("<span style=\"color:%1\">✕</span> ").arg(colors.bad.name()) : QString();
    const auto body = text_.toHtmlEscaped().replace('\n', "<br>");
    setText(error_ ? mark + body
                   : QString("<span style=\"color:%1\">%2</span>").arg(colors.muted.name(), body));
    setAccessibleName(text_);
    setVisible(!text_.isEmpty());
}

void NoticeLine::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !text_.isEmpty())
        render();
}

EmptyState::EmptyState(const QString& title, const QString& text, QWidget* parent)
    : QWidget(parent), title_(new QLabel(this)), text_(mutedLabel({}, this)) {
    auto font = title_->font();
    font.setPointSizeF(font.pointSizeF() * 1.2);
    font.setBold(true);
    title_->setFont(font);
    title_->setAlignment(Qt::AlignCenter);
    text_->setAlignment(Qt::AlignCenter);
    text_->setWordWrap(true);
    text_->setMinimumWidth(420);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    buttons_ = row;
    auto* layout = new QVBoxLayout(this);
    layout->addStretch(2);
    layout->addWidget(title_, 0, Qt::AlignHCenter);
    layout->addSpacing(4);
    layout->addWidget(text_, 0, Qt::AlignHCenter);
    layout->addSpacing(12);
    auto* centered = new QHBoxLayout;
    centered->addStretch();
    centered->addLayout(row);
    centered->addStretch();
    layout->addLayout(centered);
    layout->addStretch(3);
    setMessage(title, text);
}

void EmptyState::setMessage(const QString& title, const QString& text) {
    title_->setText(title);
    text_->setText(text);
}

QPushButton* EmptyState::addButton(const QString& text, bool primary) {
    auto* button = primary ? primaryButton(text, this) : new QPushButton(text, this);
    buttons_->addWidget(button);
    return button;
}

} // namespace anneal
