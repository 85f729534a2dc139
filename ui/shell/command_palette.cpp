#include "ui/shell/command_palette.h"

#include "ui/models/colors.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace anneal {

namespace {

constexpr std::size_t shownEntries = 60;

class EntryDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {200, option.fontMetrics.height() + 10};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const auto& colors = Colors::of(option.palette);
        const bool current = option.state & QStyle::State_Selected;
        if (current)
            painter->fillRect(option.rect, colors.accentSoft);
        const auto rect = option.rect.adjusted(10, 0, -10, 0);
        painter->setPen(colors.muted);
        painter->drawText(rect, Qt::AlignVCenter | Qt::AlignLeft, index.data(Qt::UserRole).toString());
        painter->drawText(rect, Qt::AlignVCenter | Qt::AlignRight, index.data(Qt::UserRole + 1).toString());
        painter->setPen(colors.text);
        painter->drawText(rect.adjusted(84, 0, -170, 0), Qt::AlignVCenter | Qt::AlignLeft,
                          index.data().toString());
    }
};

} // namespace

int paletteScore(const PaletteEntry& entry, const QStringList& words) {
    int score = 1;
    for (const auto& word : words) {
        if (entry.text.startsWith(word, Qt::CaseInsensitive))
            score += 8;
        else if (entry.text.contains(" " + word, Qt::CaseInsensitive))
            score += 6;
        else if (entry.text.contains(word, Qt::CaseInsensitive))
            score += 4;
        else if (entry.hint.contains(word, Qt::CaseInsensitive) ||
                 entry.keywords.contains(word, Qt::CaseInsensitive))
            score += 2;
        else
            return 0;
    }
    return score;
}

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent, Qt::Popup), entries_(std::move(entries)), input_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
    setAccessibleName("Find");
    resize(620, 420);
    input_->setPlaceholderText("Command, setting or run");
    input_->setAccessibleName("Find a command, setting or run");
    list_->setItemDelegate(new EntryDelegate(list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setAccessibleName("Found");
    input_->installEventFilter(this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(input_);
    layout->addWidget(list_);
    connect(input_, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::choose);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::choose);
    refresh();
    input_->setFocus();
}

void CommandPalette::refresh() {
    const auto words = input_->text().split(' ', Qt::SkipEmptyParts);
    std::vector<std::pair<int, const PaletteEntry*>> found;
    for (const auto& entry : entries_)
        if (const int score = paletteScore(entry, words); score > 0)
            found.emplace_back(score, &entry);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    found.resize(std::min(found.size(), shownEntries));
    shown_.clear();
    list_->clear();
    for (const auto& [score, entry] : found) {
        shown_.push_back(entry);
        auto* item = new QListWidgetItem(entry->text, list_);
        item->setData(Qt::UserRole, entry->kind);
        item->setData(Qt::UserRole + 1, entry->hint);
    }
    list_->setCurrentRow(shown_.empty() ? -1 : 0);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == input_ && event->type() == QEvent::KeyPress) {
        const auto key = static_cast<QKeyEvent*>(event)->key();
        const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (by != 0 && list_->count() > 0) {
            list_->setCurrentRow(std::clamp(list_->currentRow() + by, 0, list_->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void CommandPalette::choose() {
    const int row = list_->currentRow();
    if (row < 0 || row >= static_cast<int>(shown_.size()))
        return;
    const auto run = shown_[static_cast<std::size_t>(row)]->run;
    accept();
    if (run)
        run();
}

} // namespace anneal
