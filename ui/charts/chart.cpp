#include "ui/charts/chart.h"

#include "ui/models/colors.h"
#include "ui/models/style_properties.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace anneal {

Chart::Chart(const QString& title, QWidget* parent)
    : QWidget(parent), title_(title), plot_(new CurvePlot(this)), table_(new QTableView(this)),
      numbers_(new ChartTableModel(this)), stack_(new QStackedWidget(this)), caption_(new QLabel(this)),
      menu_(new QMenu(this)) {
    plot_->setAccessibleName(title);
    plot_->setAccessibleDescription("A curve; the same numbers are in the table view of its menu.");
    table_->setModel(numbers_);
    table_->setAccessibleName(title + ", numbers");
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->setShowGrid(false);
    table_->setFrameShape(QFrame::NoFrame);
    stack_->addWidget(plot_);
    stack_->addWidget(table_);
    buildMenu();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 6, 4);
    layout->setSpacing(2);
    layout->addWidget(makeHeader());
    layout->addWidget(stack_, 1);
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &Chart::redrawNow);
    setMinimumSize(180, 120);
}

QWidget* Chart::makeHeader() {
    auto* header = new QWidget(this);
    auto* name = new QLabel(title_, header);
    auto font = name->font();
    font.setBold(true);
    name->setFont(font);
    caption_->setForegroundRole(QPalette::PlaceholderText);
    caption_->setTextFormat(Qt::PlainText);
    caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* button = new QToolButton(header);
    button->setText("⋯");
    button->setAutoRaise(true);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(menu_);
    button->setToolTip("Axes, table, copy");
    button->setAccessibleName(title_ + ": axes, table, copy");
    button->setProperty(noArrowProperty, true);
    head_ = new QHBoxLayout(header);
    head_->setContentsMargins(0, 0, 0, 0);
    head_->setSpacing(8);
    head_->addWidget(name);
    head_->addWidget(caption_, 1);
    head_->addWidget(button);
    return header;
}

void Chart::addHeadWidget(QWidget* widget) { head_->insertWidget(head_->count() - 1, widget); }

void Chart::buildMenu() {
    const auto check = [this](const QString& text, auto&& onToggled) {
        auto* action = menu_->addAction(text);
        action->setCheckable(true);
        connect(action, &QAction::toggled, this, onToggled);
    };
    check("Logarithmic scale", [this](bool on) {
        plot_->setLogarithmic(on);
        plot_->redraw();
    });
    check("Time instead of steps", [this](bool on) {
        plot_->setXAxis(on ? XAxis::Time : XAxis::Step);
        plot_->redraw();
    });
    check("Ignore outliers", [this](bool on) {
        plot_->setIgnoreOutliers(on);
        plot_->redraw();
    });
    menu_->addAction("Show everything", this, [this] {
        plot_->resetZoom();
        Q_EMIT plot_->zoomReset();
    });
    menu_->addSeparator();
    check("Table", [this](bool on) { setTableShown(on); });
    menu_->addAction("Copy as Markdown", this, [this] { QGuiApplication::clipboard()->setText(markdown()); });
    menu_->addAction("Save image…", this, &Chart::saveImage);
    plot_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(plot_, &QWidget::customContextMenuRequested, this,
            [this](const QPoint& place) { menu_->popup(plot_->mapToGlobal(place)); });
}

void Chart::setContent(ChartContent content) {
    plot_->setContent(std::move(content));
    dirty_ = true;
    schedule();
}

void Chart::setCaption(const QString& text) {
    if (caption_->text() != text)
        caption_->setText(text);
}

void Chart::setPreferences(const ChartPreferences& preferences) {
    interval_ = preferences.redrawMilliseconds;
    plot_->setPreferences(preferences);
    dirty_ = true;
    schedule();
}

void Chart::schedule() {
    if (!dirty_ || !isVisible() || timer_.isActive())
        return;
    const auto waited = sinceRedraw_.isValid() ? sinceRedraw_.elapsed() : interval_;
    timer_.start(static_cast<int>(std::max<qint64>(0, interval_ - waited)));
}

void Chart::redrawNow() {
    if (!dirty_ || !isVisible())
        return;
    dirty_ = false;
    sinceRedraw_.restart();
    if (tableShown())
        refreshTable();
    else
        plot_->redraw();
}

void Chart::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    schedule();
}

void Chart::paintEvent(QPaintEvent*) {
    const auto& colors = Colors::of(palette());
    QPainter painter(this);
    painter.setPen(colors.border);
    painter.setBrush(colors.base);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void Chart::setTableShown(bool shown) {
    if (shown)
        refreshTable();
    stack_->setCurrentIndex(shown ? 1 : 0);
    for (auto* action : menu_->actions())
        if (action->text() == "Table")
            action->setChecked(shown);
    if (!shown)
        plot_->redraw();
}

void Chart::refreshTable() {
    std::vector<QVector<double>> smoothed;
    for (std::size_t i = 0; i < plot_->content().curves.size(); ++i)
        smoothed.push_back(plot_->drawnValues(i));
    numbers_->setContent(plot_->content(), smoothed);
}

QString Chart::markdown() {
    refreshTable();
    return "**" + title_ + "**\n\n" + numbers_->markdown();
}

void Chart::saveImage() {
    const auto path = QFileDialog::getSaveFileName(this, "Save image", title_ + ".png", "Images (*.png)");
    if (!path.isEmpty() && !plot_->savePng(path, 0, 0, 2.0))
        QMessageBox::warning(this, "Save image", "Cannot write " + path + ". Choose another folder.");
}

void Chart::link(const QList<Chart*>& charts) {
    for (auto* from : charts)
        for (auto* to : charts) {
            if (from == to)
                continue;
            connect(from->plot_, &CurvePlot::zoomChosen, to->plot_, [from, to](double lower, double upper) {
                if (from->plot_->xAxisKind() == to->plot_->xAxisKind())
                    to->plot_->zoomTo(lower, upper);
            });
            connect(from->plot_, &CurvePlot::zoomReset, to->plot_, &CurvePlot::resetZoom);
        }
}

} // namespace anneal
