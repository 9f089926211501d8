#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame.h"

namespace glyphreel::media {

/// Repeats and leaves out frames for a constant frame rate. Each frame moves to the nearest multiple of the
/// new frame length; of several that move to the same multiple, the last one is kept. Thread-safety: one
/// thread at a time.
class FrameRateConverter {
 public:
  /// `rate`: frames per second. `first_pts`: the time from which multiples count, in units of `time_base`,
  /// the time base of the input.
  FrameRateConverter(Rational rate, Rational time_base, std::int64_t first_pts);

  /// Returns the time base of the converted frames, in which the multiples are integers if possible.
  [[nodiscard]] Rational time_base() const { return {1, units_per_second_}; }
  /// Returns the constructor's `first_pts` in units of time_base().
  [[nodiscard]] std::int64_t first_pts() const { return origin_; }

  /// Takes the next frame; times must not decrease. Returns the previous frame, once for each multiple from
  /// its own to the one before that of `frame`; none for the first frame.
  [[nodiscard]] std::vector<Frame> add(Frame frame);
  /// Returns the last frame, once for each multiple until its duration ends. In all, add() and finish()
  /// return at least one frame, unless none was added.
  [[nodiscard]] std::vector<Frame> finish();

 private:
  [[nodiscard]] std::int64_t in_units(std::int64_t pts) const;
  [[nodiscard]] std::int64_t multiple_at(std::int64_t pts) const;
  [[nodiscard]] std::int64_t time_of(std::int64_t multiple) const;
  [[nodiscard]] std::vector<Frame> held_until(std::int64_t multiple);

  Rational rate_;
  Rational from_;
  std::int64_t units_per_second_ = 1;
  std::int64_t origin_ = 0;
  std::int64_t next_ = 0;  ///< the multiple at which the held frame begins
  bool has_returned_ = false;
  std::optional<Frame> held_;
};

}  // namespace glyphreel::media
