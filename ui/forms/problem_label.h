#pragma once
#include "core/schema/problem.h"

#include <QLabel>

namespace anneal {

/// The problems of one setting, each with its fix. What the fix proposes is a link that does it; other
/// settings it names are links that lead there.
class ProblemLabel : public QLabel {
    Q_OBJECT

public:
    explicit ProblemLabel(QWidget* parent = nullptr);

    /// `named`: each problem begins with the label of its setting.
    void setProblems(const Problems& problems, bool named = false);
    const Problems& problems() const { return problems_; }

Q_SIGNALS:
    void fixChosen(const anneal::Problem& problem);
    void settingChosen(const QString& key);

protected:
    void changeEvent(QEvent* event) override;

private:
    void render();
    void onLink(const QString& link);

    Problems problems_;
    bool named_ = false;
};

} // namespace anneal
