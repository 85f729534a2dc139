#include "core/data/tokenizer_json_steps.h"

#include <map>

namespace anneal {

namespace {

Error unsupported(std::string_view part, std::string_view type) {
    return invalidInput("The tokenizer's " + std::string(part) + " has a step \"" + std::string(type) +
                            "\", which is not supported.",
                        "Use a model with another tokenizer.");
}

/// Calls `each` for the elements of `key`; false when it is no list.
template <class Each>
Result<bool> forEach(JsonValue value, const char* key, Each each) {
    simdjson::dom::array list;
    if (value[key].get_array().get(list) != simdjson::SUCCESS)
        return false;
    for (const auto item : list)
        ANNEAL_CHECK(each(JsonValue(simdjson::dom::element(item))));
    return true;
}

Result<SplitBehavior> behaviorOf(JsonValue value) {
    static const std::map<std::string_view, SplitBehavior> names{
        {"Isolated", SplitBehavior::Isolated},
        {"Removed", SplitBehavior::Removed},
        {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
        {"MergedWithNext", SplitBehavior::MergedWithNext},
        {"Contiguous", SplitBehavior::Contiguous}};
    const auto found = names.find(textOr(value["behavior"], "Isolated"));
    if (found == names.end())
        return unsupported("Split", textOr(value["behavior"], ""));
    return found->second;
}

Status readSplit(JsonValue value, BpePipeline& pipeline) {
    ANNEAL_TRY(const auto behavior, behaviorOf(value));
    const bool invert = flagOr(value["invert"], false);
    const auto regex = textOr(value["pattern"]["Regex"], "");
    if (regex.empty()) {
        pipeline.splitters.push_back(
            Splitter::literal(std::string(textOr(value["pattern"]["String"], "")), behavior, invert));
        return {};
    }
    ANNEAL_TRY(auto splitter, Splitter::pattern(regex, behavior, invert));
    pipeline.splitters.push_back(std::move(splitter));
    return {};
}

Status readByteLevel(JsonValue value, BpePipeline& pipeline) {
    pipeline.model.byteLevel = true;
    if (flagOr(value["add_prefix_space"], true)) {
        if (!pipeline.splitters.empty())
            return unsupported("pre_tokenizer", "ByteLevel with add_prefix_space behind a split");
        TextStep step;
        step.kind = TextStep::Kind::PrefixSpace;
        pipeline.wordSteps.push_back(step);
    }
    if (!flagOr(value["use_regex"], true))
        return {};
    ANNEAL_TRY(auto splitter, Splitter::pattern(gpt2Pattern, SplitBehavior::Isolated, false));
    pipeline.splitters.push_back(std::move(splitter));
    return {};
}

/// Old files say add_prefix_space where new ones have prepend_scheme.
TextStep::Prefix prefixOf(JsonValue value) {
    const auto scheme =
        textOr(value["prepend_scheme"], flagOr(value["add_prefix_space"], true) ? "always" : "never");
    return scheme == "never"   ? TextStep::Prefix::Never
           : scheme == "first" ? TextStep::Prefix::First
                               : TextStep::Prefix::Always;
}

Status readMetaspace(JsonValue value, BpePipeline& pipeline) {
    if (!pipeline.splitters.empty())
        return unsupported("pre_tokenizer", "Metaspace behind a split");
    TextStep step;
    step.kind = TextStep::Kind::Metaspace;
    step.content = textOr(value["replacement"], "\xE2\x96\x81");
    step.prefix = prefixOf(value);
    if (flagOr(value["split"], true))
        pipeline.splitters.push_back(Splitter::literal(step.content, SplitBehavior::MergedWithNext, false));
    pipeline.wordSteps.push_back(std::move(step));
    return {};
}

Status readPreTokenizerStep(JsonValue value, BpePipeline& pipeline) {
    const auto type = textOr(value["type"], "");
    if (type == "Sequence") {
        ANNEAL_TRY(const bool list, forEach(value, "pretokenizers", [&](JsonValue part) {
                       return readPreTokenizerStep(part, pipeline);
                   }));
        return list ? Status() : unsupported("pre_tokenizer", type);
    }
    if (type == "ByteLevel")
        return readByteLevel(value, pipeline);
    if (type == "Split")
        return readSplit(value, pipeline);
    if (type == "Metaspace")
        return readMetaspace(value, pipeline);
    if (type != "Digits")
        return unsupported("pre_tokenizer", type);
    pipeline.splitters.push_back(Splitter::digits(flagOr(value["individual_digits"], false)));
    return {};
}

} // namespace

std::string_view textOr(JsonValue value, std::string_view fallback) {
    std::string_view text;
    return value.get_string().get(text) == simdjson::SUCCESS ? text : fallback;
}

bool flagOr(JsonValue value, bool fallback) {
    bool flag = false;
    return value.get_bool().get(flag) == simdjson::SUCCESS ? flag : fallback;
}

bool isAbsent(JsonValue value) { return value.error() != simdjson::SUCCESS || value.is_null(); }

Status readNormalizer(JsonValue value, std::vector<TextStep>& steps) {
    static const std::map<std::string_view, TextStep::Kind> plain{{"NFC", TextStep::Kind::Nfc},
                                                                  {"NFD", TextStep::Kind::Nfd},
                                                                  {"NFKC", TextStep::Kind::Nfkc},
                                                                  {"NFKD", TextStep::Kind::Nfkd},
                                                                  {"Lowercase", TextStep::Kind::Lowercase}};
    if (isAbsent(value))
        return {};
    const auto type = textOr(value["type"], "");
    TextStep step;
    if (type == "Sequence") {
        ANNEAL_TRY(const bool list, forEach(value, "normalizers",
                                            [&](JsonValue part) { return readNormalizer(part, steps); }));
        return list ? Status() : unsupported("normalizer", type);
    }
    if (const auto found = plain.find(type); found != plain.end()) {
        step.kind = found->second;
    } else if (type == "Prepend") {
        step.kind = TextStep::Kind::Prepend;
        step.content = textOr(value["prepend"], "");
    } else if (type == "Replace" && !textOr(value["pattern"]["String"], "").empty()) {
        step.kind = TextStep::Kind::Replace;
        step.pattern = textOr(value["pattern"]["String"], "");
        step.content = textOr(value["content"], "");
    } else {
        return unsupported("normalizer", type);
    }
    steps.push_back(std::move(step));
    return {};
}

Status readPreTokenizer(JsonValue value, BpePipeline& pipeline) {
    pipeline.model.byteLevel = false;
    return isAbsent(value) ? Status() : readPreTokenizerStep(value, pipeline);
}

Status readDecoder(JsonValue value, std::vector<DecodeStep>& steps) {
    if (isAbsent(value))
        return unsupported("decoder", "null");
    const auto type = textOr(value["type"], "");
    DecodeStep step;
    if (type == "Sequence") {
        ANNEAL_TRY(const bool list,
                   forEach(value, "decoders", [&](JsonValue part) { return readDecoder(part, steps); }));
        return list ? Status() : unsupported("decoder", type);
    }
    if (type == "ByteLevel") {
        step.kind = DecodeStep::Kind::ByteLevel;
    } else if (type == "ByteFallback") {
        step.kind = DecodeStep::Kind::ByteFallback;
    } else if (type == "Fuse") {
        step.kind = DecodeStep::Kind::Fuse;
    } else if (type == "Replace" && !textOr(value["pattern"]["String"], "").empty()) {
        step.kind = DecodeStep::Kind::Replace;
        step.pattern = textOr(value["pattern"]["String"], "");
        step.content = textOr(value["content"], "");
    } else if (type == "Strip") {
        step.kind = DecodeStep::Kind::Strip;
        step.content = textOr(value["content"], "");
        std::uint64_t start = 0, stop = 0;
        if (value["start"].get_uint64().get(start) != simdjson::SUCCESS ||
            value["stop"].get_uint64().get(stop) != simdjson::SUCCESS)
            return unsupported("decoder", type);
        step.start = start;
        step.stop = stop;
    } else if (type == "Metaspace") {
        step.kind = DecodeStep::Kind::Metaspace;
        step.pattern = textOr(value["replacement"], "\xE2\x96\x81");
        step.start = prefixOf(value) != TextStep::Prefix::Never ? 1 : 0;
    } else {
        return unsupported("decoder", type);
    }
    steps.push_back(std::move(step));
    return {};
}

} // namespace anneal
