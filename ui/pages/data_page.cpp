#include "ui/pages/data_page.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"
#include "ui/models/number_text.h"
#include "ui/models/table_markdown.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>

namespace anneal {

namespace {

constexpr int rowWindow = 100; ///< rows asked for at a time

/// What the rows depend on: a change of anything else asks for nothing.
std::string dataKey(const RunConfig& config) {
    return dumpJson(configToJson(config)["data"]) + config.model.path;
}

} // namespace

DataPage::DataPage(Studio& studio, QWidget* parent)
    : Page(studio, parent), rows_(new RowModel(this)), rejected_(new RejectedModel(this)),
      table_(new QTableView(this)), rejectedTable_(new QTableView(this)), tokens_(new TokenView(this)),
      stack_(new QStackedWidget(this)), empty_(new EmptyState({}, {}, this)) {
    inspect_ = new LatestRequest(
        studio.client, "inspect", [this](Result<Json> result) { onAnswer(std::move(result)); }, this);
    connect(empty_->addButton("Choose model and data", true), &QPushButton::clicked, this,
            &DataPage::configurationWanted);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    layout->addLayout(makeHead());
    layout->addWidget(stack_, 1);
    auto* content = new QWidget(this);
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(10);
    inner->addLayout(makeTiles());
    inner->addWidget(makeBody(), 1);
    stack_->addWidget(empty_);
    stack_->addWidget(content);
    connect(inspect_, &LatestRequest::busyChanged, this, [this] {
        if (inspect_->busy() == reading_)
            return;
        reading_ = inspect_->busy();
        showSubject();
    });
    setConfig(RunConfig());
}

QLayout* DataPage::makeHead() {
    subject_ = mutedLabel({}, this);
    place_ = mutedLabel({}, this);
    const auto button = [this](const QString& text, const QString& name, auto action) {
        auto* made = new QPushButton(text, this);
        made->setAccessibleName(name);
        made->setToolTip(name);
        connect(made, &QPushButton::clicked, this, action);
        return made;
    };
    earlier_ =
        button("« 100", "Earlier rows", [this] { askRows(std::max<std::int64_t>(0, first_ - rowWindow)); });
    back_ = button("‹ Previous", "Previous row", [this] { step(-1); });
    next_ = button("Next ›", "Next row", [this] { step(1); });
    later_ = button("100 »", "Later rows", [this] { askRows(first_ + rowWindow); });
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(pageTitle("Data", this));
    head->addSpacing(8);
    head->addWidget(subject_);
    head->addStretch();
    head->addWidget(place_);
    for (auto* made : {earlier_, back_, next_, later_})
        head->addWidget(made);
    return head;
}

QLayout* DataPage::makeTiles() {
    auto* row = new QHBoxLayout;
    row->setSpacing(20);
    for (int i = 0; i < 5; ++i) {
        tiles_.push_back(new StatTile(this, 1));
        row->addWidget(tiles_.back(), 1);
    }
    return row;
}

QWidget* DataPage::makeBody() {
    setUpTable(*table_, "Rows");
    table_->setModel(rows_);
    table_->horizontalHeader()->setStretchLastSection(true);
    const int widths[] = {52, 150, 66, 66, 48};
    for (int column = 0; column < RowModel::Text; ++column)
        table_->setColumnWidth(column, widths[column]);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &DataPage::showCurrentRow);
    setUpTable(*rejectedTable_, "Rows left out");
    rejectedTable_->setModel(rejected_);
    rejectedTable_->horizontalHeader()->setStretchLastSection(true);
    rejectedTable_->setColumnWidth(RejectedModel::Source, 180);
    rowFacts_ = new QLabel(this);
    rowFacts_->setTextFormat(Qt::RichText);
    rejectedTitle_ = new QLabel(this);
    auto* right = new QWidget(this);
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    rightLayout->setSpacing(6);
    rightLayout->addWidget(rowFacts_);
    rightLayout->addWidget(tokens_, 3);
    rightLayout->addWidget(rejectedTitle_);
    rightLayout->addWidget(rejectedTable_, 1);
    auto* splitter = new QSplitter(this);
    splitter->addWidget(table_);
    splitter->addWidget(right);
    splitter->setSizes({480, 620});
    splitter->setChildrenCollapsible(false);
    return splitter;
}

void DataPage::setConfig(const RunConfig& config) {
    config_ = config;
    wanted_ = dataKey(config);
    const bool complete = !config.model.path.empty() && !config.data.train.empty();
    showSubject();
    if (!complete) {
        asked_.clear();
        inspect_->cancel();
        empty_->setMessage("No rows to show",
                           "Rows are shown as the model will read them, so a model and a training file "
                           "are needed first.");
        stack_->setCurrentIndex(0);
        for (auto* button : {earlier_, back_, next_, later_})
            button->setEnabled(false);
        place_->clear();
    } else if (isVisible()) {
        askRows(0);
    }
}

