#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace glyphreel::present {

/// Source of an AudioOutput's samples. Both functions are called on the output's own thread, one at a time,
/// and must not block.
class AudioFeed {
 public:
  virtual ~AudioFeed() = default;
  /// Fills all of `samples`: interleaved stereo, -1 to 1.
  virtual void pull(std::span<float> samples) = 0;
  /// Reports that the first frame of the next pull() will be played at `at`. Called about ten times a
  /// second.
  virtual void report_playback_time(std::chrono::steady_clock::time_point at) = 0;
};

/// A sound device that plays the samples it pulls. It starts out held.
///
/// While a device is lost or suspended, the output keeps pulling at the pace of the steady clock, as if it
/// were playing, and tries to reconnect every second. Then the sound resumes where it should be by that
/// clock.
///
/// Thread-safety: one thread at a time; is_present() and description() from any thread.
class AudioOutput {
 public:
  static constexpr int Rate = 48000;
  static constexpr int Channels = 2;

  virtual ~AudioOutput() = default;

  /// Goes silent within about 20 ms. Samples that were pulled but not played are kept for play(). After it
  /// returns, the feed is not called until play().
  virtual void pause() = 0;
  /// While held: discards samples that were pulled but not played.
  virtual void discard() = 0;
  /// Resumes from where it was held. No effect while it plays.
  virtual void play() = 0;

  /// Returns whether there is a device to play on; false while it is lost or suspended.
  [[nodiscard]] virtual bool is_present() const = 0;
  /// For example "PulseAudio".
  [[nodiscard]] virtual std::string description() const = 0;
};

/// Connects to the desktop's sound server, PulseAudio or PipeWire. `feed` must outlive the output. Blocks
/// for a few milliseconds, at most 3 s. Errors: NoDevice.
[[nodiscard]] Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFeed& feed);

}  // namespace glyphreel::present
