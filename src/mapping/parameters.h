#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glyphreel::mapping {

enum class Mode { Ramp, Shape };
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

/// What the user asked of the mapping.
struct Parameters {
  Mode mode = Mode::Shape;
  Color color = Color::Full;
  Sampling sampling = Sampling::Area;
  Luma luma = Luma::Auto;
  std::uint32_t foreground = 0xFFFFFF;  ///< 0xRRGGBB
  std::uint32_t background = 0x000000;
  std::string ramp;             ///< UTF-8, darkest first; empty: all glyphs, placed by their measured ink
  std::vector<int> thresholds;  ///< empty, or one less than the ramp has characters: character k below thresholds[k]
};

}  // namespace glyphreel::mapping
