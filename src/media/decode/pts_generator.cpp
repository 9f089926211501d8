#include "media/decode/pts_generator.h"

#include <algorithm>

namespace glyphreel::media {

PtsGenerator::Timing PtsGenerator::stamp(std::optional<std::int64_t> pts, std::int64_t duration) {
  Timing timing;
  timing.duration = duration > 0 ? duration : typical_duration_;
  timing.pts = pts ? *pts + offset_ : next_;
  if (previous_ && timing.pts < *previous_) {
    if (*previous_ - timing.pts >= jump_) {
      offset_ += next_ - timing.pts;
      timing.pts = next_;
    } else {
      timing.pts = *previous_;
    }
  }
  previous_ = timing.pts;
  next_ = timing.pts + std::max<std::int64_t>(timing.duration, 1);
  return timing;
}

void PtsGenerator::restart(std::int64_t start) {
  previous_.reset();
  offset_ = 0;
  next_ = start;
}

}  // namespace glyphreel::media
