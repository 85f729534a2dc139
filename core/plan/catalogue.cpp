#include "core/plan/catalogue.h"

#include "core/base/system.h"
#include "core/base/text.h"
#include "core/schema/yaml_tree.h"

#include <algorithm>
#include <optional>

namespace anneal {

namespace {

/// Nobody rents a GPU outside these bounds (per GPU and hour); public lists hold placeholders such as 0 and
/// 700.
constexpr double lowestRate = 0.02, highestRate = 60;
constexpr double gigabyte = 1e9;
/// Of a card that is not in the list: what a mid-range one does.
constexpr double unknownFlops = 100e12;

std::string textOf(const Json& row, const char* key) {
    const auto found = row.find(key);
    if (found == row.end() || found->is_null() || found->is_structured())
        return {};
    return found->is_string() ? found->get<std::string>() : dumpJson(*found);
}

double numberOf(const Json& row, const char* key) {
    const auto found = row.find(key);
    return found != row.end() && found->is_number() ? found->get<double>() : 0;
}

class CatalogueReader {
public:
    explicit CatalogueReader(const schema::YamlTree& tree) : tree_(tree) {
        catalogue_.problems = tree.problems;
    }

    Catalogue read() {
        forEach("gpus", [this](const Json& row) { return readGpu(row); });
        forEach("machines", [this](const Json& row) { return readOffer(row); });
        return std::move(catalogue_);
    }

private:
    using Complaint = std::optional<std::string>;

    template <class Reader>
    void forEach(const std::string& section, Reader reader) {
        if (!tree_.value.is_object() || !tree_.value.contains(section) || !tree_.value[section].is_array())
            return;
        std::size_t index = 0;
        for (const auto& row : tree_.value[section]) {
            const auto key = section + "." + std::to_string(index++);
            const auto complaint = row.is_object() ? reader(row) : Complaint("is no row of values");
            if (complaint)
                report(key, *complaint);
        }
    }

    void report(const std::string& key, const std::string& complaint) {
        const auto line = tree_.lines.find(key);
        catalogue_.problems.push_back(
            {key, line == tree_.lines.end() ? 0 : line->second, Severity::Warning,
             "The row " + key + " of the price list is left out: it " + complaint + ".",
             "Correct the row, or remove it."});
    }

    Complaint readGpu(const Json& row) {
        GpuKind kind{textOf(row, "name"), numberOf(row, "memory_gb") * gigabyte,
                     numberOf(row, "bf16_tflops") * 1e12};
        if (kind.name.empty() || kind.memory_bytes <= 0 || kind.bf16_flops <= 0)
            return "needs name, memory_gb and bf16_tflops";
        catalogue_.gpus.push_back(std::move(kind));
        return std::nullopt;
    }

    Complaint readOffer(const Json& row) {
        MachineOffer offer{textOf(row, "provider"),
                           textOf(row, "machine"),
                           {},
                           static_cast<std::int64_t>(numberOf(row, "count")),
                           numberOf(row, "hourly"),
                           textOf(row, "currency"),
                           textOf(row, "source"),
                           textOf(row, "date")};
        const auto gpu = std::find_if(catalogue_.gpus.begin(), catalogue_.gpus.end(),
                                      [&](const GpuKind& kind) { return kind.name == textOf(row, "gpu"); });
        if (auto complaint = complaintAbout(offer))
            return complaint;
        if (gpu == catalogue_.gpus.end())
            return "names the GPU " + textOf(row, "gpu") + ", which is not in its list of GPUs";
        offer.gpu = *gpu;
        catalogue_.offers.push_back(std::move(offer));
        return std::nullopt;
    }

    static Complaint complaintAbout(const MachineOffer& offer) {
        if (offer.provider.empty() || offer.machine.empty() || offer.count < 1 || offer.count > 1024)
            return "needs provider, machine and count";
        if (offer.hourly == 0)
            return "has no price";
        const double rate = offer.hourly / static_cast<double>(offer.count);
        if (!(rate >= lowestRate && rate <= highestRate))
            return "has an absurd price, " + formatDouble(offer.hourly) + " an hour";
        if (offer.currency.size() != 3 || offer.source.empty() || offer.date.empty())
            return "needs currency, source and date of its price";
        return std::nullopt;
    }

    const schema::YamlTree& tree_;
    Catalogue catalogue_;
};

/// Letters and digits in lower case, so that "A100-SXM4-40GB" and "A100 40 GB" can be compared.
std::string compact(std::string_view text) {
    std::string letters;
    for (const char c : lowerAscii(text))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            letters += c;
    return letters;
}

/// The model in a kind's name: "A100" of "A100 40 GB", but "H100 PCIe" whole.
std::string modelPart(const std::string& name) {
    const auto words = split(name, ' ');
    return words.size() == 3 && words[2] == "GB" ? std::string(words[0]) : name;
}

} // namespace

GpuKind Catalogue::kindOf(std::string_view deviceName, double memoryBytes) const {
    const auto device = compact(deviceName);
    const GpuKind* best = nullptr;
    std::size_t bestLength = 0;
    for (const auto& kind : gpus) // the longest name that fits: H100 PCIe before H100
        if (const auto model = compact(modelPart(kind.name));
            model.size() > bestLength && device.find(model) != std::string::npos) {
            best = &kind;
            bestLength = model.size();
        }
    return {std::string(deviceName), memoryBytes, best ? best->bf16_flops : unknownFlops};
}

bool matches(const MachineOffer& offer, std::string_view wanted) {
    const auto name = compact(wanted), provider = compact(offer.provider);
    if (name.empty() || !name.starts_with(provider))
        return false;
    const auto rest = name.substr(provider.size());
    return rest.empty() || compact(offer.machine).find(rest) != std::string::npos ||
           compact(offer.gpu.name).find(rest) != std::string::npos;
}

bool Catalogue::knows(std::string_view name) const {
    return std::any_of(offers.begin(), offers.end(),
                       [&](const MachineOffer& offer) { return matches(offer, name); });
}

Catalogue parseCatalogue(std::string_view yaml, const std::string& file) {
    return CatalogueReader(schema::readYaml(yaml, file)).read();
}

Result<Catalogue> loadCatalogue(const fs::path& path) {
    ANNEAL_TRY(const auto text, readFile(path, 4u << 20));
    return parseCatalogue(text, path.string());
}

Result<Catalogue> loadCatalogue() { return loadCatalogue(presetsFolder() / "machines.yaml"); }

} // namespace anneal
