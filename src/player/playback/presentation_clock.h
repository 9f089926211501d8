#pragma once

#include <chrono>

namespace glyphreel::player {

/// The clock that decides which frame is due. anchor() sets it to the time of a frame or of the audio. From
/// there it advances with the steady clock, except while it is paused.
/// Thread-safety: one thread.
class PresentationClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Sets the clock to `media_seconds` at `now`. Does not change whether it is running.
  void anchor(double media_seconds, TimePoint now) {
    media_ = media_seconds;
    since_ = now;
  }
  /// Returns the media time. It does not change while the clock is paused.
  [[nodiscard]] double seconds(TimePoint now) const {
    return running_ ? media_ + std::chrono::duration<double>(now - since_).count() * rate_ : media_;
  }
  /// Sets how many media seconds the clock advances per second from `now` on. `rate` must be above 0.
  void set_rate(double rate, TimePoint now) {
    anchor(seconds(now), now);
    rate_ = rate;
  }
  [[nodiscard]] double rate() const { return rate_; }
  void pause(TimePoint now) {
    media_ = seconds(now);
    running_ = false;
  }
  /// Resumes the clock. Does nothing if it is already running.
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
