#include "core/runfolder/run_folder.h"

#include "core/base/hash.h"
#include "core/base/text.h"

#include <algorithm>

namespace anneal {

namespace {

constexpr const char* manifestName = "manifest.json";
constexpr std::uint64_t maxManifestBytes = 4u << 20;

struct ManifestFile {
    std::string name;
    std::int64_t bytes = 0;
    std::string xxh3;
    static constexpr auto fields() {
        using T = ManifestFile;
        return std::tuple{field("name", &T::name), field("bytes", &T::bytes), field("xxh3", &T::xxh3)};
    }
};

struct Manifest {
    std::vector<ManifestFile> files;
    static constexpr auto fields() { return std::tuple{field("files", &Manifest::files)}; }
};

Error notACheckpoint(const fs::path& checkpoint, const std::string& why) {
    return invalidInput(checkpoint.string() + " is not a whole checkpoint: " + why + ".",
                        "Use another checkpoint.");
}

Result<Manifest> readManifest(const fs::path& checkpoint) {
    const auto json = readJsonFile(checkpoint / manifestName, maxManifestBytes);
    if (!json)
        return notACheckpoint(checkpoint, "it has no readable manifest.json");
    Manifest manifest;
    if (!fromJson(*json, manifest) || manifest.files.empty())
        return notACheckpoint(checkpoint, "its manifest.json lists no files");
    return manifest;
}

/// A manifest names files of its own folder only.
bool isPlainName(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

Status verifyFile(const fs::path& checkpoint, const ManifestFile& file, bool hashes) {
    if (!isPlainName(file.name))
        return notACheckpoint(checkpoint, "its manifest names a file outside");
    const auto path = checkpoint / file.name;
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error)
        return notACheckpoint(checkpoint, file.name + " is missing");
    if (size != static_cast<std::uint64_t>(file.bytes))
        return notACheckpoint(checkpoint, file.name + " has " + std::to_string(size) + " bytes instead of " +
                                              std::to_string(file.bytes));
    if (!hashes)
        return {};
    ANNEAL_TRY(const auto hash, hexHashFile(path));
    return hash == file.xxh3 ? Status()
                             : notACheckpoint(checkpoint, file.name + " has changed since it was written");
}

std::optional<std::int64_t> stepOfFolder(const fs::path& path) {
    const auto name = path.filename().string();
    return name.starts_with("step-") ? parseInteger(std::string_view(name).substr(5)) : std::nullopt;
}

std::int64_t manifestBytes(const fs::path& checkpoint) {
    std::int64_t total = 0;
    if (const auto manifest = readManifest(checkpoint))
        for (const auto& file : manifest->files)
            total += file.bytes;
    return total;
}

} // namespace

Status writeManifest(const fs::path& checkpoint) {
    Manifest manifest;
    std::error_code error;
    for (fs::directory_iterator it(checkpoint, error), end; !error && it != end; it.increment(error)) {
        const auto name = it->path().filename().string();
        if (name == manifestName || !it->is_regular_file())
            continue;
        ANNEAL_TRY(auto hash, hexHashFile(it->path()));
        manifest.files.push_back({name, static_cast<std::int64_t>(it->file_size()), std::move(hash)});
    }
    if (error)
        return fileError("list", checkpoint, error.value());
    std::ranges::sort(manifest.files, {}, &ManifestFile::name);
    return writeFileAtomic(checkpoint / manifestName, dumpJsonPretty(toJson(manifest)));
}

Status verifyManifest(const fs::path& checkpoint, bool hashes) {
    ANNEAL_TRY(const auto manifest, readManifest(checkpoint));
    for (const auto& file : manifest.files)
        ANNEAL_CHECK(verifyFile(checkpoint, file, hashes));
    return {};
}

std::vector<CheckpointInfo> listCheckpoints(const RunFolder& folder, bool verifyHashes) {
    std::vector<CheckpointInfo> found;
    std::error_code error;
    for (fs::directory_iterator it(folder.checkpoints(), error), end; !error && it != end;
         it.increment(error))
        if (const auto step = stepOfFolder(it->path()); step && verifyManifest(it->path(), verifyHashes))
            found.push_back({*step, it->path(), manifestBytes(it->path())});
    std::ranges::sort(found, {}, &CheckpointInfo::step);
    return found;
}

} // namespace anneal
