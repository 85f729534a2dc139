#pragma once
#include "core/modelfile/safetensors.h"

#include <QtTest>
#include <vector>

namespace anneal::test {

inline fs::path goldenFolder() { return fs::path(ANNEAL_SOURCE_DIR) / "tests/golden/data"; }

/// A file of reference tensors.
class Golden {
public:
    explicit Golden(const fs::path& name) {
        auto opened = SafetensorsFile::open(goldenFolder() / name);
        if (!opened.ok())
            qFatal("%s", opened.error().text().c_str());
        file_ = *std::move(opened);
    }

    const TensorView& view(const std::string& name) const {
        const auto* found = file_->find(name);
        if (!found)
            qFatal("no golden tensor %s", name.c_str());
        return *found;
    }
    bool has(const std::string& name) const { return file_->find(name) != nullptr; }
    const SafetensorsFile& file() const { return *file_; }

    /// Any floating type as fp32.
    std::vector<float> floats(const std::string& name) const {
        const auto& tensor = view(name);
        std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
        const auto status = readRows(tensor, 0, tensor.rows(), values);
        if (!status.ok())
            qFatal("%s", status.error().text().c_str());
        return values;
    }
    template <class T>
    std::vector<T> raw(const std::string& name) const {
        const auto bytes = view(name).bytes;
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
        return values;
    }

private:
    std::shared_ptr<SafetensorsFile> file_;
};

/// |a - b| / |b| over all elements.
inline double relativeDifference(std::span<const float> a, std::span<const float> b) {
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
        norm += double(b[i]) * b[i];
    }
    return std::sqrt(difference / std::max(norm, 1e-300));
}

} // namespace anneal::test
