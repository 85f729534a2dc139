#pragma once
#include "core/base/files.h"

#include <cstdint>
#include <fstream>
#include <string_view>

namespace anneal {

/// Writes scalars as a TensorBoard event file. Records follow the TFRecord framing (length, masked CRC-32C of
/// it, payload, masked CRC-32C of that); the payload is an Event message, encoded by hand.
class TensorBoardWriter {
public:
    /// A new file in `folder`, which is made if needed; earlier files of the run stay beside it.
    static Result<TensorBoardWriter> open(const fs::path& folder);

    /// A full disk loses points of this view, never the run: failures are left to the stream.
    void scalar(std::string_view tag, double value, std::int64_t step);

private:
    void writeRecord(std::string_view payload);

    std::ofstream file_;
};

/// CRC-32C (Castagnoli) of `bytes`, as RFC 3720 states it.
std::uint32_t crc32c(std::string_view bytes);

} // namespace anneal
