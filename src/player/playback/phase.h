#pragma once

#include <chrono>
#include <optional>
#include <variant>

namespace glyphreel::player::phase {

using TimePoint = std::chrono::steady_clock::time_point;

/// Playback waits for the first frame of the input or of a seek. The user may pause or resume meanwhile.
struct Seeking {
  std::optional<double> target;           ///< position in seconds; empty if the input was just opened
  std::optional<TimePoint> requested_at;  ///< empty if the input was just opened
  double left_at_seconds = 0;             ///< container time of the position before the seek
  bool is_step_back = false;              ///< the seek goes to the frame before the shown frame
  int more_steps_back = 0;                ///< number of backward steps that follow this seek
  bool steps_forward = false;             ///< make one step forward after this seek
};

/// The first frame is being shown. Playback will start from it.
struct Starting {
  Seeking seek;  ///< the seek to this frame; its target is no longer used
};

/// The clock and the audio are running.
struct Playing {
  TimePoint audio_deadline{};  ///< the clock waits for the audio to start, at most until this time
  std::optional<TimePoint> overdue_since;  ///< when the next frame from the network became overdue
};

/// The clock and the audio are stopped until the network has delivered enough frames.
struct Buffering {
  /// True: after buffering, playback restarts from the shown frame. False: it continues where it stopped.
  bool restarts = false;
};

/// The user has paused.
struct Paused {
  bool restarts = false;       ///< as in Buffering; also set when a step changes the shown frame
  bool buffers = false;        ///< playback enters Buffering when the user resumes it
  bool steps_forward = false;  ///< make one step forward as soon as a frame is available
};

}  // namespace glyphreel::player::phase

namespace glyphreel::player {

/// State of a Playback: Seeking -> Starting -> Playing, Buffering or Paused. Each seek leads back to Seeking.
/// The end of the input is not a phase, because a seek can continue playback from there.
using Phase = std::variant<phase::Seeking, phase::Starting, phase::Playing, phase::Buffering, phase::Paused>;

}  // namespace glyphreel::player
