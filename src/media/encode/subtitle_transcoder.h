#pragma once

#include <memory>
#include <vector>

#include "base/export_formats.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {

/// Returns FFmpeg's name of the encoder for text subtitles in a container.
[[nodiscard]] const char* text_subtitle_encoder(const VideoContainer& container);

/// Converts packets of text subtitles to a given codec. Thread-safety: one thread at a time.
class SubtitleTranscoder {
 public:
  /// `encoder` is FFmpeg's name for the encoder. Errors: Failed if this FFmpeg cannot decode or encode the
  /// subtitles.
  [[nodiscard]] static Result<std::unique_ptr<SubtitleTranscoder>> open(const AudioStream& stream,
                                                                        const char* encoder);

  /// Converts `packet` and returns the resulting packets, usually one, with times in the stream's time base.
  /// Returns none if the packet is damaged.
  [[nodiscard]] std::vector<PacketPtr> transcode(const AVPacket& packet);

  [[nodiscard]] const AVCodecContext& encoder() const { return *encoder_; }

 private:
  SubtitleTranscoder() = default;

  CodecContextPtr decoder_;
  CodecContextPtr encoder_;
};

}  // namespace glyphreel::media
