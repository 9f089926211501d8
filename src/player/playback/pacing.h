#pragma once

#include <limits>
#include <span>

namespace glyphreel::player {

/// A frame that is at most this late is still shown; a later one is dropped if a newer one is due. Below
/// what people notice as broken lip sync (ITU-R BT.1359: 45 ms early, 125 ms late), and long enough that
/// one hiccup of a busy machine costs no frame.
inline constexpr double LateToleranceSeconds = 0.050;

/// Without audio, a frame that starts this long after the previous one ends is taken for a discontinuity of
/// the stream's timestamps, as in a spliced recording, not for a long still image: the clock continues at
/// the splice.
inline constexpr double DiscontinuitySeconds = 60;

/// When frames appear on the screen, in media seconds, so that speed is already included.
struct ScreenTimes {
  /// When a frame sent now would appear: now, if nothing is known about the screen; half an interval
  /// later, as the best guess, if it waits for the screen's next refresh.
  double next = 0;
  /// From one refresh to the next; 0: unknown, or frames do not wait for it.
  double interval = 0;
  /// When the last frame sent appeared, by the same guess.
  double last = -std::numeric_limits<double>::infinity();
};

/// What to do next with the queued frames.
struct PacingDecision {
  int drop = 0;             ///< the number of oldest frames to drop, before any work is spent on them
  int skip = 0;             ///< of those, the ones that exceed what the screen can show: they were not late
  bool show = false;        ///< then show the oldest frame left now
  double wait_seconds = 0;  ///< otherwise: media seconds until that frame is due
};

/// Decides which frame to show for which refresh of the screen.
///
/// A frame is due if, sent now, it would appear at its time or later. The oldest due frame
/// is shown, late or not, unless it is more than LateToleranceSeconds late and a newer one is due too: then
/// it is dropped. So playback recovers from a short hiccup by showing frames faster, and from a long one by
/// dropping, and always shows the last frame that is due.
///
/// If the screen's interval is known, frames less than one and a half intervals apart leave no room to
/// catch up: such a frame is dropped once it is half an interval late and the next one is nearer. If frames
/// follow each other faster than the screen can show them, the one shown is the one whose time is nearest
/// to the next frame's refresh, which is at the earliest one interval after the last. So a video at twice
/// the screen's rate loses every second frame, evenly, and none of them for being late. All other frames
/// are sent at their own time, and the screen rounds that to a refresh: at the screen's own rate every
/// frame gets one refresh, whatever the phase between the two clocks, and 24 fps on 60 Hz stays 2:3.
///
/// `queued_pts`: seconds, non-decreasing, oldest first; not empty.
[[nodiscard]] PacingDecision decide(const ScreenTimes& screen, std::span<const double> queued_pts);

/// Returns for how many intervals too long a frame was shown. `excess`: its seconds on the screen minus
/// the seconds from its time to the next frame's. `interval`: the screen's, or the video's if that is
/// unknown; 0: neither is known.
[[nodiscard]] int repeats(double excess, double interval);

/// Whether the timestamps have a discontinuity before a frame at `pts`, if the previous one ends at
/// `previous_end`.
[[nodiscard]] bool is_discontinuity(double previous_end, double pts);

}  // namespace glyphreel::player
