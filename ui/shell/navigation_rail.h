#pragma once
#include <QListWidget>
#include <QWidget>

class QLabel;

namespace anneal {

/// The pages at the left, and the machine at the bottom: the only navigation.
class NavigationRail : public QWidget {
    Q_OBJECT

public:
    explicit NavigationRail(QWidget* parent = nullptr);

    /// `icon` names a file of resources/icons; `below` puts the page at the lower end.
    void addPage(const QString& title, const QString& icon);
    void setCurrent(int index);
    int current() const;
    /// The machine's name and what it is, shown at the bottom.
    void setMachine(const QString& name, const QString& details);
    /// A short text after a page's title, such as a count; empty: none.
    void setBadge(int index, const QString& text);

Q_SIGNALS:
    void chosen(int index);

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void refreshIcons();

    QListWidget* list_;
    QLabel *machine_, *details_;
    QStringList titles_, icons_;
};

} // namespace anneal
