#pragma once

#include <chrono>

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
    running_ = true;
  }
  /// Media time; while paused the time at which it was paused.
  [[nodiscard]] double seconds(TimePoint now) const {
    return running_ ? media_ + std::chrono::duration<double>(now - since_).count() : media_;
  }
  void pause(TimePoint now) {
    media_ = seconds(now);
    running_ = false;
  }
  /// Nothing where it runs already.
  void resume(TimePoint now) {
    if (!running_) since_ = now;
    running_ = true;
  }
  [[nodiscard]] bool running() const { return running_; }

 private:
  double media_ = 0;
  TimePoint since_{};
  bool running_ = false;
};

}  // namespace glyphreel::player
