#include "ui/pages/gauge.h"

#include "ui/client/text.h"
#include "ui/models/colors.h"
#include "ui/models/number_text.h"

#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace anneal {

namespace {

constexpr double almostFull = 0.95;

std::optional<double> share(std::optional<double> used, std::optional<double> total) {
    return used && total && *total > 0 ? std::optional(*used / *total) : std::nullopt;
}

QString withUnit(std::optional<double> value, const char* unit) {
    return value ? QString::number(*value, 'f', 0) + unit : text::dash;
}

} // namespace

Gauge::Gauge(const QString& name, QWidget* parent) : QWidget(parent), name_(name), value_(text::dash) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(name + " " + value_);
}

void Gauge::setName(const QString& name) {
    if (name_ == name)
        return;
    name_ = name;
    update();
}

void Gauge::setValue(std::optional<double> ratio, const QString& value) {
    const bool sameBar = ratio.has_value() == ratio_.has_value() &&
                         std::lround(ratio.value_or(0) * 100) == std::lround(ratio_.value_or(0) * 100);
    if (sameBar && value == value_)
        return;
    ratio_ = ratio;
    value_ = value;
    setAccessibleName(name_ + " " + value_);
    update();
}

QSize Gauge::sizeHint() const { return {220, fontMetrics().height() + 8}; }

void Gauge::paintEvent(QPaintEvent*) {
    const auto& colors = Colors::of(palette());
    QPainter painter(this);
    const int nameWidth = fontMetrics().horizontalAdvance("Run memory  ");
    const int valueWidth = fontMetrics().horizontalAdvance("00.0 / 00.0 GiB ");
    painter.setPen(colors.muted);
    painter.drawText(QRect(0, 0, nameWidth, height()), Qt::AlignVCenter | Qt::AlignLeft, name_);
    painter.setPen(colors.text);
    const bool bar = ratio_.has_value();
    const QRect value(bar ? width() - valueWidth : nameWidth, 0, bar ? valueWidth : width() - nameWidth,
                      height());
    painter.drawText(value, Qt::AlignVCenter | Qt::AlignRight, value_);
    if (!bar)
        return;
    QRect track(nameWidth, height() / 2 - 3, width() - nameWidth - valueWidth - 4, 7);
    painter.fillRect(track, colors.chartGrid);
    track.setWidth(static_cast<int>(std::lround(track.width() * std::clamp(*ratio_, 0.0, 1.0))));
    painter.fillRect(track, name_.contains("emory") && *ratio_ > almostFull ? colors.caution : colors.accent);
}

GaugePanel::GaugePanel(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addStretch();
    clear();
}

void GaugePanel::clear() { showSample({}); }

std::vector<GaugePanel::Reading> GaugePanel::gpuReadings(const GpuSample& gpu, bool brief) {
    const auto name = "GPU " + QString::number(gpu.index);
    const auto memory = text::bytesOf(gpu.memory_used, gpu.memory_total);
    if (brief)
        return {{name, gpu.utilization, text::percent(gpu.utilization) + "  " + memory}};
    const auto power = gpu.power_limit ? withUnit(gpu.power, "") + " / " + withUnit(gpu.power_limit, " W")
                                       : withUnit(gpu.power, " W");
    return {{name, gpu.utilization, text::percent(gpu.utilization)},
            {"Memory", share(gpu.memory_used, gpu.memory_total), memory},
            {"Power", share(gpu.power, gpu.power_limit), power},
            {"State", std::nullopt, withUnit(gpu.temperature, " °C") + "   " + withUnit(gpu.clock, " MHz"),
             false}};
}

std::vector<GaugePanel::Reading> GaugePanel::readings(const TelemetrySample& sample) {
    std::vector<Reading> all;
    for (const auto& gpu : sample.gpus)
        for (auto& reading : gpuReadings(gpu, sample.gpus.size() > 2))
            all.push_back(std::move(reading));
    all.push_back({"CPU", sample.cpu, text::percent(sample.cpu)});
    all.push_back({"Memory", share(sample.memory_used, sample.memory_total),
                   text::bytesOf(sample.memory_used, sample.memory_total)});
    all.push_back(
        {"Run memory", share(sample.run_memory, sample.memory_total), text::bytes(sample.run_memory)});
    all.push_back({"Disk", std::nullopt,
                   text::bytesPerSecond(sample.disk_read) + " read   " +
                       text::bytesPerSecond(sample.disk_write) + " written",
                   false});
    all.push_back({"Network", std::nullopt,
                   text::bytesPerSecond(sample.network_received) + " in   " +
                       text::bytesPerSecond(sample.network_sent) + " out",
                   false});
    return all;
}

void GaugePanel::showSample(const TelemetrySample& sample) {
    shown_ = readings(sample);
    while (gauges_.size() < shown_.size()) {
        auto* gauge = new Gauge({}, this);
        static_cast<QVBoxLayout*>(layout())->insertWidget(static_cast<int>(gauges_.size()), gauge);
        gauges_.push_back(gauge);
    }
    for (std::size_t i = 0; i < gauges_.size(); ++i) {
        gauges_[i]->setVisible(i < shown_.size());
        if (i >= shown_.size())
            continue;
        const auto& reading = shown_[i];
        gauges_[i]->setName(reading.name);
        gauges_[i]->setValue(reading.bar ? std::optional(reading.ratio.value_or(0)) : std::nullopt,
                             reading.value);
    }
}

QString GaugePanel::markdown() const {
    QString text = "| Gauge | Value |\n| --- | ---: |\n";
    for (const auto& reading : shown_)
        text += "| " + reading.name + " | " + reading.value + " |\n";
    return text;
}

} // namespace anneal
