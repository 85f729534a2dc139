#pragma once
#include "core/protocol/state.h"

#include <QWidget>

#include <optional>

namespace anneal {

/// A name, a bar and a value on one line; repaints only when what it shows changed.
class Gauge : public QWidget {
    Q_OBJECT

public:
    explicit Gauge(const QString& name, QWidget* parent = nullptr);

    /// `ratio` 0-1; without one there is no bar. `value` may be a dash.
    void setValue(std::optional<double> ratio, const QString& value);
    void setName(const QString& name);
    std::optional<double> ratio() const { return ratio_; }
    const QString& value() const { return value_; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString name_, value_;
    std::optional<double> ratio_;
};

/// The GPUs of a run, or the host where there is none, and what the host does besides.
class GaugePanel : public QWidget {
    Q_OBJECT

public:
    explicit GaugePanel(QWidget* parent = nullptr);

    void showSample(const TelemetrySample& sample);
    void clear();
    /// As rows of a table: name, value.
    QString markdown() const;
    const std::vector<Gauge*>& gauges() const { return gauges_; }

private:
    struct Reading {
        QString name;
        std::optional<double> ratio;
        QString value;
        bool bar = true;
    };
    static std::vector<Reading> readings(const TelemetrySample& sample);
    static std::vector<Reading> gpuReadings(const GpuSample& gpu, bool brief);

    std::vector<Gauge*> gauges_;
    std::vector<Reading> shown_;
};

} // namespace anneal
