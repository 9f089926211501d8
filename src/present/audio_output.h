#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace glyphreel::present {

/// Where an AudioOutput gets its samples from. Both functions are called on the output's own thread, one at a
/// time, and must neither block nor wait.
class AudioFeed {
 public:
  virtual ~AudioFeed() = default;
  /// Fills all of `samples`: interleaved stereo, -1 to 1.
  virtual void pull(std::span<float> samples) = 0;
  /// The frame that the next pull() starts with is heard at `at`. Told some ten times a second.
  virtual void next_is_heard_at(std::chrono::steady_clock::time_point at) = 0;
};

/// A sound device that plays what it pulls. It begins held.
///
/// While a device is lost or suspended the output goes on pulling at the pace of the steady clock, as if it
/// were heard, and tries to come back every second; then it takes up the sound where it should be by that
/// clock.
///
/// Thread-safety: one thread at a time; is_present() and description() from any thread.
class AudioOutput {
 public:
  static constexpr int Rate = 48000;
  static constexpr int Channels = 2;

  virtual ~AudioOutput() = default;

  /// Silent within about 20 ms. What was pulled and not heard is kept for play(). After it has returned the
  /// feed is not called until play().
  virtual void hold() = 0;
  /// While held: throws away what was pulled and not heard.
  virtual void discard() = 0;
  /// Plays on from where it was held. No effect where it plays.
  virtual void play() = 0;

  /// Whether a device plays: false while it is away.
  [[nodiscard]] virtual bool is_present() const = 0;
  /// For example "PulseAudio".
  [[nodiscard]] virtual std::string description() const = 0;
};

/// Connects to the sound server of the desktop, PulseAudio or PipeWire. `feed` outlives the output. Blocks
/// for a few milliseconds, at most 3 s. Errors: NoDevice.
[[nodiscard]] Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFeed& feed);

}  // namespace glyphreel::present
