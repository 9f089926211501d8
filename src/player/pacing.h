#pragma once

#include <limits>
#include <span>

namespace glyphreel::player {

/// A late frame is still shown while it is at most this late; beyond that it is dropped for a newer one that
/// is due. Below what people notice as broken lip-sync (ITU-R BT.1359: 45 ms early, 125 ms late), and long
/// enough that one hiccup of a busy machine costs no frame.
inline constexpr double LateToleranceSeconds = 0.050;

/// Without sound, a frame that comes so much later than the one before it ends is taken for a jump of the
/// stream's time, as in a spliced recording, not for a picture that stands: time goes on where the splice is.
inline constexpr double JumpSeconds = 60;

/// When pictures come on the screen, in media seconds, so that speed is in it already.
struct ScreenTimes {
  /// When a picture that is sent now comes on: now, where nothing is known of the screen; half an interval
  /// later, as the best guess, where it waits for the screen's next refresh.
  double next = 0;
  /// From one refresh to the next; 0: unknown, or a picture does not wait for it.
  double interval = 0;
  /// When the picture sent last came on, by the same guess.
  double last = -std::numeric_limits<double>::infinity();
};

/// What to do next with the queued frames.
struct PacingDecision {
  int drop = 0;             ///< so many of the oldest are thrown away, before any work is spent on them
  int skip = 0;             ///< of those, for being more than the screen can show: they were not late
  bool show = false;        ///< then the oldest left is shown now
  double wait_seconds = 0;  ///< otherwise: media seconds until its time has come
};

/// Which frame for which refresh of the screen.
///
/// A frame is due when a picture sent now would come on at its time or later. Of the due frames the oldest is
/// shown, late or not, unless it is more than `tolerance` late and a newer one is due too: then it is
/// dropped. So a short hiccup is caught up by showing frames faster, a long one by dropping, and the last
/// frame that is due is always shown.
///
/// Where the screen's interval is known, frames less than one and a half intervals apart cannot be caught up
/// with: they are dropped once they are half an interval late and the next is nearer. Of frames that follow
/// each other faster than the screen can show them, the one is shown whose time is nearest to the refresh
/// that the next picture can have, at the soonest one interval after the last. So a film of twice the
/// screen's rate loses every second frame, evenly, and none of them for being late. All others are sent by
/// their own time, and the screen rounds that to a refresh: at the screen's own rate every frame stays one,
/// however the two clocks lie to each other, and at 24 frames on 60 Hz they stay 2:3.
///
/// `queued_pts`: seconds, not falling, oldest first; not empty.
[[nodiscard]] PacingDecision decide(const ScreenTimes& screen, std::span<const double> queued_pts,
                                    double tolerance = LateToleranceSeconds);
/// The same with nothing known of the screen. `now`: the clock, seconds on the frames' scale.
[[nodiscard]] PacingDecision decide(double now, std::span<const double> queued_pts,
                                    double tolerance = LateToleranceSeconds);

/// How many intervals too long a picture stood. `excess`: seconds on the screen, less those from its time to
/// that of the picture after it. `interval`: the screen's, or the film's where that is unknown; 0: neither is
/// known.
[[nodiscard]] int repeats(double excess, double interval);

/// Whether the stream's time jumps before a frame at `pts`, where the one before it ends at `previous_end`.
[[nodiscard]] bool is_jump(double previous_end, double pts);

}  // namespace glyphreel::player
