#pragma once
#include "core/base/files.h"
#include "core/base/json.h"

namespace anneal {

/// Copies a checkpoint's adapter into a new PEFT folder and reads it back: {"format", "path", "files",
/// "bytes", "checked": {"tensors", "parameters", "nonzero_b"}}. An output folder that holds other files is
/// refused.
Result<Json> exportAdapter(const fs::path& checkpoint, const fs::path& output);

} // namespace anneal
