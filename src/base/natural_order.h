#pragma once

#include <string_view>

namespace glyphreel {

/// True where `a` comes before `b` as people count: "shot 9" before "shot 10", letters without regard to
/// case. A strict weak order over all strings: names that differ at all are never equal.
[[nodiscard]] bool comes_before_naturally(std::string_view a, std::string_view b);

}  // namespace glyphreel
