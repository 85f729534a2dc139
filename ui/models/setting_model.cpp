#include "ui/models/setting_model.h"

#include "core/base/text.h"
#include "ui/client/text.h"
#include "ui/models/number_text.h"

#include <QFont>

namespace anneal {

namespace {

QString sourceText(const Json& source) {
    return toQt(source.value("path", std::string())) + " (" +
           toQt(source.value("format", std::string("auto"))) + ")";
}

QString listText(const Json& list) {
    QStringList parts;
    for (const auto& item : list)
        parts.append(item.is_string()   ? toQt(item.get<std::string>())
                     : item.is_object() ? sourceText(item)
                                        : toQt(dumpJson(item)));
    return parts.isEmpty() ? text::dash : parts.join(", ");
}

} // namespace

QString settingText(const Field& field, const Json& value) {
    if (value.is_null())
        return text::dash;
    if (value.is_array())
        return listText(value);
    if (value.is_boolean())
        return value.get<bool>() ? "on" : "off";
    if (value.is_string())
        return value.get<std::string>().empty() ? text::dash : toQt(value.get<std::string>());
    const auto unit = field.unit.empty() ? QString() : " " + toQt(field.unit);
    if (field.kind == FieldKind::Integer)
        return QString::number(value.get<std::int64_t>()) + unit;
    return text::rate(numberFromJson(value)) + unit;
}

void SettingModel::setConfig(const RunConfig& config) {
    config_ = config;
    rebuild();
}

void SettingModel::setOnlyChanged(bool only) {
    onlyChanged_ = only;
    rebuild();
}

void SettingModel::rebuild() {
    static const RunConfig standard;
    beginResetModel();
    items_.clear();
    for (const auto& field : fieldTable()) {
        const auto value = field.read(config_), usual = field.read(standard);
        const bool changed = value != usual;
        if (changed || !onlyChanged_)
            items_.push_back({&field, settingText(field, value), settingText(field, usual), changed});
    }
    endResetModel();
}

int SettingModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(items_.size());
}

int SettingModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant SettingModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const auto& item = items_[index.row()];
    if (role == Qt::DisplayRole)
        return index.column() == Key     ? toQt(item.field->key)
               : index.column() == Value ? item.value
                                         : item.standard;
    if (role == Qt::ToolTipRole)
        return index.column() == Key ? toQt(item.field->help) : item.value;
    if (role == ChangedRole)
        return item.changed;
    if (role == Qt::FontRole && item.changed && index.column() != Default) {
        QFont font;
        font.setBold(true);
        return font;
    }
    return {};
}

QVariant SettingModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char* const titles[] = {"Setting", "This run", "Default"};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= ColumnCount)
        return {};
    return QString(titles[section]);
}

} // namespace anneal
