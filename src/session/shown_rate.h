#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace glyphreel::session {

/// Measures how many frames per second are shown while a video plays: from the first frame on, without
/// pauses, seeks and waits for the network. Starts paused. Thread-safety: one thread at a time.
class ShownRate {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Sets whether the video plays. Call this at each step of the player's loop. Times must not decrease.
  void set_playing(bool is_playing, TimePoint now) {
    if (is_playing == is_playing_) return;
    if (since_) {
      if (is_playing_) waited_ += now - *since_;
      since_ = now;
    }
    is_playing_ = is_playing;
  }
  /// Call for each new frame on the screen. If the video plays, counts the frame and the time played since
  /// the last frame. Does not count the first frame after a seek, because the video does not play until that
  /// frame is shown.
  void note_frame(TimePoint now) {
    if (since_ && is_playing_) {
      played_ += waited_ + (now - *since_);
      ++intervals_;
    }
    waited_ = {};
    since_ = now;
  }
  /// Returns the frames per second; 0 if no frame has been counted yet.
  [[nodiscard]] double per_second() const {
    const double seconds = std::chrono::duration<double>(played_).count();
    return seconds > 0 ? static_cast<double>(intervals_) / seconds : 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_playing_ = false;
  std::optional<TimePoint> since_;  ///< time of the last frame, or of a later change of `is_playing_`
  Clock::duration waited_{};        ///< time played between the last frame and `since_`
  Clock::duration played_{};        ///< total length of the intervals between frames
  std::int64_t intervals_ = 0;
};

}  // namespace glyphreel::session
