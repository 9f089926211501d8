#pragma once

#include <cstdint>
#include <optional>

namespace glyphreel::media {

/// Assigns a time to each frame, in presentation order. Normally, a frame's time is its timestamp. If the
/// timestamp is missing, the time is the end of the previous frame. If timestamps step back a little, the
/// previous time is repeated, so that times never decrease. If they jump back, as in a spliced stream, times
/// continue at the end of the previous frame, and later frames keep their spacing.
class PtsGenerator {
 public:
  struct Timing {
    std::int64_t pts = 0;
    std::int64_t duration = 0;  ///< 0: unknown
  };

  /// All times are in units of one time base. `start` is the time of the first frame if that frame has no
  /// timestamp. `typical_duration` is used for frames without a duration (0: unknown). A step back of at
  /// least `jump` counts as a splice.
  PtsGenerator(std::int64_t start, std::int64_t typical_duration, std::int64_t jump)
      : typical_duration_(typical_duration), jump_(jump), next_(start) {}

  [[nodiscard]] Timing stamp(std::optional<std::int64_t> pts, std::int64_t duration);

  /// Restarts after a seek: the next frame may have any time. `start` is used if that frame has no
  /// timestamp.
  void restart(std::int64_t start);

  /// Returns the offset added to timestamps since the last jump back; 0 if there was none.
  [[nodiscard]] std::int64_t offset() const { return offset_; }

 private:
  std::int64_t typical_duration_;
  std::int64_t jump_;
  std::int64_t next_;  ///< end of the previous frame
  std::int64_t offset_ = 0;
  std::optional<std::int64_t> previous_;
};

}  // namespace glyphreel::media
