#pragma once
#include "core/base/json.h"
#include "core/schema/problem.h"
#include "core/schema/run_config.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// What a setting holds; decides its form control and how its text is read.
enum class FieldKind { Text, Path, Choice, Boolean, Integer, Number, TextList, Sources };
enum class FieldLevel { Basic, Expert };

/// One setting: the row from which the YAML reader and writer, --set, validation, forms and help come.
struct Field {
    std::string_view key; ///< dotted: "training.learning_rate"
    FieldKind kind;
    bool optional = false;                  ///< may be null
    std::vector<std::string> choices;       ///< allowed or well-known values; of Sources: the formats
    bool closed = false;                    ///< nothing but `choices` is allowed
    std::optional<double> minimum, maximum; ///< inclusive unless said otherwise, numbers only
    bool minimumExclusive = false;
    bool maximumExclusive = false;
    std::string_view unit;  ///< "tokens", "steps", "min", "USD/h"; empty: none
    std::string_view label; ///< "Learning rate"
    std::string_view help;  ///< one or two sentences
    std::string_view
        group; ///< the page section: Model, Data, LoRA, Training, Evaluation, Hardware, Cost, ...
    FieldLevel level = FieldLevel::Basic;
    bool prose = false;           ///< a text of several lines
    std::string_view visibleWhen; ///< "quantization.type=nf4"; empty: always
    std::string_view since = "0.1";
    std::vector<std::string> aliases; ///< names of PEFT, TRL, LLaMA-Factory, axolotl for the same setting
    std::function<Json(const RunConfig&)> read;
    /// Stores a value; returns what is wrong with its type, or nothing.
    std::function<std::optional<std::string>(RunConfig&, const Json&)> write;
};

/// Every setting in the order of the YAML file.
std::span<const Field> fieldTable();
/// The row of a dotted key, or nullptr.
const Field* findField(std::string_view key);
/// The key that a user who wrote `unknown` most likely meant: another tool's name first, then the nearest.
std::optional<std::string> suggestKey(std::string_view unknown);

} // namespace anneal
