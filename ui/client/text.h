#pragma once
#include <QString>

#include <string>
#include <string_view>

namespace anneal {

/// UTF-8 text of the core as text of Qt, and back.
inline QString toQt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string toStd(const QString& text) { return text.toStdString(); }

} // namespace anneal
