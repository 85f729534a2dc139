#pragma once
#include "core/base/files.h"

#include <cstdint>
#include <string>

namespace anneal {

/// Wall-clock seconds since the epoch, for records.
double unixSeconds();
/// Seconds of a clock that never jumps, for durations.
double monotonicSeconds();

std::string hostName();
/// The kernel's random id of this boot; empty where /proc is missing.
std::string bootId();
/// Start time of a process in clock ticks since boot (field 22 of /proc/PID/stat), 0 when it does not exist.
/// With host, boot id and pid it names a process for good: pids are reused.
std::uint64_t processStartTime(int pid);

/// $ANNEAL_RUNS_DIR, else $XDG_DATA_HOME/anneal/runs, else ~/.local/share/anneal/runs.
fs::path runsFolder();
/// $ANNEAL_CACHE_DIR, else $XDG_CACHE_HOME/anneal, else ~/.cache/anneal.
fs::path cacheFolder();
/// Where Hugging Face keeps its hub cache: $HF_HUB_CACHE, else $HF_HOME/hub, else ~/.cache/huggingface/hub.
fs::path hubCacheFolder();
/// Recipes and the price list: $ANNEAL_PRESETS_DIR, else ../share/anneal/presets beside the program where it
/// is installed, else the nearest folder `presets` above the program.
fs::path presetsFolder();
/// Folder of the running program, symbolic links followed.
fs::path programFolder();

} // namespace anneal
