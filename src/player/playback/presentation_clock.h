#pragma once

#include <chrono>

namespace glyphreel::player {

/// The clock that playback follows: monotonic, anchored at a frame or at the audio, stopped while paused.
/// Thread-safety: one thread.
class PresentationClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Sets the clock to `media_seconds` at `now`; it stays running or paused as before.
  void anchor(double media_seconds, TimePoint now) {
    media_ = media_seconds;
    since_ = now;
  }
  /// Returns the media time; while paused, the time at which it was paused.
  [[nodiscard]] double seconds(TimePoint now) const {
    return running_ ? media_ + std::chrono::duration<double>(now - since_).count() * rate_ : media_;
  }
  /// Sets the media seconds per second from `now` on, above 0.
  void set_rate(double rate, TimePoint now) {
    anchor(seconds(now), now);
    rate_ = rate;
  }
  [[nodiscard]] double rate() const { return rate_; }
  void pause(TimePoint now) {
    media_ = seconds(now);
    running_ = false;
  }
  /// Does nothing if the clock is already running.
  void resume(TimePoint now) {
    if (!running_) since_ = now;
    running_ = true;
  }
  [[nodiscard]] bool running() const { return running_; }

 private:
  double media_ = 0;
  double rate_ = 1;
  TimePoint since_{};
  bool running_ = false;
};

}  // namespace glyphreel::player
