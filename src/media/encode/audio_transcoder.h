#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/encode/sample_encoder.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/audio_stream.h"

extern "C" {
#include <libswresample/swresample.h>
}

namespace glyphreel::media {

/// Decodes audio and re-encodes it as AAC or Opus. Preserves its timing: gaps become silence.
/// Thread-safety: one thread at a time.
class AudioTranscoder {
 public:
  /// `encoder` is FFmpeg's name for the encoder. Errors: Failed if this FFmpeg cannot decode or encode the
  /// audio.
  [[nodiscard]] static Result<std::unique_ptr<AudioTranscoder>> open(const AudioStream& stream,
                                                                     const char* encoder,
                                                                     CodecHeaders headers);

  /// Makes the encoded audio begin no later than `pts`, which is in the encoder's time base: inserts silence
  /// if the source begins later. Call before transcode().
  void begin_at(std::int64_t pts) { beginning_ = pts; }

  /// Returns the encoded packets that `packet` completes, in the encoder's time base. A null `packet`
  /// ends the stream. Audio that cannot be decoded becomes silence. Errors: Failed if encoding fails.
  [[nodiscard]] Result<std::vector<PacketPtr>> transcode(const AVPacket* packet);

  [[nodiscard]] const AVCodecContext& encoder() const { return encoder_->context(); }

 private:
  AudioTranscoder() = default;
  [[nodiscard]] bool convert(const AVFrame* decoded);
  void align_to(std::int64_t pts);

  std::optional<std::int64_t> beginning_;
  CodecContextPtr decoder_;
  std::unique_ptr<SampleEncoder> encoder_;
  std::unique_ptr<SwrContext, FreeIndirect<swr_free>> resampler_;
};

}  // namespace glyphreel::media
