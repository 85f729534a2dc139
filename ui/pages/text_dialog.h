#pragma once
#include <QDialog>

namespace anneal {

/// Text to read and copy.
class TextDialog : public QDialog {
    Q_OBJECT

public:
    TextDialog(const QString& title, const QString& intro, const QString& text, QWidget* parent = nullptr);
};

} // namespace anneal
