#pragma once

#include <cstdint>
#include <vector>

#include "media/audio_stream.h"
#include "media/ffmpeg.h"
#include "media/sample_encoder.h"

struct SwrContext;

namespace glyphreel::media {

/// Decodes sound and encodes it anew (AAC or Opus), keeping its place in time: gaps become silence.
/// Thread-safety: one thread at a time.
class AudioTranscoder {
 public:
  /// `encoder` is FFmpeg's name. Errors: Failed where the sound cannot be decoded or encoded by this FFmpeg.
  [[nodiscard]] static Result<std::unique_ptr<AudioTranscoder>> open(const AudioStream& stream,
                                                                     const char* encoder,
                                                                     bool has_global_header);
  ~AudioTranscoder();
  AudioTranscoder(const AudioTranscoder&) = delete;
  AudioTranscoder& operator=(const AudioTranscoder&) = delete;

  /// Encoded packets that `packet` completes, in the encoder's time base; null ends the stream.
  /// What cannot be decoded is left out and becomes silence. Errors: Failed where encoding fails.
  [[nodiscard]] Result<std::vector<PacketPtr>> transcode(const AVPacket* packet);

  [[nodiscard]] const AVCodecContext& encoder() const { return encoder_->context(); }

 private:
  AudioTranscoder() = default;
  [[nodiscard]] bool convert(const AVFrame* decoded);
  void align_to(std::int64_t pts);

  CodecContextPtr decoder_;
  std::unique_ptr<SampleEncoder> encoder_;
  SwrContext* resampler_ = nullptr;
};

}  // namespace glyphreel::media
