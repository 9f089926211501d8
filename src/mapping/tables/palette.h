#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::mapping {

/// Maximum number of colors in a palette, so that terminal indices and byte tables can hold them.
inline constexpr std::size_t MaxPaletteColors = 256;

/// Reads a palette file: 2 to MaxPaletteColors colors, 0xRRGGBB in the file's order. It is GIMP's .gpl, or
/// text with one color a line, #RRGGBB or RRGGBB, where a line that begins with ; or with # and a space is
/// a comment. Errors: Usage with one sentence that names the line: the file cannot be read or is not text,
/// a line is not a color, or there are too few or too many.
[[nodiscard]] Result<std::vector<std::uint32_t>> read_palette(const std::string& path);

/// The 16 colors that terminals number 0 to 15, with xterm's defaults; most terminals let their users
/// change them. The VGA colors of the Linux console are darker.
[[nodiscard]] std::vector<std::uint32_t> ansi16_palette();

/// The 256 colors of xterm-256color: the 16, a cube of 6 x 6 x 6, 24 grays.
[[nodiscard]] std::vector<std::uint32_t> ansi256_palette();

/// First of ansi256_palette()'s colors that are the same in every terminal.
inline constexpr std::size_t FirstFixedAnsiColor = 16;

/// Makes 32768 indices into the palette by the upper five bits of red, green and blue (red uppermost): the
/// color at the least distance in Oklab (Ottosson 2020). Black and white are matched exactly, and so is a
/// palette color that is alone in its entry. `first`: colors before it are never used. Takes some 20 ms for
/// 256 colors.
[[nodiscard]] std::vector<std::uint32_t> nearest_table(const std::vector<std::uint32_t>& palette,
                                                       std::size_t first = 0);

/// How far a dither should move colors before the nearest one is chosen, peak to peak, in code values: the
/// mean over the palette's colors of the distance to the nearest other color, as an equal step in red,
/// green and blue. 0 to 255.
[[nodiscard]] int dither_range(const std::vector<std::uint32_t>& palette);

}  // namespace glyphreel::mapping
