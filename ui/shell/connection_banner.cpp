#include "ui/shell/connection_banner.h"

#include "ui/models/colors.h"
#include "ui/pages/text_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace anneal {

ConnectionBanner::ConnectionBanner(ServeClient& client, QWidget* parent)
    : QWidget(parent), client_(client), text_(new QLabel(this)), retry_(new QPushButton("Try now", this)) {
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* details = new QPushButton("Details", this);
    connect(details, &QPushButton::clicked, this, [this] {
        TextDialog("Connection", "The latest lines that anneal serve wrote to its standard error.",
                   client_.diagnostics().isEmpty() ? "nothing" : client_.diagnostics().join('\n'), this)
            .exec();
    });
    connect(retry_, &QPushButton::clicked, &client, &ServeClient::retry);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(20, 8, 20, 8);
    layout->addWidget(text_, 1);
    layout->addWidget(details);
    layout->addWidget(retry_);
    connect(&client, &ServeClient::stateChanged, this, &ConnectionBanner::refresh);
    refresh();
}

void ConnectionBanner::refresh() {
    const auto state = client_.state();
    const bool lost = state == ServeClient::State::Waiting || state == ServeClient::State::Failed;
    if (lost) {
        const auto next = state == ServeClient::State::Waiting
                              ? " It is being started again; runs go on meanwhile."
                              : " Runs that are under way go on.";
        text_->setText(client_.problem() + next);
    }
    // Starting again leaves the message until it worked.
    if (lost || state == ServeClient::State::Ready || state == ServeClient::State::Idle)
        setVisible(lost);
}

void ConnectionBanner::paintEvent(QPaintEvent*) {
    const auto& colors = Colors::of(palette());
    QPainter painter(this);
    painter.fillRect(rect(), colors.raised);
    painter.fillRect(0, 0, 4, height(), colors.caution);
    painter.fillRect(0, height() - 1, width(), 1, colors.border);
}

} // namespace anneal
