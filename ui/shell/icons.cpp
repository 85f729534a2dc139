#include "ui/shell/icons.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

static void initializeResources() { Q_INIT_RESOURCE(anneal_icons); }

namespace anneal {

namespace {

QPixmap rendered(const QByteArray& svg, int size) {
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(svg).render(&painter);
    return pixmap;
}

QByteArray read(const QString& name) {
    initializeResources();
    QFile file(":/icons/" + name + ".svg");
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QIcon tintedIcon(const QString& name, const QColor& color) {
    const auto svg = read(name).replace("currentColor", color.name().toLatin1());
    QIcon icon;
    for (const int size : {18, 36})
        icon.addPixmap(rendered(svg, size));
    return icon;
}

QIcon programIcon() {
    const auto svg = read("anneal");
    QIcon icon;
    for (const int size : {16, 32, 64, 128})
        icon.addPixmap(rendered(svg, size));
    return icon;
}

} // namespace anneal
