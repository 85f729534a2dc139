#pragma once
#include <QDialog>
#include <QLineEdit>
#include <QListWidget>

#include <functional>
#include <vector>

namespace anneal {

/// One thing that can be found and done.
struct PaletteEntry {
    QString kind; ///< "Command", "Setting", "Run"
    QString text;
    QString hint;     ///< shown at the right: a shortcut, a key, a status
    QString keywords; ///< found as well, not shown
    std::function<void()> run;
};

/// How well `words` fit an entry: 0 not at all, higher is better.
int paletteScore(const PaletteEntry& entry, const QStringList& words);

/// Finds commands, settings and runs by a few letters.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent);

    QLineEdit& input() { return *input_; }
    QListWidget& list() { return *list_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void choose();

    std::vector<PaletteEntry> entries_;
    std::vector<const PaletteEntry*> shown_;
    QLineEdit* input_;
    QListWidget* list_;
};

} // namespace anneal
