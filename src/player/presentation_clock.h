#pragma once

#include <chrono>
#include <optional>

namespace glyphreel::player {

/// The clock that playback follows without sound: monotonic, anchored at a frame, stopped while paused.
/// Thread-safety: one thread.
class PresentationClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// From `now` on the clock shows `media_seconds` and runs.
  void anchor(double media_seconds, TimePoint now) {
    media_ = media_seconds;
    since_ = now;
  }
  /// Media time; while paused the time at which it was paused.
  [[nodiscard]] double seconds(TimePoint now) const {
    if (!since_) return media_;
    return media_ + std::chrono::duration<double>(now - *since_).count();
  }
  void pause(TimePoint now) {
    media_ = seconds(now);
    since_.reset();
  }
  void resume(TimePoint now) { since_ = now; }
  [[nodiscard]] bool running() const { return since_.has_value(); }

 private:
  double media_ = 0;
  std::optional<TimePoint> since_;
};

}  // namespace glyphreel::player
