#pragma once
#include "core/base/result.h"

#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QWidget>

namespace anneal {

// Small parts that several pages are built from.

QPushButton* primaryButton(const QString& text, QWidget* parent = nullptr);
QLabel* pageTitle(const QString& text, QWidget* parent = nullptr);
QLabel* mutedLabel(const QString& text = {}, QWidget* parent = nullptr);
/// A table without lines, whole rows selected, one line high.
void setUpTable(QTableView& table, const QString& accessibleName);
/// A frame with a border and the ground of inputs.
QWidget* panel(QWidget* parent = nullptr);
QFont fixedFont();
/// Copies and says so.
void copyText(const QString& text);

/// One line that says what went wrong or how a job stands; hidden while there is nothing to say.
class NoticeLine : public QLabel {
    Q_OBJECT

public:
    explicit NoticeLine(QWidget* parent = nullptr);
    void showError(const Error& error);
    void showError(const QString& text);
    void showInfo(const QString& text);
    void clearNotice();

protected:
    void changeEvent(QEvent* event) override;

private:
    void render();
    QString text_;
    bool error_ = false;
};

/// What a page shows while there is nothing to show: why, and the way on.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    EmptyState(const QString& title, const QString& text, QWidget* parent = nullptr);
    void setMessage(const QString& title, const QString& text);
    QPushButton* addButton(const QString& text, bool primary = false);

private:
    QLabel *title_, *text_;
    QLayout* buttons_;
};

} // namespace anneal
