#include "player/audio/audio_ring.h"

#include <algorithm>

#include "base/result.h"

namespace glyphreel::player {

std::size_t AudioRing::room() const {
  const std::uint64_t limit = reader() + capacity_;
  return limit > end() ? static_cast<std::size_t>(limit - end()) : 0;
}

void AudioRing::write(std::span<const float> samples) {
  const std::size_t count = samples.size() / Channels;
  CHECK(count <= room(), "the ring has no room for these frames");
  const std::size_t at = static_cast<std::size_t>(end() % capacity_);
  const std::size_t first = std::min(count, capacity_ - at);
  std::ranges::copy(samples.first(first * Channels),
                    samples_.begin() + static_cast<std::ptrdiff_t>(at * Channels));
  std::ranges::copy(samples.subspan(first * Channels, (count - first) * Channels), samples_.begin());
  end_.store(end() + count, std::memory_order_release);
}

void AudioRing::write_silence(std::size_t frames) {
  CHECK(frames <= room(), "the ring has no room for these frames");
  for (std::size_t i = 0; i < frames; ++i) {
    const std::size_t at = static_cast<std::size_t>((end() + i) % capacity_) * Channels;
    samples_[at] = samples_[at + 1] = 0;
  }
  end_.store(end() + frames, std::memory_order_release);
}

std::size_t AudioRing::read(std::span<float> samples) {
  const std::uint64_t from = reader_.load(std::memory_order_relaxed);
  const std::uint64_t end = end_.load(std::memory_order_acquire);
  const std::size_t wanted = samples.size() / Channels;
  const std::size_t count = end > from ? std::min(wanted, static_cast<std::size_t>(end - from)) : 0;
  const auto at = static_cast<std::size_t>(from % capacity_);
  const std::size_t first = std::min(count, capacity_ - at);
  std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(at * Channels), first * Channels,
              samples.begin());
  std::copy_n(samples_.begin(), (count - first) * Channels,
              samples.begin() + static_cast<std::ptrdiff_t>(first * Channels));
  std::ranges::fill(samples.subspan(count * Channels), 0.0F);
  reader_.store(from + wanted, std::memory_order_release);
  return count;
}

}  // namespace glyphreel::player
