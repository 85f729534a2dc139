#pragma once
#include "core/data/data_report.h"
#include "core/data/data_tools.h"
#include "core/data/prepare.h"
#include "core/data/row_stream.h"
#include "core/data/token_store_writer.h"
#include "core/data/validation_split.h"

namespace anneal {

/// Builds the stores of a data set in a folder: train/ and validation/.
class StoreBuilder {
public:
    StoreBuilder(const RunConfig& config, const DataTools& tools, std::string fingerprint,
                 const PrepareCallback& progress, const CancelToken& cancel);

    Status build(const fs::path& folder);

private:
    /// Rows of some sources, written to one store.
    struct Written {
        DataReport report;
        std::vector<RowKeys> keys; ///< of every row
        Json sources = Json::array();
    };

    Result<Written> writeSources(const std::vector<DataSource>& sources, TokenStoreWriter& writer,
                                 bool keepKeys);
    Status writeSource(const DataSource& source, TokenStoreWriter& writer, Written& written, bool keepKeys);
    Status split(const fs::path& all, const fs::path& folder, const Written& written, double share);
    Status writeValidationFile(const fs::path& folder);
    Json summary(const Written& written) const;
    /// Calls back at most a few times a second.
    void report(const std::string& phase, std::int64_t done, std::int64_t total, const std::string& unit);

    const RunConfig& config_;
    std::string fingerprint_;
    const PrepareCallback& progress_;
    const CancelToken& cancel_;
    RowEncoder encoder_;
    unsigned threads_;
    std::uint64_t bytesBefore_ = 0, totalBytes_ = 0;
    double lastReport_ = 0;
    std::string complete_; ///< the phase whose end was told
};

} // namespace anneal
