#pragma once
#include "ui/charts/chart_content.h"

#include <QObject>

namespace anneal {

enum class ThemeChoice { System, Light, Dark };
enum class RemoteMode { Auto, On, Off };

/// What the user prefers, kept between sessions.
class Preferences : public QObject {
    Q_OBJECT

public:
    explicit Preferences(QObject* parent = nullptr);

    ThemeChoice theme() const { return theme_; }
    double redrawSeconds() const { return redrawSeconds_; }
    double smoothing() const { return smoothing_; }
    RemoteMode remoteMode() const { return remote_; }
    /// Empty: the default folder.
    QString runsFolder() const { return runsFolder_; }

    void setTheme(ThemeChoice theme);
    void setRedrawSeconds(double seconds);
    void setSmoothing(double weight);
    void setRemoteMode(RemoteMode mode);
    void setRunsFolder(const QString& folder);

    ChartPreferences charts() const;
    /// Whether every pixel costs: chosen, or found out.
    bool remote() const;

Q_SIGNALS:
    void changed();
    void themeChanged();

private:
    void store(const char* key, const QVariant& value);

    ThemeChoice theme_;
    RemoteMode remote_;
    double redrawSeconds_, smoothing_;
    QString runsFolder_;
};

/// Whether this desktop is seen over a network: X forwarding, VNC, RDP, X2Go.
bool looksRemote();

} // namespace anneal
