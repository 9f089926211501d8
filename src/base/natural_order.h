#pragma once

#include <string_view>

namespace glyphreel {

/// Returns true if `a` comes before `b` in natural order: "shot 9" before "shot 10", ignoring case. A
/// strict weak order over all strings: names that differ in any way are never equal.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace glyphreel
