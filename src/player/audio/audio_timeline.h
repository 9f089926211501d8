#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace glyphreel::player {

/// Seconds. A longer gap or overlap between two audio blocks starts a new timeline.
inline constexpr double MaxAudioGap = 10;

/// Estimates when each frame that the device takes is played. The device's reports jitter, so this is a
/// slow mean, quick at first. If three reports in a row agree on a time more than 4 ms from the mean, it
/// moves there at once; a single report that is more than 30 ms away is ignored.
///
/// Thread-safety: one thread at a time.
class DeviceClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit DeviceClock(int rate) : rate_(rate) {}

  /// Adds a report: the frame at `position` is played at `at`.
  void add(std::uint64_t position, TimePoint at);
  /// Sets a guess that holds until the next report.
  void predict(double position, TimePoint at);

  /// Returns when the frame at position 0 would have been played; other positions count from it.
  [[nodiscard]] TimePoint origin() const;
  /// Whether there has been a report since the last guess.
  [[nodiscard]] bool is_measured() const { return count_ > 0; }

 private:
  int rate_;
  double origin_ = 0;  ///< seconds of the clock
  int count_ = 0;
  int count_outside_ = 0;
  double last_outside_ = 0;
};

/// Maps positions in the ring to media time.
/// Thread-safety: one thread at a time.
class PositionToPts {
 public:
  /// From `position` on, frames are `seconds_per_frame` of media time apart, and the first is at
  /// `media_seconds`.
  void add(std::uint64_t position, double media_seconds, double seconds_per_frame);
  void clear() { pieces_.clear(); }
  /// Drops pieces that end before `position`.
  void forget_before(double position);

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  struct Place {
    double media_seconds = 0;
    double seconds_per_frame = 0;
  };
  /// Extrapolates before the first piece and after the last one. The map must not be empty.
  [[nodiscard]] Place at(double position) const;

 private:
  struct Piece {
    std::uint64_t position;
    Place place;
  };
  std::deque<Piece> pieces_;
};

}  // namespace glyphreel::player
