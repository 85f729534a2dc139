#include "core/runfolder/tensorboard.h"

#include "core/base/system.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>

namespace anneal {

namespace {

static_assert(std::endian::native == std::endian::little,
              "fixed-width fields are written as they lie in memory");

constexpr auto crcTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1) ? 0x82F63B78u : 0u);
        table[i] = value;
    }
    return table;
}();

std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

template <class T>
std::string fixedBytes(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

// Protocol buffer fields: a tag (number and wire type), then the value.
enum class Wire : std::uint64_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void addVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}
void addTag(std::string& out, std::uint64_t number, Wire wire) {
    addVarint(out, number << 3 | static_cast<std::uint64_t>(wire));
}
void addDouble(std::string& out, std::uint64_t number, double value) {
    addTag(out, number, Wire::Fixed64);
    out += fixedBytes(value);
}
void addFloat(std::string& out, std::uint64_t number, float value) {
    addTag(out, number, Wire::Fixed32);
    out += fixedBytes(value);
}
void addInteger(std::string& out, std::uint64_t number, std::int64_t value) {
    addTag(out, number, Wire::Varint);
    addVarint(out, static_cast<std::uint64_t>(value));
}
void addBytes(std::string& out, std::uint64_t number, std::string_view value) {
    addTag(out, number, Wire::Bytes);
    addVarint(out, value.size());
    out += value;
}

std::string fileName() {
    return "events.out.tfevents." + std::to_string(static_cast<std::int64_t>(unixSeconds())) + "." +
           hostName() + "." + std::to_string(::getpid());
}

} // namespace

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const char byte : bytes)
        crc = (crc >> 8) ^ crcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
    return ~crc;
}

Result<TensorBoardWriter> TensorBoardWriter::open(const fs::path& folder) {
    ANNEAL_CHECK(makePrivateFolder(folder));
    const auto path = folder / fileName();
    TensorBoardWriter writer;
    writer.file_.open(path, std::ios::binary | std::ios::app);
    if (!writer.file_)
        return fileError("write", path, errno);
    std::string event;
    addDouble(event, 1, unixSeconds());
    addBytes(event, 3, "brain.Event:2");
    writer.writeRecord(event);
    return writer;
}

void TensorBoardWriter::scalar(std::string_view tag, double value, std::int64_t step) {
    std::string entry, summary, event;
    addBytes(entry, 1, tag);
    addFloat(entry, 2, static_cast<float>(value));
    addBytes(summary, 1, entry);
    addDouble(event, 1, unixSeconds());
    addInteger(event, 2, step);
    addBytes(event, 5, summary);
    writeRecord(event);
}

void TensorBoardWriter::writeRecord(std::string_view payload) {
    const auto length = fixedBytes(static_cast<std::uint64_t>(payload.size()));
    file_ << length << fixedBytes(masked(crc32c(length))) << payload << fixedBytes(masked(crc32c(payload)));
    file_.flush();
}

} // namespace anneal
