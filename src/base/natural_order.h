#pragma once

#include <string_view>

namespace glyphreel {

/// Returns true if `a` comes before `b` in natural order: "shot 9" before "shot 10", ignoring case. The
/// order is strict and total: of two different names, one always comes before the other.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace glyphreel
