#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/audio_stream.h"
#include "media/ffmpeg.h"

struct AVAudioFifo;
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

  [[nodiscard]] const AVCodecContext& encoder() const { return *encoder_; }

 private:
  AudioTranscoder() = default;
  [[nodiscard]] bool open_encoder(const AVCodec& codec, const AVChannelLayout& layout,
                                  bool has_global_header);
  [[nodiscard]] bool convert(const AVFrame* decoded);
  void align_to(std::int64_t pts);
  void add_silence(std::int64_t samples);
  [[nodiscard]] Result<void> encode_buffered(std::vector<PacketPtr>& packets, bool is_last);
  [[nodiscard]] Result<void> encode(const AVFrame* frame, std::vector<PacketPtr>& packets);

  CodecContextPtr decoder_;
  CodecContextPtr encoder_;
  SwrContext* resampler_ = nullptr;
  AVAudioFifo* fifo_ = nullptr;
  std::optional<std::int64_t> next_pts_;  ///< of the sample after the last in fifo_, in 1/sample_rate
};

}  // namespace glyphreel::media
