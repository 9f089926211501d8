#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/audio_fifo.h>
}

namespace glyphreel::media {

/// Encodes audio samples to AAC or Opus packets that follow each other without gaps.
/// Thread-safety: one thread at a time.
class SampleEncoder {
 public:
  /// `encoder` is FFmpeg's name for the encoder. Opus is encoded at 48 kHz. AAC is encoded at its lowest
  /// sample rate that is at least `rate`, or at 96 kHz if `rate` is higher. Errors: Failed if this FFmpeg
  /// cannot encode with these settings.
  [[nodiscard]] static Result<std::unique_ptr<SampleEncoder>> open(const char* encoder, int rate,
                                                                   const AVChannelLayout& layout,
                                                                   CodecHeaders headers);

  /// Returns the encoder's context, which states the sample format and the packets' time base.
  [[nodiscard]] const AVCodecContext& context() const { return *context_; }

  /// Returns the pts of the next sample, in units of (1 / sample_rate) seconds; empty before the first call
  /// of begin_at() or add().
  [[nodiscard]] std::optional<std::int64_t> next_pts() const { return next_pts_; }
  void begin_at(std::int64_t pts) { next_pts_ = pts; }

  /// Adds samples in the encoder's sample format.
  void add(const AVFrame& samples);
  /// Adds interleaved samples with the encoder's number of channels.
  void add(std::span<const float> samples);
  void add_silence(std::int64_t samples);

  /// Appends completed packets to `packets`. Errors: Failed.
  [[nodiscard]] Result<void> encode(std::vector<PacketPtr>& packets);
  /// Ends the stream and appends the remaining packets.
  [[nodiscard]] Result<void> finish(std::vector<PacketPtr>& packets);

 private:
  SampleEncoder() = default;
  void add(std::uint8_t** planes, int samples);
  [[nodiscard]] Result<void> encode_next(int samples, std::vector<PacketPtr>& packets);
  [[nodiscard]] Result<void> send(const AVFrame* frame, std::vector<PacketPtr>& packets);
  [[nodiscard]] int frame_size() const;

  CodecContextPtr context_;
  std::unique_ptr<AVAudioFifo, FreeDirect<av_audio_fifo_free>> fifo_;
  std::optional<std::int64_t> next_pts_;  ///< pts of the next sample that is added to fifo_
};

/// Returns the error "The sound cannot be <what> with <name>; ...".
[[nodiscard]] Error audio_failure(const char* what, const char* name, int averror);

}  // namespace glyphreel::media
