#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/frame.h"

namespace glyphreel::parity {

/// A pixel layout, and FFmpeg's name for it.
struct NamedLayout {
  const char* name;
  PixelLayout layout;
};

/// Returns every kind of PixelLayout: planar and packed, 8 to 16 bits, all orders of components, all
/// subsamplings.
[[nodiscard]] std::span<const NamedLayout> all_layouts();
[[nodiscard]] const NamedLayout& layout_named(const std::string& name);

/// The content of the pixels. All patterns are written as code values, regardless of the range.
enum class Pattern {
  Random,   ///< uniform over all codes
  Black,    ///< all codes 0
  White,    ///< all codes at their maximum
  Checker,  ///< 0 and the maximum, alternating by pixel
  Stripes,  ///< diagonal stripes of 3 x 5 sample blocks: every third stripe at the maximum, others 0
  Smooth,   ///< a slow gradient, like most video
  Faint,    ///< mid-gray plus noise up to 3/255 of the range: near the limit at which cells count as flat
  Halves,   ///< two colors, random per frame, separated by a slanted edge
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

/// Returns a frame. Each plane ends directly before an inaccessible page, so that a read beyond the plane's
/// end crashes the test. With `bottom_up`, each plane begins directly after an inaccessible page instead, so
/// that a read before the plane's beginning crashes the test.
[[nodiscard]] Frame make_frame(const FrameOptions& options);

/// Returns the width and height of one component's plane in samples.
[[nodiscard]] Extent component_extent(const ComponentLayout& component, Extent size);

}  // namespace glyphreel::parity
