#include "ui/forms/field_control.h"

#include "ui/forms/line_controls.h"
#include "ui/forms/list_controls.h"
#include "ui/forms/sources_control.h"

namespace anneal {

namespace {

FieldControl* makeListControl(const Field& field, QWidget* parent) {
    if (field.closed && !field.choices.empty())
        return new ChecksControl(field, parent);
    if (takesWords(field))
        return new WordsControl(field, parent);
    return new LinesControl(field, parent);
}

FieldControl* makeTextControl(const Field& field, QWidget* parent) {
    if (field.prose)
        return new ProseControl(field, parent);
    if (!field.choices.empty())
        return new ChoiceControl(field, parent);
    return new TextControl(field, parent);
}

} // namespace

FieldControl* makeControl(const Field& field, const ControlOptions& options, QWidget* parent) {
    switch (field.kind) {
    case FieldKind::Boolean: return new BooleanControl(field, parent);
    case FieldKind::Choice: return new ChoiceControl(field, parent);
    case FieldKind::Integer:
    case FieldKind::Number: return new NumberControl(field, parent);
    case FieldKind::Path: return new PathControl(field, options, parent);
    case FieldKind::TextList: return makeListControl(field, parent);
    case FieldKind::Sources: return new SourcesControl(field, options, parent);
    case FieldKind::Text: break;
    }
    return makeTextControl(field, parent);
}

} // namespace anneal
