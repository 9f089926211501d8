#pragma once

#include <cstdint>

#include "base/frame.h"

namespace glyphreel::parity {

/// Options of a sequence of video-like frames. The sequence has static and moving objects, noise, a fade, a
/// cut and a change of epoch.
struct MovingOptions {
  Extent size{200, 120};
  std::uint32_t seed = 1;
  int noise = 2;  ///< maximum deviation of a pixel's luma, in code values
  /// Whether 9 of the picture's 4 x 3 areas change only in some frames, so that most of the picture is still.
  bool partly_still = false;
};

// Events in the sequence, by frame.
inline constexpr int FadeFrame = 12;   ///< first frame of a fade to a quarter of the luma
inline constexpr int FadeFrames = 8;   ///< length of the fade; the picture then stays dark until CutFrame
inline constexpr int CutFrame = 24;    ///< first frame of another scene
inline constexpr int EpochFrame = 33;  ///< the same scene continues in another epoch
inline constexpr int SequenceFrames = 44;

/// Returns frame `index` of a sequence. The frame is in 8-bit 4:2:0 format and owns its memory. Frames are
/// the same on every machine. Frames have different durations, and the durations of some frames are unknown
/// (0).
[[nodiscard]] Frame moving_frame(const MovingOptions& options, int index);

}  // namespace glyphreel::parity
