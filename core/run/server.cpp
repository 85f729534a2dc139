#include "core/run/server.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <unistd.h>

namespace anneal {

namespace {

constexpr int quickThreads = 2, readingThreads = 2, jobThreads = 1;

/// A request answers itself when its subscription has to follow the answer.
const Json alreadyAnswered = Json::binary({});

Json hello(const std::vector<std::string>& capabilities) {
    return {{"hello",
             {{"protocol", protocolVersion}, {"version", ANNEAL_VERSION}, {"capabilities", capabilities}}}};
}

Error notARequest(const std::string& why) {
    return invalidInput("The line is no request: " + why + ".",
                        "Send {\"id\": number, \"method\": name, \"params\": {...}}, one object a line.");
}

} // namespace

const std::vector<Server::Method>& Server::methods() {
    static const std::vector<Method> table{
        {"machine", Lane::Quick, &Server::machine},
        {"validate", Lane::Quick, &Server::validateRequest},
        {"detect", Lane::Reading, &Server::detect},
        {"model", Lane::Reading, &Server::model},
        {"inspect", Lane::Reading, &Server::inspect},
        {"plan", Lane::Reading, &Server::plan},
        {"load_config", Lane::Quick, &Server::loadConfigFile},
        {"save_config", Lane::Quick, &Server::saveConfig},
        {"yaml", Lane::Quick, &Server::yaml},
        {"presets", Lane::Quick, &Server::presets},
        {"list", Lane::Reading, &Server::list},
        {"show", Lane::Quick, &Server::show},
        {"start", Lane::Quick, &Server::start},
        {"stop", Lane::Quick, &Server::stop},
        {"pause", Lane::Quick, &Server::pause},
        {"resume", Lane::Quick, &Server::resume},
        {"save", Lane::Quick, &Server::save},
        {"delete", Lane::Quick, &Server::deleteRequest},
        {"checkpoints", Lane::Quick, &Server::checkpoints},
        {"export", Lane::Job, &Server::exportRequest},
        {"generate", Lane::Job, &Server::generate},
        {"follow", Lane::Quick, &Server::follow},
        {"follow_runs", Lane::Quick, &Server::followRuns},
        {"unfollow", Lane::Quick, &Server::unfollow},
    };
    return table;
}

Server::Server(int input, int output, fs::path runs)
    : input_(input), runs_(std::move(runs)), output_(output), subscriptions_(output_), quick_(quickThreads),
      reading_(readingThreads), jobs_(jobThreads) {}

Server::~Server() { cancel_.cancel(); }

int Server::run() {
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<std::string> names;
    for (const auto& method : methods())
        names.push_back(method.name);
    output_.send(hello(names));
    std::string buffer;
    std::array<char, 1 << 16> chunk;
    while (!output_.broken()) {
        const auto got = ::read(input_, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        const auto searched = buffer.size();
        buffer.append(chunk.data(), static_cast<std::size_t>(got));
        for (auto end = buffer.find('\n', searched); end != buffer.npos; end = buffer.find('\n')) {
            if (!take(std::string_view(buffer).substr(0, end)))
                return 2;
            buffer.erase(0, end + 1);
        }
        if (buffer.size() > maxServeLine) {
            output_.send({{"error", toJson(notARequest("it is longer than " + formatBytes(maxServeLine)))}});
            return 2;
        }
    }
    answerWhatWaits();
    return 0;
}

void Server::answerWhatWaits() {
    while (!output_.clientGone() && !(quick_.idle() && reading_.idle() && jobs_.idle()))
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

bool Server::take(std::string_view line) {
    const auto refuse = [&](const std::string& why) {
        output_.send({{"error", toJson(notARequest(why))}});
        return false;
    };
    if (trim(line).empty())
        return true;
    const auto json = parseJson(line, "a request");
    if (!json)
        return refuse(json.error().message);
    Request request;
    if (!json->is_object() || !json->contains("id") || !json->contains("method") || !fromJson(*json, request))
        return refuse("it needs the fields id and method");
    if (!request.params.is_object())
        return refuse("params must be an object");
    dispatch(std::move(request));
    return true;
}

WorkQueue& Server::queueOf(Lane lane) {
    switch (lane) {
    case Lane::Reading: return reading_;
    case Lane::Job: return jobs_;
    case Lane::Quick: break;
    }
    return quick_;
}

void Server::dispatch(Request request) {
    const auto method =
        std::ranges::find_if(methods(), [&](const Method& m) { return request.method == m.name; });
    if (method == methods().end()) {
        output_.send(answerJson(request.id, invalidInput("There is no method '" + request.method + "'.",
                                                         "The capabilities of the greeting name them all.")));
        return;
    }
    queueOf(method->lane).add([this, request = std::move(request), handler = method->handler] {
        auto result = (this->*handler)(request);
        if (!result || *result != alreadyAnswered)
            output_.send(answerJson(request.id, std::move(result)));
    });
}

Result<Json> Server::subscribe(const Request& request, std::unique_ptr<Subscription> subscription,
                               const std::vector<fs::path>& folders) {
    const auto id = subscriptions_.newId();
    output_.send(answerJson(request.id, Json{{"subscription", id}}));
    subscriptions_.add(id, std::move(subscription), folders);
    return alreadyAnswered;
}

} // namespace anneal
