#pragma once

#include <string_view>

namespace glyphreel {

/// Returns true if `a` comes before `b` in natural order: "shot 9" before "shot 10", ignoring case. This
/// is a strict total order: of two different names, one always comes before the other.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace glyphreel
