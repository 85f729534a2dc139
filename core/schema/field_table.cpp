#include "core/schema/field_table.h"

#include "core/schema/field_builder.h"

#include <map>

namespace anneal {

namespace schema {

void append(std::vector<Field>& table, std::string_view group, Rows rows) {
    for (auto& row : rows)
        table.push_back(std::move(row).take(group));
}

} // namespace schema

std::span<const Field> fieldTable() {
    static const auto table = [] {
        std::vector<Field> fields;
        schema::appendGeneralFields(fields);
        schema::appendModelFields(fields);
        schema::appendDataFields(fields);
        schema::appendTrainingFields(fields);
        schema::appendHardwareFields(fields);
        schema::appendEvaluationFields(fields);
        schema::appendOperationFields(fields);
        return fields;
    }();
    return table;
}

const Field* findField(std::string_view key) {
    static const auto index = [] {
        std::map<std::string_view, const Field*> rows;
        for (const auto& field : fieldTable())
            rows.emplace(field.key, &field);
        return rows;
    }();
    const auto found = index.find(key);
    return found == index.end() ? nullptr : found->second;
}

} // namespace anneal
