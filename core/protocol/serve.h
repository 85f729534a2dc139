#pragma once
#include "core/protocol/record.h"

#include <string>

namespace anneal {

// The talk between the studio and `anneal serve --stdio`: one JSON object a line.
//   request  {"id": 7, "method": "plan", "params": {...}}
//   answer   {"id": 7, "result": {...}}  or  {"id": 7, "error": {"message", "fix", "kind"}}
//   notice   {"subscription": 3, "notice": "events" | "telemetry" | "log" | "summary" | "runs" | "progress",
//   "params": {...}}
// serve greets first with {"hello": {"protocol", "version", "capabilities": [...]}}.
//
// Methods (params -> result). `config` is the nested object of configToJson(), `run` is what RUN means on the
// command line; results named after a command are exactly that command's --json output.
//   machine     {}                                -> {"host", "cpu", "cores", "memory", "gpus": [..],
//   "runs_folder"} validate    {config, folder?}                 -> {"problems"} detect      {path} ->
//   {"kind": "data" | "model", "format", "reason", "rows", "columns"} model       {path} -> {"family",
//   "parameters", "layers", "hidden_size", ..., "template"} inspect     {config, first, count}            ->
//   inspect's object; rows carry also "tokens": [text of each token] plan        {config} -> plan's object
//   load_config {path}                            -> {"config", "problems"};  save_config {path, config} ->
//   {} yaml        {config}                          -> {"yaml", "command": "anneal run ..."} presets     {}
//   -> {"presets": [{"name", "title", "path", "config"}]} list        {}                                ->
//   {"runs": [RunSummary]} show        {run}                             -> RunSummary + {"config": {...}}
//   start       {config, name?}                   -> {"id", "folder"}
//   stop|pause|resume|save|delete {run}           -> {"outcome"}
//   export      {run, checkpoint, format, output} -> export's object
//   generate    {run | model, checkpoint?, prompt, ...} -> generate's object
//   checkpoints {run}                             -> {"checkpoints": [{"step", "bytes", "validation_loss",
//   "best"}]} follow      {run}   -> {"subscription"}; then notices "events" {"events": [EventRecord...],
//   "replay": bool},
//                          "telemetry" {"samples": [TelemetrySample...]}, "log" {"lines": [...]}, "summary"
//                          RunSummary
//   follow_runs {}      -> {"subscription"}; then notices "runs" {"runs": [RunSummary]} when something
//   changed unfollow    {subscription}                    -> {}

struct Request {
    std::int64_t id = 0;
    std::string method;
    Json params = Json::object();
    static constexpr auto fields() {
        using T = Request;
        return std::tuple{field("id", &T::id), field("method", &T::method), field("params", &T::params)};
    }
};

struct Notice {
    std::int64_t subscription = 0;
    std::string notice;
    Json params = Json::object();
    static constexpr auto fields() {
        using T = Notice;
        return std::tuple{field("subscription", &T::subscription), field("notice", &T::notice),
                          field("params", &T::params)};
    }
};

/// The longest line either side accepts; a longer one disconnects.
constexpr std::size_t maxServeLine = 64u << 20;

Json answerJson(std::int64_t id, Result<Json> result);
Json toJson(const Error& error);
Error errorFromJson(const Json& json);

} // namespace anneal
