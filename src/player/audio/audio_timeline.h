#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>

namespace glyphreel::player {

/// A gap of up to this many seconds between two audio blocks is filled with silence. An overlap of up to this
/// many seconds is cut off. A longer gap or overlap is treated as a discontinuity of the timestamps.
inline constexpr double MaxAudioGap = 10;

/// Estimates when each frame that the device pulls is played. The times in the device's reports have jitter,
/// so the estimate is a running mean of the reports. Each of the first 32 reports has the same weight; each
/// later report has a weight of 1/32. If three reports in a row agree on a time more than 4 ms from the mean,
/// the estimate changes to that time at once. A single report more than 30 ms from the mean is ignored.
///
/// Thread-safety: one thread at a time.
class DeviceClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit DeviceClock(int rate) : rate_(rate) {}

  /// Adds a report: the frame at `position` is played at `at`.
  void add(std::uint64_t position, TimePoint at);
  /// Sets an estimate that is used until the next report.
  void predict(double position, TimePoint at);

  /// Returns when the frame at position 0 would have been played.
  [[nodiscard]] TimePoint origin() const;
  /// Whether there has been a report since the last predict().
  [[nodiscard]] bool is_measured() const { return count_ > 0; }

 private:
  int rate_;
  double origin_ = 0;  ///< origin() in seconds
  int count_ = 0;
  int count_outside_ = 0;
  double last_outside_ = 0;
};

/// Playback position of the device, readable from any thread. A DeviceClock estimates it from the device's
/// reports. After the output starts or resumes, the position is predicted until the first report.
/// Thread-safety: add() on the output's thread only; predict_start() and predict_resume() on any thread, but
/// only while no add() can run; position() on any thread.
class OutputClock {
 public:
  using TimePoint = DeviceClock::TimePoint;

  explicit OutputClock(int rate) : rate_(rate), clock_(rate) {}

  /// Adds a report: the frame at `position` is played at `at`.
  void add(std::uint64_t position, TimePoint at);
  /// Predicts when the frame at `position` is played if output starts `now`. Uses the latency of earlier
  /// starts.
  void predict_start(double position, TimePoint now);
  /// Predicts when the frame at `position` is played if output resumes `now`.
  void predict_resume(double position, TimePoint now);

  /// Returns the position of the frame that is played `now`; may be negative or fractional.
  [[nodiscard]] double position(TimePoint now) const;

 private:
  void predict(double position, TimePoint at);

  const int rate_;
  DeviceClock clock_;
  /// Latency of earlier starts; initially a typical value.
  std::chrono::nanoseconds start_latency_ = std::chrono::milliseconds(60);
  bool learns_latency_ = false;
  std::atomic<std::int64_t> origin_ns_ = 0;  ///< clock_.origin(), for position() on other threads
};

/// Maps positions in the ring to media time.
/// Thread-safety: one thread at a time.
class PositionToPts {
 public:
  /// Adds a piece: the frame at `position` is at `media_seconds`, and the following frames are
  /// `seconds_per_frame` of media time apart.
  void add(std::uint64_t position, double media_seconds, double seconds_per_frame);
  void clear() { pieces_.clear(); }
  /// Drops pieces that end before `position`.
  void forget_before(double position);

  struct MediaTiming {
    double media_seconds = 0;
    double seconds_per_frame = 0;
  };
  /// Returns the media time at a position. Extrapolates before the first piece and after the last one. The
  /// map must not be empty.
  [[nodiscard]] MediaTiming at(double position) const;

 private:
  struct Piece {
    std::uint64_t position;
    MediaTiming timing;
  };
  std::deque<Piece> pieces_;
};

}  // namespace glyphreel::player
