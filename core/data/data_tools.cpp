#include "core/data/data_tools.h"

namespace anneal {

namespace {

constexpr std::uint64_t maxTemplateBytes = 1 << 20;

Result<std::string> templateText(const ModelSource& model, const DataSettings& data) {
    if (data.template_source == "none")
        return std::string();
    if (data.template_source == "auto")
        return model.chatTemplate();
    return readFile(data.template_source, maxTemplateBytes);
}

} // namespace

Result<DataTools> openDataTools(const ModelSource& model, const DataSettings& data) {
    DataTools tools;
    ANNEAL_TRY(tools.tokenizer, loadTokenizer(model));
    ANNEAL_TRY(tools.templateText, templateText(model, data));
    if (!tools.templateText.empty()) {
        ANNEAL_TRY(tools.chatTemplate, ChatTemplate::parse(tools.templateText));
    }
    return tools;
}

} // namespace anneal
