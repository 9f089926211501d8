#pragma once

#include <cstdint>
#include <optional>

namespace glyphreel::media {

/// Assigns a time to each frame in presentation order, all in one time base. Timestamps pass unchanged. A
/// missing one becomes the end of the previous frame. A small step back is held at the previous time, so
/// that times never decrease. After a jump back (a spliced stream that starts over), times continue from
/// the splice, and the frames after it keep their spacing.
class PtsGenerator {
 public:
  struct Timing {
    std::int64_t pts = 0;
    std::int64_t duration = 0;  ///< 0: unknown
  };

  /// `typical_duration` is used for frames without a duration (0: unknown). `jump` is the smallest step
  /// back, in units of the time base, that counts as a new start.
  PtsGenerator(std::int64_t start, std::int64_t typical_duration, std::int64_t jump)
      : typical_duration_(typical_duration), jump_(jump), next_(start) {}

  [[nodiscard]] Timing stamp(std::optional<std::int64_t> pts, std::int64_t duration);

  /// Restarts after a seek: the next frame may have any time. `start` is used if it has none.
  void restart(std::int64_t start);

  /// The offset added to timestamps since a jump back; 0 if there was none.
  [[nodiscard]] std::int64_t offset() const { return offset_; }

 private:
  std::int64_t typical_duration_;
  std::int64_t jump_;
  std::int64_t next_;  ///< where the previous frame ends
  std::int64_t offset_ = 0;
  std::optional<std::int64_t> previous_;
};

}  // namespace glyphreel::media
