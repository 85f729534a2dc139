#pragma once
#include "ui/pages/page_parts.h"
#include "ui/pages/studio.h"

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLineEdit>

namespace anneal {

/// Writes the adapter of a run's checkpoint in the format of PEFT.
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    /// `checkpoint`: best, last or a step.
    ExportDialog(Studio& studio, const QString& run, const QString& checkpoint, QWidget* parent = nullptr);

    void setFolder(const QString& folder) { folder_->setText(folder); }
    void startExport();
    QString resultText() const { return notice_->text(); }
    bool finished() const { return finished_; }

private:
    void build();
    void askCheckpoints(const QString& wanted);
    void onAnswer(Result<Json> result);
    void refresh();

    Studio& studio_;
    QString run_;
    QComboBox *checkpoint_, *format_;
    QLineEdit* folder_;
    NoticeLine* notice_;
    QDialogButtonBox* buttons_;
    QPushButton* export_;
    std::int64_t underWay_ = 0;
    bool finished_ = false;
};

} // namespace anneal
