#pragma once
#include "core/base/cancel.h"
#include "core/plan/data_counts.h"
#include "core/run/subscriptions.h"
#include "core/run/work_queue.h"

namespace anneal {

/// The server of one client (`anneal serve --stdio`). Quick requests, reading of big files, and jobs of the
/// engine have threads of their own, so that none waits for another.
class Server {
public:
    Server(int input, int output, fs::path runs);
    ~Server();

    /// Greets, and answers until the input ends or holds something that is no request. After the end of the
    /// input what was asked is still answered, unless the client reads no more. Returns the exit code.
    int run();

private:
    using Handler = Result<Json> (Server::*)(const Request&);
    enum class Lane { Quick, Reading, Job };
    struct Method {
        const char* name;
        Lane lane;
        Handler handler;
    };
    static const std::vector<Method>& methods();

    void answerWhatWaits();
    bool take(std::string_view line);
    void dispatch(Request request);
    WorkQueue& queueOf(Lane lane);
    Result<RunFolder> runOf(const Request& request) const;

    // The methods of core/protocol/serve.h.
    Result<Json> machine(const Request& request);
    Result<Json> validateRequest(const Request& request);
    Result<Json> detect(const Request& request);
    Result<Json> model(const Request& request);
    Result<Json> inspect(const Request& request);
    Result<Json> plan(const Request& request);
    Result<Json> loadConfigFile(const Request& request);
    Result<Json> saveConfig(const Request& request);
    Result<Json> yaml(const Request& request);
    Result<Json> presets(const Request& request);
    Result<Json> list(const Request& request);
    Result<Json> show(const Request& request);
    Result<Json> start(const Request& request);
    Result<Json> stop(const Request& request);
    Result<Json> pause(const Request& request);
    Result<Json> resume(const Request& request);
    Result<Json> save(const Request& request);
    Result<Json> deleteRequest(const Request& request);
    Result<Json> checkpoints(const Request& request);
    Result<Json> exportRequest(const Request& request);
    Result<Json> generate(const Request& request);
    Result<Json> follow(const Request& request);
    Result<Json> followRuns(const Request& request);
    Result<Json> unfollow(const Request& request);

    Result<Json> subscribe(const Request& request, std::unique_ptr<Subscription> subscription,
                           const std::vector<fs::path>& folders);
    Result<Json> runJob(const Request& request, const Json& job);
    std::optional<DataCounts> countsOf(const RunConfig& config);

    int input_;
    fs::path runs_;
    ServeOutput output_;
    CancelToken cancel_; ///< the client is gone
    std::mutex countsMutex_;
    std::map<std::string, DataCounts> counts_; ///< of data settings seen before
    Subscriptions subscriptions_;
    WorkQueue quick_, reading_, jobs_;
};

} // namespace anneal
