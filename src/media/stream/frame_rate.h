#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame.h"

namespace glyphreel::media {

/// Converts frames to a constant frame rate by repeating and dropping frames. In these comments, "multiple n"
/// means the time at which output frame n starts: n output frame durations after the constructor's
/// `first_pts`. Each input frame's time is rounded to the nearest multiple. If several input frames are
/// rounded to the same multiple, only the last of these frames is kept. Thread-safety: one thread at a time.
class FrameRateConverter {
 public:
  /// `rate`: frames per second of the output. `time_base`: time base of the input. `first_pts`: multiple 0,
  /// in units of `time_base`.
  FrameRateConverter(Rational rate, Rational time_base, std::int64_t first_pts);

  /// Returns the time base of the output frames. This time base represents each multiple exactly, unless the
  /// denominator would exceed the range of an int.
  [[nodiscard]] Rational time_base() const { return {1, units_per_second_}; }
  /// Returns the constructor's `first_pts` in units of time_base().
  [[nodiscard]] std::int64_t first_pts() const { return origin_; }

  /// Adds the next frame; times must not decrease. Returns the previous frame once for each multiple at which
  /// it is shown: from its own multiple up to, but not including, the multiple of `frame`. Returns nothing
  /// for the first frame.
  [[nodiscard]] std::vector<Frame> add(Frame frame);
  /// Returns the last frame once for each multiple until the frame's duration ends. Together, add() and
  /// finish() return at least one frame, unless no frame was added.
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
  std::int64_t next_ = 0;  ///< the next multiple at which to return the held frame
  bool has_returned_ = false;
  std::optional<Frame> held_;
};

}  // namespace glyphreel::media
