#pragma once
#include "core/schema/field_table.h"

#include <QString>

#include <optional>

namespace anneal {

/// A change of one setting that a problem's fix proposes in so many words.
struct ProposedFix {
    const Field* field;
    Json value;
};

/// Reads the fix of a problem ("Use auto.", "0.05 is usual.", "Set lora.use_dora to false.", "Did you mean
/// cosine?"); nullopt when it proposes nothing that the setting would take.
std::optional<ProposedFix> proposedFix(const Problem& problem);

/// The setting a problem's key belongs to: itself, or the list it is an item of ("data.train.0.path" ->
/// data.train).
const Field* fieldOfProblem(const std::string& key);

} // namespace anneal
