#pragma once
#include "core/base/files.h"
#include "core/schema/problem.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anneal {

/// What one GPU of a kind gives.
struct GpuKind {
    std::string name;
    double memory_bytes = 0;
    double bf16_flops = 0; ///< dense peak, FLOP/s
};

/// A machine that can be rented, with a dated and sourced price.
struct MachineOffer {
    std::string provider, machine;
    GpuKind gpu;
    std::int64_t count = 0; ///< GPUs
    double hourly = 0;      ///< of the whole machine
    std::string currency, source, date;
};

struct Catalogue {
    std::vector<GpuKind> gpus;
    std::vector<MachineOffer> offers;
    Problems problems; ///< rows that were left out, and why

    /// The kind a driver's name ("NVIDIA H100 80GB HBM3") speaks of; one of unknown speed when it is none of
    /// ours.
    GpuKind kindOf(std::string_view deviceName, double memoryBytes) const;
    /// Whether `name` is a provider here, or a provider and a machine or GPU of it ("Lambda H100").
    bool knows(std::string_view name) const;
};

/// Whether `wanted` (cost.provider) means this offer.
bool matches(const MachineOffer& offer, std::string_view wanted);

/// Reads a catalogue; rows with a blank or absurd price, unknown GPU or no source and date are left out as
/// problems.
Catalogue parseCatalogue(std::string_view yaml, const std::string& file = {});
Result<Catalogue> loadCatalogue(const fs::path& path);
/// machines.yaml of the presets folder.
Result<Catalogue> loadCatalogue();

} // namespace anneal
