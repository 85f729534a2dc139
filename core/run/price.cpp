#include "core/run/price.h"

#include "core/plan/plan.h"
#include "core/run/machine_report.h"

#include <algorithm>

namespace anneal {

std::optional<double> catalogueRate(const RunConfig& config) {
    if (config.cost.provider.empty() || config.cost.hourly_rate)
        return std::nullopt;
    const auto catalogue = loadCatalogue();
    if (!catalogue)
        return std::nullopt;
    std::vector<MachineOffer> offers;
    std::ranges::copy_if(catalogue->offers, std::back_inserter(offers),
                         [&](const MachineOffer& offer) { return matches(offer, config.cost.provider); });
    const auto machine = localMachine();
    if (!machine.gpus.empty()) {
        const auto kind = catalogue->kindOf(machine.gpus[0].name, machine.gpus[0].memory_bytes).name;
        const auto same = [&](const MachineOffer& offer) { return offer.gpu.name == kind; };
        if (std::ranges::any_of(offers, same))
            std::erase_if(offers, [&](const MachineOffer& offer) { return !same(offer); });
    }
    if (offers.empty())
        return std::nullopt;
    const auto cheapest = std::ranges::min_element(offers, {}, &MachineOffer::hourly);
    return cheapest->hourly * static_cast<double>(std::max<std::int64_t>(1, config.hardware.nodes));
}

} // namespace anneal
