#include "core/data/tokenizer.h"

#include "core/data/tokenizer_bpe.h"

namespace anneal {

namespace {

std::shared_ptr<const Tokenizer> tokenizerOf(BpePipeline pipeline) {
    return std::make_shared<BpeTokenizer>(std::move(pipeline));
}

} // namespace

Result<std::shared_ptr<const Tokenizer>> loadTokenizer(const ModelSource& model) {
    const auto& files = model.tokenizer();
    if (files.ggml) {
        ANNEAL_TRY(auto pipeline, pipelineFromGgml(*files.ggml, model.config(), model.path().string()));
        return tokenizerOf(std::move(pipeline));
    }
    if (!files.tokenizerJson.empty()) {
        auto pipeline = pipelineFromJson(files, model.config());
        if (pipeline.ok())
            return tokenizerOf(*std::move(pipeline));
        if (files.sentencePieceModel.empty())
            return std::move(pipeline).error();
    }
    if (!files.sentencePieceModel.empty())
        return loadSentencePiece(files, model.config());
    return invalidInput(model.path().string() + " holds no tokenizer.",
                        "Put tokenizer.json or tokenizer.model of the model into the folder.");
}

} // namespace anneal
