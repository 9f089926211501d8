#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace glyphreel::player {

/// Seconds. A longer gap or overlap between two blocks of sound starts a new time scale.
inline constexpr double LongestSoundGap = 10;

/// When each frame that the device takes is heard, from what the device says, which jitters: a slow mean,
/// quick at first. Where three answers in a row agree on a time more than 4 ms from it, it jumps there; a
/// single one that is more than 30 ms away counts for nothing.
///
/// Thread-safety: one thread at a time.
class HeardTimes {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit HeardTimes(int rate) : rate_(rate) {}

  /// The device says that the frame at `position` is heard at `at`.
  void add(std::uint64_t position, TimePoint at);
  /// A guess, until the device says something.
  void predict(double position, TimePoint at);

  /// When the frame at position 0 would have been heard; what the rest is counted from.
  [[nodiscard]] TimePoint origin() const;
  /// The device has said something since the last guess.
  [[nodiscard]] bool is_measured() const { return count_ > 0; }

 private:
  int rate_;
  double origin_ = 0;  ///< seconds of the clock
  int count_ = 0;
  int count_outside_ = 0;
  double last_outside_ = 0;
};

/// Which media time lies at which position.
/// Thread-safety: one thread at a time.
class MediaMap {
 public:
  /// From `position` on frames lie `seconds_per_frame` of media time apart, starting at `media_seconds`.
  void add(std::uint64_t position, double media_seconds, double seconds_per_frame);
  void clear() { pieces_.clear(); }
  /// Forgets pieces that end before `position`.
  void forget_before(double position);

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  struct Place {
    double media_seconds = 0;
    double seconds_per_frame = 0;
  };
  /// Before the first piece and after the last time runs on as in them. Not of an empty map.
  [[nodiscard]] Place at(double position) const;

 private:
  struct Piece {
    std::uint64_t position;
    Place place;
  };
  std::deque<Piece> pieces_;
};

}  // namespace glyphreel::player