void DataPage::showSubject() {
    QStringList parts;
    if (!config_.name.empty())
        parts << "of " + toQt(config_.name);
    if (reading_)
        parts << "reading rows";
    subject_->setText(parts.join(", "));
}

void DataPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    if (wanted_ != asked_ && !config_.model.path.empty() && !config_.data.train.empty())
        askRows(0);
}

void DataPage::askRows(std::int64_t first) {
    if (wanted_ == asked_ && first == first_ && rows_->rowCount() > 0)
        return;
    asked_ = wanted_;
    askedFirst_ = first;
    inspect_->send({{"config", configToJson(config_)}, {"first", first}, {"count", rowWindow}}, 100);
}

void DataPage::onAnswer(Result<Json> result) {
    std::vector<InspectedRow> rows;
    DataSummary summary;
    if (!result || !result->contains("rows") || !fromJson((*result)["rows"], rows) ||
        !fromJson(result->value("summary", Json::object()), summary)) {
        asked_.clear();
        empty_->setMessage("The rows cannot be read",
                           result ? "The answer of anneal serve has another form than expected."
                                  : toQt(result.error().text()));
        return stack_->setCurrentIndex(0);
    }
    stack_->setCurrentIndex(1);
    first_ = rows.empty() ? 0 : askedFirst_;
    rows_->setRows(first_, std::move(rows));
    showSummary(summary);
    table_->setCurrentIndex(rows_->index(std::min(selectAfter_, rows_->rowCount() - 1), 0));
    selectAfter_ = 0;
    showCurrentRow();
}

void DataPage::showSummary(const DataSummary& summary) {
    summary_ = summary;
    const auto share = summary.tokens && *summary.tokens > 0 && summary.supervised_tokens
                           ? std::optional(static_cast<double>(*summary.supervised_tokens) /
                                           static_cast<double>(*summary.tokens))
                           : std::nullopt;
    const auto cut =
        summary.rows && *summary.rows > 0 && summary.truncated_rows
            ? std::optional(static_cast<double>(*summary.truncated_rows) / static_cast<double>(*summary.rows))
            : std::nullopt;
    const auto left = summary.rejected_rows.value_or(static_cast<std::int64_t>(summary.rejected.size()));
    tiles_[0]->show(text::count(summary.rows), "rows");
    tiles_[1]->show(text::count(summary.tokens), "tokens");
    tiles_[2]->show(text::percent(share, 1), text::count(summary.supervised_tokens) + " tokens learned");
    tiles_[3]->show(text::count(summary.truncated_rows), "rows cut (" + text::percent(cut, 1) + ")");
    tiles_[4]->show(text::count(left), "rows left out");
    rejected_->setRows(summary.rejected);
    rejectedTable_->setVisible(!summary.rejected.empty());
    rejectedTitle_->setVisible(!summary.rejected.empty());
    rejectedTitle_->setText("Left out: " + text::count(left));
}

void DataPage::showCurrentRow() {
    const int index = table_->currentIndex().row();
    const auto* row = rows_->row(index);
    const auto total = summary_.rows.value_or(first_ + rows_->rowCount());
    const auto number = first_ + index;
    earlier_->setEnabled(first_ > 0);
    later_->setEnabled(first_ + rows_->rowCount() < total);
    back_->setEnabled(row && number > 0);
    next_->setEnabled(row && number + 1 < total);
    place_->setText(row ? QString("row %1 of %2").arg(text::count(number + 1), text::count(total))
                        : QString());
    if (!row) {
        tokens_->showRow({});
        return rowFacts_->clear();
    }
    const auto& colors = Colors::of(palette());
    auto facts = QString("<span style=\"background-color:%1\">&nbsp;learned&nbsp;</span> %2 tokens &nbsp; "
                         "<span style=\"color:%3\">context</span> %4 tokens")
                     .arg(colors.tokenSupervised.name(), text::count(row->supervised()), colors.muted.name(),
                          text::count(static_cast<std::int64_t>(row->input_ids.size()) - row->supervised()));
    if (row->truncated_tokens > 0)
        facts += QString(" &nbsp; <span style=\"color:%1\">%2 tokens cut off</span>")
                     .arg(colors.caution.name(), text::count(row->truncated_tokens));
    rowFacts_->setText(facts);
    tokens_->showRow(*row);
}

void DataPage::step(int rows) {
    const int wanted = table_->currentIndex().row() + rows;
    if (wanted >= 0 && wanted < rows_->rowCount())
        return table_->setCurrentIndex(rows_->index(wanted, 0));
    selectAfter_ = rows > 0 ? 0 : rowWindow - 1;
    askRows(std::max<std::int64_t>(0, first_ + (rows > 0 ? rowWindow : -rowWindow)));
}

QString DataPage::markdown() {
    QString text;
    for (const auto* tile : tiles_)
        text += "- " + tile->value() + " " + tile->note() + "\n";
    text += "\n" + tableMarkdown(*rows_);
    return rejected_->rowCount() > 0 ? text + "\n" + tableMarkdown(*rejected_) : text;
}

} // namespace anneal
