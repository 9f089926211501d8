#pragma once

#include <span>

namespace glyphreel::player {

/// A late frame is still shown while it is at most this late; beyond that it is dropped for a newer one that is due.
/// Below what people notice as broken lip-sync (ITU-R BT.1359: 45 ms early, 125 ms late), and long enough that one
/// hiccup of a busy machine costs no frame.
inline constexpr double LateToleranceSeconds = 0.050;

/// What to do next with the queued frames.
struct PacingDecision {
  int drop = 0;             ///< so many of the oldest are thrown away, before any work is spent on them
  bool show = false;        ///< then the oldest left is shown now
  double wait_seconds = 0;  ///< otherwise: until its time has come
};

/// The late-frame policy. A frame is due when the clock reaches its pts. Of the due frames the oldest is shown, late
/// or not, unless it is more than `tolerance` late and a newer one is due too: then it is dropped. So a short hiccup
/// is caught up by showing frames faster, a long one by dropping, and the last frame that is due is always shown.
///
/// `queued_pts`: seconds, rising, oldest first; not empty. `now`: the clock, seconds on the same scale.
[[nodiscard]] PacingDecision decide(double now, std::span<const double> queued_pts,
                                    double tolerance = LateToleranceSeconds);

}  // namespace glyphreel::player
