#include "ui/pages/preferences.h"

#include <QSettings>

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

constexpr const char *themeKey = "theme", *remoteKey = "remote", *redrawKey = "redraw_seconds",
                     *smoothingKey = "smoothing", *runsKey = "runs_folder";

double readNumber(const QSettings& settings, const char* key, double standard, double low, double high) {
    const double value = settings.value(key, standard).toDouble();
    return std::isfinite(value) ? std::clamp(value, low, high) : standard;
}

template <class Enum>
Enum readChoice(const QSettings& settings, const char* key, Enum last) {
    return static_cast<Enum>(std::clamp(settings.value(key, 0).toInt(), 0, static_cast<int>(last)));
}

} // namespace

Preferences::Preferences(QObject* parent) : QObject(parent) {
    const QSettings settings;
    theme_ = readChoice(settings, themeKey, ThemeChoice::Dark);
    remote_ = readChoice(settings, remoteKey, RemoteMode::Off);
    redrawSeconds_ = readNumber(settings, redrawKey, 1, 0.2, 60);
    smoothing_ = readNumber(settings, smoothingKey, 0.6, 0, 0.999);
    runsFolder_ = settings.value(runsKey).toString();
}

void Preferences::store(const char* key, const QVariant& value) {
    QSettings().setValue(key, value);
    Q_EMIT changed();
}

void Preferences::setTheme(ThemeChoice theme) {
    if (theme_ == theme)
        return;
    theme_ = theme;
    store(themeKey, static_cast<int>(theme));
    Q_EMIT themeChanged();
}

void Preferences::setRedrawSeconds(double seconds) {
    store(redrawKey, redrawSeconds_ = std::clamp(seconds, 0.2, 60.0));
}

void Preferences::setSmoothing(double weight) {
    store(smoothingKey, smoothing_ = std::clamp(weight, 0.0, 0.999));
}

void Preferences::setRemoteMode(RemoteMode mode) {
    remote_ = mode;
    store(remoteKey, static_cast<int>(mode));
}

void Preferences::setRunsFolder(const QString& folder) { store(runsKey, runsFolder_ = folder); }

bool Preferences::remote() const {
    return remote_ == RemoteMode::On || (remote_ == RemoteMode::Auto && looksRemote());
}

ChartPreferences Preferences::charts() const {
    return {smoothing_, static_cast<int>(redrawSeconds_ * 1000), !remote()};
}

bool looksRemote() {
    const auto display = qEnvironmentVariable("DISPLAY");
    const bool forwarded = qEnvironmentVariableIsSet("SSH_CONNECTION") && display.startsWith("localhost:");
    return forwarded || qEnvironmentVariableIsSet("VNCDESKTOP") ||
           qEnvironmentVariableIsSet("X2GO_SESSION") || qEnvironmentVariableIsSet("XRDP_SESSION") ||
           qEnvironmentVariable("XRDP_SOCKET_PATH") != "";
}

} // namespace anneal
