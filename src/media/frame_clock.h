#pragma once

#include <cstdint>
#include <optional>

namespace glyphreel::media {

/// Gives each frame in presentation order its time, all in one time base. Stamps pass unchanged; a missing
/// one is the previous frame's end; a small step back is held at the previous time, so that times never fall;
/// a jump back (a spliced stream that starts over) goes on where the splice is, and the frames after it keep
/// their distances.
class FrameClock {
 public:
  struct Timing {
    std::int64_t pts = 0;
    std::int64_t duration = 0;  ///< 0: unknown
  };

  /// `typical_duration` stands in for frames without one (0: none known); `jump` is the least step back, in
  /// units of the time base, that counts as a new start.
  FrameClock(std::int64_t start, std::int64_t typical_duration, std::int64_t jump)
      : typical_duration_(typical_duration), jump_(jump), next_(start) {}

  [[nodiscard]] Timing stamp(std::optional<std::int64_t> pts, std::int64_t duration);

  /// After a seek: the next frame may have any time. `start` is taken where it has none.
  void restart(std::int64_t start);

  /// What is added to stamps since a jump back; 0: there was none.
  [[nodiscard]] std::int64_t offset() const { return offset_; }

 private:
  std::int64_t typical_duration_;
  std::int64_t jump_;
  std::int64_t next_;  ///< where the previous frame ends
  std::int64_t offset_ = 0;
  std::optional<std::int64_t> previous_;
};

}  // namespace glyphreel::media
