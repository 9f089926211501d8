#pragma once

#include <cstdint>

#include "base/frame.h"

namespace glyphreel::parity {

/// Frames as video has them: things that stand and things that move, noise, and what ends a sequence.
struct MovingOptions {
  Extent size{200, 120};
  std::uint32_t seed = 1;
  int noise = 2;  ///< code values that a pixel's luma is off by, at most
};

// What befalls the sequence, by frame.
inline constexpr int FadeFrame = 12;   ///< from here it darkens to a quarter ...
inline constexpr int FadeFrames = 8;   ///< ... within so many frames, and stays so until the cut
inline constexpr int CutFrame = 24;    ///< another scene
inline constexpr int EpochFrame = 33;  ///< the same scene goes on in another epoch
inline constexpr int SequenceFrames = 44;

/// Frame `index` of a sequence of 8-bit 4:2:0, in memory of its own; the same for the same arguments
/// everywhere. Its durations differ, and some are unknown.
[[nodiscard]] Frame moving_frame(const MovingOptions& options, int index);

}  // namespace glyphreel::parity
