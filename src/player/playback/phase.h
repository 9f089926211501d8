#pragma once

#include <chrono>
#include <optional>
#include <variant>

namespace glyphreel::player::phase {

using TimePoint = std::chrono::steady_clock::time_point;

/// Waits for the first frame of the input or after a seek. The user may pause or resume meanwhile.
struct Seeking {
  std::optional<double> target;           ///< position; empty: the input opens
  std::optional<TimePoint> requested_at;  ///< empty: the input opens
  double left_at_seconds = 0;             ///< container time where playback was
  bool is_step_back = false;              ///< to the frame before the shown one
  int more_steps_back = 0;                ///< to take after that
  bool steps_forward = false;             ///< one step to take after it
};

/// That frame is being shown. Then playback starts from it.
struct Starting {
  Seeking seek;  ///< that led to the frame; its target no longer counts
};

/// Clock and audio run.
struct Playing {
  TimePoint audio_deadline{};              ///< the clock waits until then for the audio to start
  std::optional<TimePoint> overdue_since;  ///< since when the network's next frame is overdue
};

/// Clock and audio wait until the network has delivered enough frames.
struct Buffering {
  bool restarts = false;  ///< then they start from the shown frame, instead of continuing
};

/// The user has paused.
struct Paused {
  bool restarts = false;       ///< as in Buffering: the shown frame was stepped to
  bool buffers = false;        ///< Buffering comes first
  bool steps_forward = false;  ///< one step to take as soon as there is a frame
};

}  // namespace glyphreel::player::phase

namespace glyphreel::player {

/// What a Playback is doing: Seeking -> Starting -> Playing, Buffering or Paused, and back with each seek.
/// The end of the input is not a phase: the next seek leads back from it.
using Phase = std::variant<phase::Seeking, phase::Starting, phase::Playing, phase::Buffering, phase::Paused>;

}  // namespace glyphreel::player
