#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/mode.h"
#include "base/picture_choices.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

enum class Color : std::uint32_t {
  Mono = shared::ColorMono,  ///< fixed foreground and background
  Fg = shared::ColorFg,      ///< any foreground, fixed background
  Full = shared::ColorFull,  ///< any foreground and background
};
/// Whether light is scaled so that the brightest parts of a frame get the brightest glyph. Has no effect with
/// Color::Full.
enum class AutoLevels { Off, On };

/// Changes to the picture before it is mapped, in mpv's units: -100 to 100, 0 = unchanged.
struct Adjustments {
  int brightness = 0;
  int contrast = 0;
  int gamma = 0;
  int saturation = 0;
  bool inverted = false;
  ToneMapping tone_mapping = ToneMapping::Auto;  ///< for HDR only; all other members also change SDR
  bool operator==(const Adjustments&) const = default;
};

/// The legibility at which 95 % of the cells of a typical clip show a visible glyph (docs/fidelity.md).
inline constexpr double DefaultLegibility = 0.163;

/// The user's settings for mapping. All frames of a sequence have the same Parameters; only Adjustments may
/// change from frame to frame.
struct Parameters {
  Mode mode = Mode::Shape;
  Color color = Color::Full;
  Sampling sampling = Sampling::Area;
  Luma luma = Luma::Auto;
  std::uint32_t foreground = 0xFFFFFF;  ///< 0xRRGGBB
  std::uint32_t background = 0x000000;
  std::string ramp;  ///< UTF-8, darkest first; empty: all glyphs, ordered by their measured coverage
  /// Empty, or one threshold fewer than the ramp has characters. Character k is used for tones from
  /// thresholds[k - 1] up to, but not including, thresholds[k].
  std::vector<int> thresholds;
  Reverse reverse = Reverse::Never;
  AutoLevels auto_levels = AutoLevels::On;
  /// Minimum contrast between a cell's two colors, 0 to 1; 1 = half of the range of lightness. If empty, 0 is
  /// used for mosaics, wide characters and palettes, because they show detail by colors, and also for ramps
  /// with thresholds. In all other cases, DefaultLegibility is used.
  std::optional<double> legibility = 0;
  double stability = 0.5;              ///< 0 to 1: how strongly a cell keeps its last glyph; 0: not at all
  Dither dither = Dither::None;        ///< for ramps and palettes
  std::vector<std::uint32_t> palette;  ///< at most 256 colors 0xRRGGBB that cells may use; empty: any color
  bool operator==(const Parameters&) const = default;
};

}  // namespace glyphreel::mapping
