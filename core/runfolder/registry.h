#pragma once
#include "core/runfolder/run_folder.h"

namespace anneal {

/// The run folders inside `runs`, newest first. A folder that cannot be read is left out.
std::vector<RunFolder> listRuns(const fs::path& runs);

/// What RUN on the command line means: the path of a run folder, `last`, an id, or a unique prefix of one.
Result<RunFolder> resolveRun(const std::string& run, const fs::path& runs);

/// `name` with everything but letters, digits, '.', '_' and '-' replaced, fit to be a folder; empty when
/// nothing is left.
std::string sanitizedRunName(std::string_view name);

/// Makes <runs>/<id>/ with its folders. With `id` exactly that (an error when it is taken or no folder name),
/// else name and local time, made unique.
Result<RunFolder> createRunFolder(const fs::path& runs, const std::optional<std::string>& id,
                                  std::string_view name);

} // namespace anneal
