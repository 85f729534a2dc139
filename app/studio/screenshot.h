#pragma once
#include "app/studio/options.h"

namespace anneal {

class MainWindow;

/// Shows the page that `options` name, waits until serve has answered, writes the window to the file, and
/// quits with exit code 0, or 1 when the file cannot be written.
void takeScreenshot(MainWindow& window, const StudioOptions& options);

} // namespace anneal
