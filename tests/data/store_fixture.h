#pragma once
#include "core/data/token_store_writer.h"

#include <QTemporaryDir>

namespace anneal::test {

/// A folder that is removed at the end of a test.
class TemporaryFolder {
public:
    fs::path path() const { return directory_.path().toStdString(); }
    /// Writes `content` to a file of this name and gives its path.
    std::string file(const std::string& name, std::string_view content) const {
        (void)writeFileAtomic(path() / name, content);
        return (path() / name).string();
    }

private:
    QTemporaryDir directory_;
};

/// A source of a store: the lengths of its rows, and its weight.
struct StoredSource {
    std::vector<std::uint32_t> lengths;
    double weight = 1.0;
};

/// Writes a store whose tokens say in which row they are.
inline Status writeStore(const fs::path& folder, const std::vector<StoredSource>& sources) {
    ANNEAL_TRY(auto writer, TokenStoreWriter::create(folder));
    std::uint32_t row = 0;
    for (const auto& source : sources) {
        for (const auto length : source.lengths) {
            const std::vector<std::uint32_t> tokens(length, row++ | supervisedBit);
            ANNEAL_CHECK(writer.add(tokens));
        }
        writer.endSource("source", source.weight);
    }
    return writer.finish(Json{{"fingerprint", "f"}});
}

} // namespace anneal::test
