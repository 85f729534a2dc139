#include "core/run/checkpoint_choice.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace anneal {

namespace {

std::map<std::int64_t, double> validationLosses(const RunFolder& folder) {
    std::map<std::int64_t, double> losses;
    if (const auto events = readEvents(folder))
        for (const auto& record : *events)
            if (const auto* evaluation = std::get_if<EvaluationEvent>(&record.event))
                losses[evaluation->step] = evaluation->loss;
    return losses;
}

double rank(const RatedCheckpoint& checkpoint) {
    const auto loss = checkpoint.validation_loss.value_or(INFINITY);
    return std::isnan(loss) ? INFINITY : loss;
}

std::string steps(const std::vector<RatedCheckpoint>& checkpoints) {
    std::vector<std::string> texts;
    for (const auto& checkpoint : checkpoints)
        texts.push_back(std::to_string(checkpoint.info.step));
    return join(texts, ", ");
}

} // namespace

std::vector<RatedCheckpoint> rateCheckpoints(const RunFolder& folder) {
    const auto losses = validationLosses(folder);
    std::vector<RatedCheckpoint> rated;
    for (auto& info : listCheckpoints(folder)) {
        const auto loss = losses.find(info.step);
        rated.push_back(
            {std::move(info), loss == losses.end() ? std::nullopt : std::optional(loss->second), false});
    }
    const auto best = std::ranges::min_element(rated, {}, rank);
    if (best != rated.end() && std::isfinite(rank(*best)))
        best->best = true;
    return rated;
}

Result<CheckpointInfo> chooseCheckpoint(const RunFolder& folder, const std::string& choice) {
    const auto all = rateCheckpoints(folder);
    if (all.empty())
        return invalidInput("The run " + folder.id() + " has no checkpoint yet.",
                            "Wait for one, or ask for it with `anneal stop " + folder.id() + "`.");
    if (choice == "last")
        return all.back().info;
    if (choice == "best") {
        const auto best = std::ranges::find(all, true, &RatedCheckpoint::best);
        return best == all.end() ? all.back().info : best->info;
    }
    const auto step = parseInteger(choice);
    const auto found = std::ranges::find_if(all, [&](const auto& c) { return step && c.info.step == *step; });
    if (found == all.end())
        return invalidInput("The run " + folder.id() + " has no checkpoint '" + choice + "'.",
                            "Use best, last or one of the steps " + steps(all) + ".");
    return found->info;
}

Json checkpointsJson(const RunFolder& folder) {
    Json list = Json::array();
    for (const auto& checkpoint : rateCheckpoints(folder))
        list.push_back({{"step", checkpoint.info.step},
                        {"bytes", checkpoint.info.bytes},
                        {"validation_loss", toJson(checkpoint.validation_loss)},
                        {"best", checkpoint.best},
                        {"path", checkpoint.info.path.string()}});
    return {{"checkpoints", list}};
}

} // namespace anneal
