#include "core/base/text.h"
#include "core/schema/checker.h"

#include <algorithm>

namespace anneal::schema {

namespace {

void checkSource(Checker& checker, const DataSource& source, const std::string& key) {
    const auto& formats = findField("data.train")->choices;
    if (source.path.empty())
        checker.error(key + ".path", "A training source has no path", "Set " + key + ".path to a file.");
    else if (!pathExists(source.path))
        checker.error(key + ".path", "The training data " + source.path + " does not exist",
                      "Check the path.");
    if (std::find(formats.begin(), formats.end(), source.format) == formats.end())
        checker.error(key + ".format", "There is no data format " + inQuotes(source.format),
                      "It can be " + join(formats, ", ") + ".");
    if (!(source.weight > 0 && source.weight <= 1000))
        checker.error(key + ".weight",
                      key + ".weight must be above 0 and at most 1000, not " + formatDouble(source.weight),
                      "1.0 takes each row once an epoch.");
}

void checkValidation(Checker& checker, const std::string& validation) {
    constexpr std::string_view key = "data.validation";
    const auto share = parseDouble(validation);
    if (share && !(*share >= 0 && *share < 1))
        checker.error(key, "data.validation must be a share from 0 to below 1 or a file, not " + validation,
                      "0.05 holds out 5 % of the rows.");
    else if (!share && validation.empty())
        checker.error(key, "data.validation is empty", "Write 0 for no validation.");
    else if (!share && !pathExists(validation))
        checker.error(key, "The validation data " + validation + " does not exist", "Check the path.");
    else if (share && *share > 0.5)
        checker.warning(key, "More than half of the rows are held out for validation", "0.05 is usual.");
    else if (share && *share == 0)
        checker.note(key, "Without validation data nothing shows whether the model overfits",
                     "0.05 is usual.");
}

void checkTemplate(Checker& checker, const std::string& source) {
    if (source != "auto" && source != "none" && !pathExists(source))
        checker.error("data.template", "The chat template " + inQuotes(source) + " does not exist",
                      "It can be auto, none or a Jinja file.");
}

} // namespace

void checkData(Checker& checker) {
    const auto& data = checker.config().data;
    if (data.train.empty())
        checker.error("data.train", "No training data is given", "Set data.train to a list of {path: FILE}.");
    for (std::size_t i = 0; i < data.train.size(); ++i)
        checkSource(checker, data.train[i], "data.train." + std::to_string(i));
    checkValidation(checker, data.validation);
    checkTemplate(checker, data.template_source);
}

} // namespace anneal::schema
