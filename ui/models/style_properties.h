#pragma once

namespace anneal {

// Properties by which a widget tells the style how it wants to be drawn.

/// bool: the main button of its page.
constexpr const char* primaryProperty = "annealPrimary";
/// QColor: the frame of an input with a problem.
constexpr const char* markProperty = "annealMark";
/// bool: a tool button that opens a menu without an arrow.
constexpr const char* noArrowProperty = "annealNoArrow";

} // namespace anneal
