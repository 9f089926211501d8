#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glyphreel::mapping {

enum class Mode {
  Ramp,   ///< by tone alone
  Shape,  ///< by tone and form
  Edge,   ///< strokes along the picture's edges, shape elsewhere
};
enum class Color {
  Mono,  ///< fixed ink on fixed paper
  Fg,    ///< free ink on fixed paper
  Full,  ///< free ink and paper
};
enum class Sampling {
  Area,    ///< 4 x 8 samples a cell (fewer in cells too small for that), each the area average under it
  Corner,  ///< one sample a cell: the source pixel at (column * (width / columns), row * (height / rows))
};
/// What a cell's tone is taken from.
enum class Luma {
  Auto,   ///< a YUV source's own Y', expanded; of RGB by BT.709's weights for HD and BT.2020, else BT.601's
  Bt601,  ///< R'G'B' by these weights, converted by this matrix from YUV whatever the stream is tagged
  Bt709,
};

/// Whether a cell may swap its two colours (mono alone; in full colour that is free).
enum class Reverse { Never, PerCell };
enum class Dither { None, Bayer, BlueNoise };
/// Whether the picture's bright end is brought to the brightest glyph (mono and fg).
enum class AutoLevels { Off, On };

/// Changes to the picture before it is mapped, in mpv's units: -100 to 100, 0 leaves it as it is.
struct Adjustments {
  int brightness = 0;
  int contrast = 0;
  int gamma = 0;
  int saturation = 0;
  bool inverted = false;
  bool operator==(const Adjustments&) const = default;
};

/// What the user asked of the mapping.
struct Parameters {
  Mode mode = Mode::Shape;
  Color color = Color::Full;
  Sampling sampling = Sampling::Area;
  Luma luma = Luma::Auto;
  std::uint32_t foreground = 0xFFFFFF;  ///< 0xRRGGBB
  std::uint32_t background = 0x000000;
  std::string ramp;  ///< UTF-8, darkest first; empty: all glyphs, placed by their measured ink
  std::vector<int>
      thresholds;  ///< empty, or one less than the ramp has characters: character k below thresholds[k]
  Reverse reverse = Reverse::Never;
  AutoLevels auto_levels = AutoLevels::On;
  Adjustments adjustments;
  double legibility =
      0;  ///< 0 to 1: contrast that a cell's two colours have at least, 1 = half of the code range
  double stability =
      0.5;  ///< 0 to 1: how much better another glyph must be to take a cell's place; 0: every frame alone
  Dither dither = Dither::None;  ///< where output is quantised: ramps and palettes
  std::vector<std::uint32_t>
      palette;  ///< 0xRRGGBB, at most 256: both colours are taken from it; empty: any colour
};

}  // namespace glyphreel::mapping
