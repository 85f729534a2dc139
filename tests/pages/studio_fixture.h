#pragma once
#include "core/base/json.h"
#include "ui/client/text.h"
#include "ui/pages/studio.h"

#include <QApplication>
#include <QFile>
#include <QTemporaryDir>

namespace anneal {

/// A studio without a window that talks to the stand-in for `anneal serve`. Settings go to a folder of its
/// own.
class StudioFixture {
public:
    StudioFixture() : prepared_(prepare(folder_.path())), studio{client, runs, preferences} {
        preferences.setRedrawSeconds(0.2);
        client.start({ANNEAL_FAKE_SERVE, {}, {}, {}});
        runs.follow(client);
    }

    /// The requests of one method that were received so far.
    std::vector<Json> requests(const std::string& method) const {
        QFile log(folder_.filePath("requests.jsonl"));
        std::vector<Json> found;
        if (!log.open(QIODevice::ReadOnly))
            return found;
        for (const auto& line : log.readAll().split('\n'))
            if (const auto json = parseJson(line.toStdString(), "log");
                json && json->value("method", "") == method)
                found.push_back((*json)["params"]);
        return found;
    }
    QString path(const QString& name) const { return folder_.filePath(name); }

private:
    static bool prepare(const QString& folder) {
        qputenv("XDG_CONFIG_HOME", folder.toUtf8());
        qputenv("FAKE_SERVE_LOG", (folder + "/requests.jsonl").toUtf8());
        QApplication::setOrganizationName("anneal");
        QApplication::setApplicationName("studio-test");
        return true;
    }

    QTemporaryDir folder_;
    bool prepared_;

public:
    ServeClient client;
    Preferences preferences;
    RunListModel runs;
    Studio studio;
};

} // namespace anneal
