#include "core/data/token_store_writer.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace anneal {

namespace {

constexpr std::size_t bufferSize = 1 << 20;

/// Tells the kernel that a folder's entries must reach the disk.
Status syncFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return fileError("open folder", folder, errno);
    ::fsync(descriptor); // some network file systems refuse to sync folders; the files are synced
    ::close(descriptor);
    return {};
}

} // namespace

BinaryWriter::BinaryWriter(BinaryWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)) {}

BinaryWriter& BinaryWriter::operator=(BinaryWriter&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(path_, other.path_);
    std::swap(buffer_, other.buffer_);
    return *this;
}

BinaryWriter::~BinaryWriter() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

Result<BinaryWriter> BinaryWriter::create(const fs::path& path) {
    BinaryWriter writer;
    writer.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (writer.descriptor_ < 0)
        return fileError("write", path, errno);
    writer.path_ = path;
    writer.buffer_.reserve(bufferSize);
    return writer;
}

Status BinaryWriter::write(std::span<const std::byte> bytes) {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return buffer_.size() < bufferSize ? Status() : flush();
}

Status BinaryWriter::flush() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const auto written = ::write(descriptor_, left.data(), left.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fileError("write", path_, errno);
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
    return {};
}

Status BinaryWriter::finish(bool durable) {
    ANNEAL_CHECK(flush());
    if (durable && ::fsync(descriptor_) != 0)
        return fileError("write", path_, errno);
    // A full network disk may only say so here.
    if (::close(std::exchange(descriptor_, -1)) != 0)
        return fileError("write", path_, errno);
    return {};
}

Result<TokenStoreWriter> TokenStoreWriter::create(const fs::path& folder, bool durable) {
    ANNEAL_CHECK(makePrivateFolder(folder));
    TokenStoreWriter writer;
    writer.folder_ = folder;
    writer.durable_ = durable;
    ANNEAL_TRY(writer.tokenFile_, BinaryWriter::create(folder / tokenStoreTokensName));
    ANNEAL_TRY(writer.offsetFile_, BinaryWriter::create(folder / tokenStoreOffsetsName));
    ANNEAL_CHECK(writer.offsetFile_.write(std::as_bytes(std::span(&writer.tokens_, 1))));
    return writer;
}

Status TokenStoreWriter::add(std::span<const std::uint32_t> tokens) {
    if (tokens.empty())
        return {};
    const std::uint32_t first = tokenId(tokens.front());
    const auto rest = tokens.subspan(1);
    ANNEAL_CHECK(tokenFile_.write(std::as_bytes(std::span(&first, 1))));
    ANNEAL_CHECK(tokenFile_.write(std::as_bytes(rest)));
    ++rows_;
    tokens_ += tokens.size();
    supervised_ += static_cast<std::uint64_t>(std::ranges::count_if(rest, isSupervised));
    return offsetFile_.write(std::as_bytes(std::span(&tokens_, 1)));
}

void TokenStoreWriter::endSource(const std::string& path, double weight) {
    sources_.push_back({{"path", path}, {"weight", weight}, {"end", rows_}});
}

Status TokenStoreWriter::finish(Json summary) {
    ANNEAL_CHECK(tokenFile_.finish(durable_));
    ANNEAL_CHECK(offsetFile_.finish(durable_));
    summary["rows"] = rows_;
    summary["tokens"] = tokens_;
    summary["supervised_tokens"] = supervised_;
    const Json index = {
        {"version", tokenStoreVersion},     {"rows", rows_},       {"tokens", tokens_},
        {"supervised_tokens", supervised_}, {"sources", sources_}, {"summary", std::move(summary)}};
    ANNEAL_CHECK(writeFileAtomic(folder_ / tokenStoreIndexName, dumpJsonPretty(index)));
    return durable_ ? syncFolder(folder_) : Status();
}

} // namespace anneal
