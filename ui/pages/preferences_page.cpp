#include "ui/pages/preferences_page.h"

#include "ui/models/number_text.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSlider>
#include <QVBoxLayout>

namespace anneal {

namespace {

QWidget* withNote(QWidget* control, const QString& note, QWidget* parent) {
    auto* holder = new QWidget(parent);
    auto* layout = new QHBoxLayout(holder);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(control);
    auto* label = mutedLabel(note, holder);
    label->setWordWrap(true);
    layout->addWidget(label, 1);
    return holder;
}

} // namespace

PreferencesPage::PreferencesPage(Studio& studio, QWidget* parent)
    : Page(studio, parent), form_(new QFormLayout) {
    form_->setContentsMargins(0, 0, 0, 0);
    form_->setHorizontalSpacing(16);
    form_->setVerticalSpacing(8);
    form_->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(10);
    layout->addWidget(pageTitle("Preferences", this));
    layout->addLayout(form_);
    layout->addStretch();
    addAppearance();
    addCharts();
    addRuns();
}

void PreferencesPage::addHeading(const QString& title) {
    auto* heading = new QLabel(title, this);
    auto font = heading->font();
    font.setBold(true);
    heading->setFont(font);
    heading->setContentsMargins(0, 10, 0, 0);
    form_->addRow(heading);
}

void PreferencesPage::addAppearance() {
    addHeading("Appearance");
    auto* theme = new QComboBox(this);
    theme->addItems({"As the system", "Light", "Dark"});
    theme->setCurrentIndex(static_cast<int>(studio_.preferences.theme()));
    theme->setAccessibleName("Theme");
    theme->setFixedWidth(180);
    connect(theme, &QComboBox::activated, this,
            [this](int index) { studio_.preferences.setTheme(static_cast<ThemeChoice>(index)); });
    connect(&studio_.preferences, &Preferences::themeChanged, theme,
            [this, theme] { theme->setCurrentIndex(static_cast<int>(studio_.preferences.theme())); });
    form_->addRow("&Theme", withNote(theme, {}, this));
    auto* remote = new QComboBox(this);
    remote->addItems({"Find out", "On", "Off"});
    remote->setCurrentIndex(static_cast<int>(studio_.preferences.remoteMode()));
    remote->setAccessibleName("Remote desktop mode");
    remote->setFixedWidth(180);
    connect(remote, &QComboBox::activated, this,
            [this](int index) { studio_.preferences.setRemoteMode(static_cast<RemoteMode>(index)); });
    const auto found =
        looksRemote() ? QString("This desktop looks remote.") : QString("This desktop looks local.");
    form_->addRow("&Remote desktop",
                  withNote(remote,
                           "Draws curves without antialiasing, which sends a ninth of the bytes. " + found,
                           this));
}

void PreferencesPage::addCharts() {
    addHeading("Charts");
    auto* redraw = new QComboBox(this);
    for (const double seconds : {0.5, 1.0, 2.0, 5.0, 10.0}) {
        redraw->addItem(QString::number(seconds) + " s", seconds);
        if (studio_.preferences.redrawSeconds() >= seconds)
            redraw->setCurrentIndex(redraw->count() - 1);
    }
    redraw->setFixedWidth(180);
    redraw->setAccessibleName("Redraw at most every");
    connect(redraw, &QComboBox::activated, this,
            [this, redraw] { studio_.preferences.setRedrawSeconds(redraw->currentData().toDouble()); });
    form_->addRow("Redraw at most &every",
                  withNote(redraw, "Only charts whose data changed are redrawn.", this));
    auto* smoothing = new QSlider(Qt::Horizontal, this);
    smoothing->setRange(0, 999);
    smoothing->setValue(static_cast<int>(studio_.preferences.smoothing() * 1000));
    smoothing->setFixedWidth(180);
    smoothing->setAccessibleName("Smoothing");
    auto* value = new QLabel(QString::number(studio_.preferences.smoothing(), 'f', 2), this);
    connect(smoothing, &QSlider::valueChanged, this, [this, value](int weight) {
        studio_.preferences.setSmoothing(weight / 1000.0);
        value->setText(QString::number(weight / 1000.0, 'f', 2));
    });
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(smoothing);
    row->addWidget(value);
    row->addWidget(mutedLabel("The bold line, a moving average; 0 draws the raw values.", this), 1);
    form_->addRow("&Smoothing", holder);
    row->setSpacing(10);
}

void PreferencesPage::addRuns() {
    addHeading("Runs");
    auto* folder = new QLineEdit(studio_.preferences.runsFolder(), this);
    folder->setPlaceholderText("The default: ~/.local/share/anneal/runs");
    folder->setAccessibleName("Folder of runs");
    connect(folder, &QLineEdit::editingFinished, this, [this, folder] {
        if (folder->text().trimmed() != studio_.preferences.runsFolder())
            studio_.preferences.setRunsFolder(folder->text().trimmed());
    });
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(folder, 1);
    if (studio_.local()) {
        auto* browse = new QPushButton("Browse…", this);
        connect(browse, &QPushButton::clicked, this, [this, folder] {
            const auto path = QFileDialog::getExistingDirectory(this, "Folder of runs", folder->text());
            if (path.isEmpty())
                return;
            folder->setText(path);
            studio_.preferences.setRunsFolder(path);
        });
        row->addWidget(browse);
    }
    form_->addRow("&Folder", holder);
    form_->addRow(
        QString(),
        mutedLabel("Also set by --runs-dir and by ANNEAL_RUNS_DIR. A change takes effect at the next start.",
                   this));
}

} // namespace anneal
