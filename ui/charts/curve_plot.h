#pragma once
#include "ui/charts/chart_content.h"
#include "ui/charts/qcp.h"

namespace anneal {

/// Draws a ChartContent. Follows new data until the user zooms; then his range stays.
class CurvePlot : public QCustomPlot {
    Q_OBJECT

public:
    explicit CurvePlot(QWidget* parent = nullptr);

    /// Takes over the data; nothing is painted before redraw().
    void setContent(ChartContent content);
    const ChartContent& content() const { return content_; }
    /// Smoothed values of a curve of style Noisy, as drawn; others unchanged.
    const QVector<double>& drawnValues(std::size_t curve) const { return smoothed_[curve]; }

    void setPreferences(const ChartPreferences& preferences);
    void setXAxis(XAxis axis);
    XAxis xAxisKind() const { return axis_; }
    void setLogarithmic(bool on);
    bool logarithmic() const { return logarithmic_; }
    /// The vertical range leaves out the most extreme hundredth of the values at each end.
    void setIgnoreOutliers(bool on);
    bool ignoresOutliers() const { return ignoreOutliers_; }
    bool zoomed() const { return zoomed_; }
    /// Shows everything again and follows new data.
    void resetZoom();
    /// Shows [lower, upper] of the horizontal axis, as another chart does.
    void zoomTo(double lower, double upper);

    /// Fills the plot from the content and paints it.
    void redraw();
    int redraws() const { return redraws_; }

Q_SIGNALS:
    void zoomChosen(double lower, double upper);
    void zoomReset();

protected:
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Layers {
        QCPGraph* thin = nullptr; ///< raw line, or the dots
        QCPGraph* bold = nullptr; ///< smoothed line
    };
    void applyColors();
    void styleAxis(QCPAxis* axis, const QColor& text, const QColor& line, const QColor& grid);
    void styleGraphs();
    void smoothAll();
    void rebuildGraphs();
    void fillGraphs();
    void fillMarks();
    void fitX();
    void fitY();
    void onUserRange(const QCPRange& range);
    const QVector<double>& xOf(const Curve& curve) const;
    QString hoverText(double x) const;

    ChartContent content_;
    std::vector<QVector<double>> smoothed_;
    std::vector<Layers> graphs_;
    QCPGraph* marks_;    ///< where values are not finite
    QCPGraph* bestMark_; ///< a ring around the best point
    QCPItemStraightLine* baseline_;
    ChartPreferences preferences_;
    XAxis axis_ = XAxis::Step;
    bool logarithmic_ = false, ignoreOutliers_ = false, zoomed_ = false, settingRange_ = false;
    int redraws_ = 0;
};

} // namespace anneal
