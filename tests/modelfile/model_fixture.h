#pragma once
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/modelfile/safetensors.h"

#include <QCryptographicHash>
#include <QTemporaryDir>
#include <cstring>
#include <fstream>

namespace anneal::test {

/// A folder that is removed at the end of a test.
class TemporaryFolder {
public:
    fs::path path() const { return directory_.path().toStdString(); }
    fs::path file(const std::string& name, std::string_view content) const {
        fs::create_directories((path() / name).parent_path());
        std::ofstream(path() / name, std::ios::binary) << content;
        return path() / name;
    }

private:
    QTemporaryDir directory_;
};

inline std::string sha1(const std::vector<float>& values) {
    const QByteArrayView bytes(reinterpret_cast<const char*>(values.data()),
                               static_cast<qsizetype>(values.size() * sizeof(float)));
    return QCryptographicHash::hash(bytes.toByteArray(), QCryptographicHash::Sha1).toHex().toStdString();
}

template <class T>
void append(std::string& text, T value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Builds a GGUF file byte by byte, right or wrong.
class GgufBuilder {
public:
    explicit GgufBuilder(std::uint32_t version = 3) : version_(version) {}

    GgufBuilder& text(std::string_view key, std::string_view value) {
        begin(key, 8);
        string(metadata_, value);
        return *this;
    }
    GgufBuilder& number(std::string_view key, std::uint32_t value) {
        begin(key, 4);
        append(metadata_, value);
        return *this;
    }
    GgufBuilder& real(std::string_view key, float value) {
        begin(key, 6);
        append(metadata_, value);
        return *this;
    }
    GgufBuilder& flag(std::string_view key, bool value) {
        begin(key, 7);
        append(metadata_, static_cast<std::uint8_t>(value));
        return *this;
    }
    GgufBuilder& texts(std::string_view key, const std::vector<std::string>& values) {
        begin(key, 9);
        append(metadata_, std::uint32_t{8});
        append(metadata_, static_cast<std::uint64_t>(values.size()));
        for (const auto& value : values)
            string(metadata_, value);
        return *this;
    }
    GgufBuilder& tensor(std::string_view name, std::vector<std::uint64_t> dims, std::uint32_t type,
                        std::string_view bytes) {
        string(list_, name);
        append(list_, static_cast<std::uint32_t>(dims.size()));
        for (const auto dim : dims)
            append(list_, dim);
        append(list_, type);
        append(list_, static_cast<std::uint64_t>(data_.size()));
        data_ += bytes;
        data_.resize((data_.size() + 31) / 32 * 32, '\0');
        ++tensors_;
        return *this;
    }
    std::string bytes() const {
        std::string file = "GGUF";
        append(file, version_);
        append(file, tensors_);
        append(file, values_);
        file += metadata_ + list_;
        file.resize((file.size() + 31) / 32 * 32, '\0');
        return file + data_;
    }

private:
    void begin(std::string_view key, std::uint32_t type) {
        string(metadata_, key);
        append(metadata_, type);
        ++values_;
    }
    static void string(std::string& to, std::string_view text) {
        append(to, static_cast<std::uint64_t>(text.size()));
        to += text;
    }

    std::uint32_t version_;
    std::uint64_t tensors_ = 0, values_ = 0;
    std::string metadata_, list_, data_;
};

/// The smallest complete llama: one layer, hidden size 4, two heads, three words.
inline GgufBuilder tinyGguf(std::uint32_t version = 3) {
    GgufBuilder builder(version);
    builder.text("general.architecture", "llama")
        .text("general.name", "tiny")
        .number("llama.embedding_length", 4);
    builder.number("llama.feed_forward_length", 8)
        .number("llama.block_count", 1)
        .number("llama.context_length", 16);
    builder.number("llama.attention.head_count", 2).number("llama.attention.head_count_kv", 1);
    builder.real("llama.attention.layer_norm_rms_epsilon", 1e-5f).real("llama.rope.freq_base", 10000.0f);
    builder.text("tokenizer.ggml.model", "gpt2").texts("tokenizer.ggml.tokens", {"a", "b", "c"});
    builder.number("tokenizer.ggml.bos_token_id", 1).number("tokenizer.ggml.eos_token_id", 2);
    builder.flag("tokenizer.ggml.add_bos_token", true).text("tokenizer.chat_template", "{{ messages }}");
    const auto floats = [](std::size_t count) {
        std::string bytes;
        for (std::size_t i = 0; i < count; ++i)
            append(bytes, static_cast<float>(i));
        return bytes;
    };
    builder.tensor("token_embd.weight", {4, 3}, 0, floats(12))
        .tensor("output_norm.weight", {4}, 0, floats(4));
    builder.tensor("blk.0.attn_norm.weight", {4}, 0, floats(4))
        .tensor("blk.0.ffn_norm.weight", {4}, 0, floats(4));
    builder.tensor("blk.0.attn_q.weight", {4, 4}, 0, floats(16))
        .tensor("blk.0.attn_k.weight", {4, 2}, 0, floats(8));
    builder.tensor("blk.0.attn_v.weight", {4, 2}, 0, floats(8))
        .tensor("blk.0.attn_output.weight", {4, 4}, 0, floats(16));
    builder.tensor("blk.0.ffn_gate.weight", {4, 8}, 0, floats(32))
        .tensor("blk.0.ffn_up.weight", {4, 8}, 0, floats(32));
    builder.tensor("blk.0.ffn_down.weight", {8, 4}, 0, floats(32));
    return builder;
}

} // namespace anneal::test
