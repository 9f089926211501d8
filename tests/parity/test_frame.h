#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/frame.h"

namespace glyphreel::parity {

/// One way in which pixels lie in memory, by FFmpeg's name for it.
struct NamedLayout {
  const char* name;
  PixelLayout layout;
};

/// Every kind of PixelLayout: planar and packed, 8 to 16 bits, all orders of components, all subsamplings.
[[nodiscard]] std::span<const NamedLayout> all_layouts();
[[nodiscard]] const NamedLayout& layout_named(const std::string& name);

/// What the pixels show. All are written as code values, without regard to their range.
enum class Pattern {
  Random,   ///< uniform over all codes
  Black,    ///< all codes 0
  White,    ///< all codes at their greatest
  Checker,  ///< 0 and the greatest, pixel by pixel
  Stripes,  ///< a few of the greatest over a few of 0, as strokes are
  Smooth,   ///< a slow gradient, as most video is
  Faint,    ///< mid-grey within three codes: around the threshold at which cells count as flat
  Halves,   ///< two colors of the frame's own, parted by a slanted edge
};
inline constexpr int PatternCount = 8;
[[nodiscard]] const char* pattern_name(Pattern pattern);

struct FrameOptions {
  NamedLayout layout;
  Extent size;
  ColorTags color;
  Pattern pattern = Pattern::Random;
  std::uint32_t seed = 1;
  Rotation rotation = Rotation::None;
  Rational sample_aspect_ratio{1, 1};
  bool bottom_up = false;  ///< negative strides
};

/// A frame whose planes each begin on a page of their own and end against an inaccessible one, so that a read
/// beyond the last sample (before the first, where rows run upwards) ends the test.
[[nodiscard]] Frame make_frame(const FrameOptions& options);

/// Samples across and down one component's plane.
[[nodiscard]] Extent component_extent(const ComponentLayout& component, Extent size);

}  // namespace glyphreel::parity
