#include "player/audio/audio_queue.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace glyphreel::player {
namespace {

constexpr double SpeedRounding = 0.002;  // seconds; smaller gaps are rounding errors of speed changes
// Audio that is overdue by more than this many seconds is played late instead of being skipped.
constexpr double LatestSeconds = 0.5;

}  // namespace

void AudioQueue::clear() {
  ring_.reset_to_reader();
  map_.clear();
  blocks_.clear();
  is_front_placed_ = false;
  gap_frames_ = 0;
}

void AudioQueue::start(double media_seconds, double speed) {
  ring_.reset_to_reader();
  map_.clear();
  map_.add(ring_.end(), media_seconds, speed / rate_);
  is_first_block_ = true;
  is_front_placed_ = false;
  gap_frames_ = 0;
}

std::size_t AudioQueue::frames() const {
  std::size_t frames = 0;
  for (const media::AudioBlock& block : blocks_) frames += block.frames();
  return frames;
}

PositionToPts::MediaTiming AudioQueue::at(double position) {
  map_.forget_before(position - rate_);
  return map_.at(position);
}

std::int64_t AudioQueue::frames_of(double media_seconds, double speed) const {
  return std::llround(media_seconds / speed * rate_);
}

/// Assigns the first block its position in the ring. Returns false if the whole block is earlier than the
/// media time at the ring's end; the caller then drops the block.
bool AudioQueue::place_front() {
  const media::AudioBlock& block = blocks_.front();
  const std::uint64_t end = ring_.end();
  const PositionToPts::MediaTiming here = map_.at(static_cast<double>(end));
  const double difference = block.media_seconds - here.media_seconds;
  const double frame_seconds = block.speed / rate_;
  const bool is_near = std::abs(difference) <= MaxAudioGap;
  front_done_ = 0;
  gap_frames_ = 0;
  if (difference < 0 && (is_first_block_ || (is_near && difference < -SpeedRounding))) {
    front_done_ = static_cast<std::size_t>(frames_of(-difference, block.speed));
    if (front_done_ >= block.frames()) return false;
  } else if (difference > 0 && (is_first_block_ || (is_near && difference > SpeedRounding))) {
    gap_frames_ = static_cast<std::uint64_t>(frames_of(difference, block.speed));
    if (here.seconds_per_frame != frame_seconds) map_.add(end, here.media_seconds, frame_seconds);
  }
  std::uint64_t position = end + gap_frames_;
  if (ring_.reader() > position + static_cast<std::uint64_t>(LatestSeconds * rate_)) {
    ring_.skip_to(ring_.reader());
    position = ring_.end();
    gap_frames_ = 0;
  }
  map_.add(position, block.media_seconds + static_cast<double>(front_done_) * frame_seconds, frame_seconds);
  is_first_block_ = false;
  return true;
}

void AudioQueue::fill() {
  while (!blocks_.empty()) {
    if (!is_front_placed_ && !place_front()) {
      blocks_.pop_front();
      continue;
    }
    is_front_placed_ = true;
    const media::AudioBlock& block = blocks_.front();
    const std::uint64_t left = block.frames() - front_done_;
    const std::uint64_t reader = ring_.reader();
    if (reader > ring_.end()) {
      const std::uint64_t passed = std::min(gap_frames_ > 0 ? gap_frames_ : left, reader - ring_.end());
      ring_.skip_to(ring_.end() + passed);
      if (gap_frames_ > 0) {
        gap_frames_ -= passed;
        continue;
      }
      front_done_ += static_cast<std::size_t>(passed);
    } else {
      const auto count = static_cast<std::size_t>(
          std::min<std::uint64_t>(gap_frames_ > 0 ? gap_frames_ : left, ring_.room()));
      if (count == 0) return;
      if (gap_frames_ > 0) {
        ring_.write_silence(count);
        gap_frames_ -= count;
        continue;
      }
      ring_.write(
          std::span(block.samples).subspan(front_done_ * AudioRing::Channels, count * AudioRing::Channels));
      front_done_ += count;
    }
    if (front_done_ == block.frames()) {
      blocks_.pop_front();
      is_front_placed_ = false;
    }
  }
}

}  // namespace glyphreel::player
