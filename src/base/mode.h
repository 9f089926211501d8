#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../shaders/shared/modes.glsl"

namespace glyphreel {

#define MODE_ENTRY(Name, number, name, help) Name = number,
/// How a cell's glyph is chosen. shaders/shared/modes.glsl lists the modes; docs/mapping.md explains them.
enum class Mode : std::uint32_t { FOR_EACH_MODE(MODE_ENTRY) };
#undef MODE_ENTRY

#define MODE_ENTRY(Name, number, name, help) Mode::Name,
/// All modes, in the order of --help and of the g key. A mode's numeric value is its index in this array.
inline constexpr std::array AllModes{FOR_EACH_MODE(MODE_ENTRY)};
#undef MODE_ENTRY

#define MODE_ENTRY(Name, number, name, help) name,
/// The values of --mode, in the order of AllModes.
inline constexpr std::array<std::string_view, AllModes.size()> ModeNames{FOR_EACH_MODE(MODE_ENTRY)};
#undef MODE_ENTRY

[[nodiscard]] constexpr std::string_view mode_name(Mode mode) {
  return ModeNames[static_cast<std::size_t>(mode)];
}

#define MODE_ENTRY(Name, number, name, help) \
  static_assert(AllModes[number] == Mode::Name, "the modes are not numbered in order");
FOR_EACH_MODE(MODE_ENTRY)
#undef MODE_ENTRY

}  // namespace glyphreel
