#pragma once
#include "ui/models/run_list_model.h"
#include "ui/pages/preferences.h"

namespace anneal {

/// What all pages share.
struct Studio {
    ServeClient& client;
    RunListModel& runs;
    Preferences& preferences;

    /// The files that are worked on are on this machine.
    bool local() const { return client.host().isEmpty(); }
};

} // namespace anneal
