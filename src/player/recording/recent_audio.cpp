#include "player/recording/recent_audio.h"

#include <algorithm>
#include <utility>

namespace glyphreel::player {
namespace {

// Audio is decoded less than a second before it is played; the rest is for a player that is held up.
constexpr std::size_t KeptFrames = 6 * RecordingTimeline::Rate;

}  // namespace

void RecentAudio::add(std::uint32_t input, const media::AudioBlock& block) {
  Decoded decoded{{input, block.epoch}, std::make_shared<const media::AudioBlock>(block)};
  const MutexLock lock(mutex_);
  frames_ += block.frames();
  blocks_.push_back(std::move(decoded));
  ++end_;
  while (frames_ > KeptFrames) {
    frames_ -= blocks_.front().block->frames();
    blocks_.pop_front();
  }
}

std::vector<RecentAudio::Decoded> RecentAudio::since(std::uint64_t& cursor) const {
  const MutexLock lock(mutex_);
  const std::uint64_t first = end_ - blocks_.size();
  const auto skipped = static_cast<std::ptrdiff_t>(std::max(cursor, first) - first);
  cursor = end_;
  return {blocks_.begin() + skipped, blocks_.end()};
}

}  // namespace glyphreel::player
