#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace glyphreel::present {

/// Source of an AudioOutput's samples. The output calls these functions on a thread that it owns. The
/// functions must not block.
class AudioFeed {
 public:
  virtual ~AudioFeed() = default;
  /// Fills all of `samples`: interleaved stereo, -1 to 1.
  virtual void pull(std::span<float> samples) = 0;
  /// Reports that the first audio frame of the next pull() will be played at `at`. While playing, called
  /// about every 50 ms, or every 10 ms if there is no device.
  virtual void report_playback_time(std::chrono::steady_clock::time_point at) = 0;
};

/// Plays samples on an audio device, pulling them from an AudioFeed. Starts paused: call play().
///
/// If the device is lost, or suspended during playback, the output keeps pulling samples in real time and
/// drops them, and tries to reconnect every second. After reconnecting, playback is in sync with the steady
/// clock.
///
/// Thread-safety: one thread at a time; is_present() and description() from any thread.
class AudioOutput {
 public:
  static constexpr int Rate = 48000;
  static constexpr int Channels = 2;

  virtual ~AudioOutput() = default;

  /// Silences the device within about 20 ms. Samples that were pulled but not played are kept until play().
  /// After pause() returns, the output does not call the feed until play().
  virtual void pause() = 0;
  /// Discards samples that were pulled but not played. Call only while paused.
  virtual void discard() = 0;
  /// Starts or resumes playback. No effect while the output plays.
  virtual void play() = 0;

  /// Returns whether there is a device to play on: false while the device is lost, or suspended during
  /// playback.
  [[nodiscard]] virtual bool is_present() const = 0;
  /// Returns the name of the audio system, for example "PulseAudio".
  [[nodiscard]] virtual std::string description() const = 0;
};

/// Connects to the desktop's audio server, PulseAudio or PipeWire. `feed` must outlive the output. `device`:
/// a sink's name; empty: the default sink. Blocks for a few milliseconds, at most 3 s. Errors: NoDevice if
/// libpulse is missing, no server responds, or the server does not have the device.
[[nodiscard]] Result<std::unique_ptr<AudioOutput>> open_audio_output(AudioFeed& feed,
                                                                     const std::string& device = {});

}  // namespace glyphreel::present
