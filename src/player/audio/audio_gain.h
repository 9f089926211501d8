#pragma once

#include <atomic>
#include <span>

namespace glyphreel::player {

/// The volume of samples; changes of it are faded.
/// Thread-safety: the setters may be called from any thread; apply() and finish_fade() from one.
class AudioGain {
 public:
  /// Sets the perceived volume, 0 to 130 percent: the amplitude is (percent / 100) cubed.
  void set_volume(double percent);
  void set_muted(bool is_muted);

  /// Multiplies stereo frames by the gain, which moves to the one that was set, and limits them to -1 to 1.
  void apply(std::span<float> samples);
  /// Moves to the gain that was set at once: while nothing is heard.
  void finish_fade() { gain_ = wanted(); }

 private:
  [[nodiscard]] float wanted() const;

  float gain_ = 1;
  std::atomic<double> volume_ = 100;
  std::atomic<bool> is_muted_ = false;
};

}  // namespace glyphreel::player
