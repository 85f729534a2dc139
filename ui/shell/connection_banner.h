#pragma once
#include "ui/client/serve_client.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace anneal {

/// Says that the connection to `anneal serve` is lost, why, and what happens next; hidden while all is well.
class ConnectionBanner : public QWidget {
    Q_OBJECT

public:
    explicit ConnectionBanner(ServeClient& client, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();

    ServeClient& client_;
    QLabel* text_;
    QPushButton* retry_;
};

} // namespace anneal
