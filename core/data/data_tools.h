#pragma once
#include "core/data/chat_template.h"
#include "core/data/tokenizer.h"
#include "core/schema/run_config.h"

namespace anneal {

/// What turns rows into tokens: the model's tokenizer, and the chat template that data.template asks for.
struct DataTools {
    std::shared_ptr<const Tokenizer> tokenizer;
    std::shared_ptr<const ChatTemplate> chatTemplate; ///< null: texts are joined as they are
    std::string templateText;                         ///< its source, for fingerprints
};

/// Errors: no or a broken tokenizer, a template that is missing or not Jinja.
Result<DataTools> openDataTools(const ModelSource& model, const DataSettings& data);

} // namespace anneal
