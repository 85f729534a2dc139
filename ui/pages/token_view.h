#pragma once
#include "ui/models/row_model.h"

#include <QTextEdit>

namespace anneal {

/// One row as the model reads it: learned tokens on a coloured ground, the others muted. Pointing at a token
/// tells its number and id.
class TokenView : public QTextEdit {
    Q_OBJECT

public:
    explicit TokenView(QWidget* parent = nullptr);

    void showRow(const InspectedRow& row);
    /// How many tokens of the row are on the coloured ground.
    int highlighted() const { return highlighted_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void render();

    InspectedRow row_;
    int highlighted_ = 0;
};

} // namespace anneal
