#include "player/audio/audio_gain.h"

#include <algorithm>

#include "player/audio/audio_ring.h"
#include "present/audio/audio_output.h"

namespace glyphreel::player {
namespace {

constexpr double MaxVolume = 130;
constexpr float GainStep =
    1.0F / (present::AudioOutput::Rate / 100);  // per frame: from silence to full in 10 ms

}  // namespace

void AudioGain::set_volume(double percent) {
  volume_.store(std::clamp(percent, 0.0, MaxVolume), std::memory_order_relaxed);
}

void AudioGain::set_muted(bool is_muted) {
  is_muted_.store(is_muted, std::memory_order_relaxed);
}

float AudioGain::wanted() const {
  const double part = volume_.load(std::memory_order_relaxed) / 100;
  return is_muted_.load(std::memory_order_relaxed) ? 0.0F : static_cast<float>(part * part * part);
}

void AudioGain::apply(std::span<float> samples) {
  const float wanted_gain = wanted();
  for (std::size_t i = 0; i < samples.size(); i += AudioRing::Channels) {
    gain_ += std::clamp(wanted_gain - gain_, -GainStep, GainStep);
    samples[i] = std::clamp(samples[i] * gain_, -1.0F, 1.0F);
    samples[i + 1] = std::clamp(samples[i + 1] * gain_, -1.0F, 1.0F);
  }
}

}  // namespace glyphreel::player
