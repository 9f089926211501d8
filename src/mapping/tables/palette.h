#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::mapping {

/// Maximum number of colors in a palette. Lookup tables store a color's index in 8 bits, and terminals accept
/// indices up to 255.
inline constexpr std::size_t MaxPaletteColors = 256;

/// Reads a palette file: 2 to MaxPaletteColors colors, returned as 0xRRGGBB in the file's order. The file is
/// GIMP's .gpl, or text with one color per line, #RRGGBB or RRGGBB. In such text, a line that begins with
/// ";" or "# " is a comment. Errors: Usage if the file cannot be read or is not text, if a line is not a
/// color, or if there are too few or too many colors. The message names the line if one is wrong.
[[nodiscard]] Result<std::vector<std::uint32_t>> read_palette(const std::string& path);

/// A palette that comes with the program; colors are 0xRRGGBB.
struct NamedPalette {
  std::string_view name;
  std::vector<std::uint32_t> colors;
};
[[nodiscard]] std::span<const NamedPalette> named_palettes();

/// Returns the 16 colors that terminals number 0 to 15, with xterm's defaults; users can change them in most
/// terminals. The VGA colors of the Linux console are darker.
[[nodiscard]] std::vector<std::uint32_t> ansi16_palette();

/// Returns the 256 colors of xterm-256color: ansi16_palette(), a cube of 6 x 6 x 6 and 24 grays.
[[nodiscard]] std::vector<std::uint32_t> ansi256_palette();

/// Colors of ansi256_palette() from this index on are the same in every terminal.
inline constexpr std::size_t FirstFixedAnsiColor = 16;

/// Returns a table with the index of the nearest palette color for each of 32768 combinations of the upper
/// five bits of red, green and blue (red uppermost). The nearest color has the smallest distance in Oklab
/// (Ottosson 2020); unless the palette is_coarse(), lightness counts twice. Black and white are matched
/// exactly, and so are palette colors that share their entry with no other palette color. `first`: colors
/// before this index are never used. Takes about 20 ms for 256 colors.
[[nodiscard]] std::vector<std::uint32_t> nearest_table(const std::vector<std::uint32_t>& palette,
                                                       std::size_t first = 0);

/// Returns the peak-to-peak offset, in code values, that dithering should add to a color before the nearest
/// palette color is chosen. This is the mean distance of a palette color to its nearest neighbor in the
/// palette, expressed as an equal step in red, green and blue.
[[nodiscard]] int dither_range(const std::vector<std::uint32_t>& palette);

/// Returns whether many colors have no palette color near them, judged by dither_range(). For example, ansi16
/// is coarse and ansi256 is not.
[[nodiscard]] bool is_coarse(const std::vector<std::uint32_t>& palette);

}  // namespace glyphreel::mapping
