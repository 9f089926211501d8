#include "media/stream/frame_rate.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

extern "C" {
#include <libavutil/mathematics.h>
}

namespace glyphreel::media {
FrameRateConverter::FrameRateConverter(Rational rate, Rational time_base, std::int64_t first_pts)
    : rate_(rate), from_(time_base), units_per_second_(time_base.denominator) {
  // FFmpeg stores the denominators of time bases as int.
  constexpr std::int64_t Largest = std::numeric_limits<int>::max();
  const std::int64_t factor = rate.numerator / std::gcd(rate.numerator, time_base.denominator);
  if (factor <= Largest / time_base.denominator) units_per_second_ *= factor;
  origin_ = in_units(first_pts);
}

std::int64_t FrameRateConverter::in_units(std::int64_t pts) const {
  return av_rescale(pts, from_.numerator * units_per_second_, from_.denominator);
}

std::int64_t FrameRateConverter::multiple_at(std::int64_t pts) const {
  return av_rescale(in_units(pts) - origin_, rate_.numerator, rate_.denominator * units_per_second_);
}

std::int64_t FrameRateConverter::time_of(std::int64_t multiple) const {
  return origin_ + av_rescale(multiple, rate_.denominator * units_per_second_, rate_.numerator);
}

std::vector<Frame> FrameRateConverter::held_until(std::int64_t multiple) {
  std::vector<Frame> frames;
  for (; held_ && next_ < multiple; ++next_) {
    Frame& frame = frames.emplace_back(*held_);
    frame.pts = time_of(next_);
    frame.duration = time_of(next_ + 1) - frame.pts;
    frame.time_base = time_base();
    has_returned_ = true;
  }
  return frames;
}

std::vector<Frame> FrameRateConverter::add(Frame frame) {
  const std::int64_t begin = multiple_at(frame.pts);
  std::vector<Frame> frames = held_until(begin);
  if (!held_) next_ = begin;
  held_ = std::move(frame);
  return frames;
}

std::vector<Frame> FrameRateConverter::finish() {
  if (!held_) return {};
  const std::int64_t end = multiple_at(held_->pts + held_->duration);
  std::vector<Frame> frames = held_until(has_returned_ ? end : std::max(end, next_ + 1));
  held_.reset();
  return frames;
}

}  // namespace glyphreel::media
