#pragma once

#include <limits>
#include <optional>
#include <span>

namespace glyphreel::player {

/// A frame that is at most this late is still shown; a frame later than this is dropped if a newer frame is
/// due. The limit is close to the lip-sync error that viewers begin to notice (ITU-R BT.1359: audio 45 ms
/// early or 125 ms late), and long enough that one short delay of a busy machine drops no frame.
inline constexpr double LateToleranceSeconds = 0.050;

/// Without audio, a gap longer than this between the end of a frame and the start of the next frame is
/// treated as a discontinuity of the timestamps, as in a spliced recording, and not as a long still image:
/// the clock jumps to the next frame's timestamp.
inline constexpr double DiscontinuitySeconds = 60;

/// When frames appear on the screen. All values are in media seconds: a real duration is multiplied by the
/// playback speed.
struct ScreenTimes {
  /// The expected time at which a frame that is sent now appears: the current time plus screen_delay().
  double next = 0;
  /// Time from one refresh to the next; 0 if unknown, or if frames do not wait for refreshes.
  double interval = 0;
  /// When the most recently sent frame appeared, estimated like `next`.
  double last = -std::numeric_limits<double>::infinity();
};

/// The screen's timing, in seconds.
struct ScreenTiming {
  /// Time from one refresh to the next; 0 if unknown, or if frames do not wait for refreshes.
  double interval = 0;
  /// Time from presenting a frame until the screen shows it, excluding the wait for a refresh; empty if
  /// unknown.
  std::optional<double> latency;
};

/// Returns the average time, in seconds, from presenting a frame until the screen shows it: half an interval
/// until the next refresh, plus the latency rounded down to whole intervals. At most three intervals of
/// latency count, because a longer latency means that frames are queuing up. If the interval is unknown,
/// returns the latency, but at most LateToleranceSeconds.
[[nodiscard]] double screen_delay(const ScreenTiming& screen);

/// What to do next with the queued frames.
struct PacingDecision {
  int drop = 0;             ///< number of oldest frames to drop without mapping them
  int skip = 0;             ///< how many of the `drop` frames are dropped only because the screen is too slow
  bool show = false;        ///< show the oldest remaining frame now
  double wait_seconds = 0;  ///< if `show` is false: media seconds until the oldest remaining frame is due
};

/// Decides which frame to show for which refresh of the screen.
///
/// A frame that is sent now appears at ScreenTimes::next, so a frame is due once `next` has reached the
/// frame's time. The oldest frame is shown as soon as it is due, even if it is late, unless one of three
/// rules drops the frame:
///  - If frames are at least one and a half screen intervals apart, or the interval is unknown: a frame is
///    dropped if it is more than LateToleranceSeconds late and a newer frame is due too. So playback recovers
///    from a short delay by showing frames faster, and from a long delay by dropping frames.
///  - If frames are closer together, no refreshes are left for catching up. A frame is dropped if it is more
///    than half an interval late and the time of the following frame is nearer to the next refresh.
///  - If the video's rate exceeds the screen's, each refresh shows the frame whose time is nearest to that
///    refresh. Two refreshes are at least one interval apart. So a video at twice the screen's rate skips
///    every second frame, and none of the skipped frames counts as late.
///
/// If the video's rate equals the screen's rate, each frame is shown for one refresh, regardless of how the
/// frames' times and the refreshes are aligned. At 24 fps on 60 Hz, frames are alternately shown for 2 and 3
/// refreshes.
///
/// `queued_pts`: seconds, non-decreasing, oldest first; not empty.
[[nodiscard]] PacingDecision decide(const ScreenTimes& screen, std::span<const double> queued_pts);

/// Returns for how many extra intervals a frame stayed on the screen. `excess`: how many seconds longer than
/// its duration the frame was on the screen. `interval`: seconds between the screen's refreshes, or seconds
/// between the video's frames if the refresh interval is unknown; 0 if both are unknown.
[[nodiscard]] int repeats(double excess, double interval);

/// Whether the timestamps have a discontinuity before a frame at `pts`, if the previous frame ends at
/// `previous_end`.
[[nodiscard]] bool is_discontinuity(double previous_end, double pts);

}  // namespace glyphreel::player
