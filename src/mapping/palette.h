#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::mapping {

/// Colours in a palette at most, so that terminals' indices and tables of bytes can hold them.
inline constexpr std::size_t MaxPaletteColors = 256;

/// The colours of a palette file, 0xRRGGBB in its order, 2 to MaxPaletteColors of them: GIMP's .gpl, or text
/// with one colour a line, #RRGGBB or RRGGBB, where a line that begins with ; or with # and a space is a
/// comment. Errors: Usage with one sentence that names the line: the file cannot be read or is no text, a
/// line is no colour, or there are too few or too many.
[[nodiscard]] Result<std::vector<std::uint32_t>> read_palette(const std::string& path);

/// The 16 colours that terminals number 0 to 15, as xterm shows them by default; most terminals let their
/// users change them. VGA's, of the Linux console, are darker.
[[nodiscard]] std::vector<std::uint32_t> ansi16_palette();

/// The 256 colours of xterm-256color: the 16, a cube of 6 x 6 x 6, 24 greys.
[[nodiscard]] std::vector<std::uint32_t> ansi256_palette();

/// First of ansi256_palette()'s colours that look the same in every terminal.
inline constexpr std::size_t FirstFixedAnsiColor = 16;

/// 32768 indices into the palette by the upper five bits of red, green and blue (red uppermost): the colour
/// at the least distance in Oklab (Ottosson 2020). Black and white are met exactly, and so is a palette's
/// colour that has the entry for itself. `first`: colours before it are never taken. Takes some 20 ms for 256
/// colours.
[[nodiscard]] std::vector<std::uint32_t> nearest_table(const std::vector<std::uint32_t>& palette,
                                                       std::size_t first = 0);

/// How far a dither should move colours before their nearest is taken, peak to peak, in code values: the mean
/// over the palette's colours of the distance to the next one, as one step on all of red, green and blue. 0
/// to 255.
[[nodiscard]] int dither_range(const std::vector<std::uint32_t>& palette);

}  // namespace glyphreel::mapping
