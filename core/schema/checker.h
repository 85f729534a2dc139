#pragma once
#include "core/schema/config_io.h"

namespace anneal::schema {

/// Collects what validation finds; knows where each setting stands.
class Checker {
public:
    explicit Checker(const LoadedConfig& loaded) : loaded_(loaded), problems_(loaded.problems) {}

    const RunConfig& config() const { return loaded_.config; }

    void error(std::string_view key, std::string text, std::string fix) {
        add(Severity::Error, key, std::move(text), std::move(fix));
    }
    void warning(std::string_view key, std::string text, std::string fix) {
        add(Severity::Warning, key, std::move(text), std::move(fix));
    }
    void note(std::string_view key, std::string text, std::string fix) {
        add(Severity::Note, key, std::move(text), std::move(fix));
    }

    Problems take() { return std::move(problems_); }

private:
    /// `text` is a sentence without its full stop; the place is appended.
    void add(Severity severity, std::string_view key, std::string text, std::string fix);
    int lineOf(std::string key) const;

    const LoadedConfig& loaded_;
    Problems problems_;
};

// Relations between settings, and files that must exist.
void checkModel(Checker& checker);
void checkLora(Checker& checker);
void checkData(Checker& checker);
void checkTraining(Checker& checker);
void checkEvaluation(Checker& checker);
void checkHardware(Checker& checker);
void checkOperation(Checker& checker);

/// `text` in quotes, for a message.
std::string inQuotes(std::string_view text);

/// Also false when the path cannot be looked at.
bool pathExists(const fs::path& path);
bool folderExists(const fs::path& path);

} // namespace anneal::schema
