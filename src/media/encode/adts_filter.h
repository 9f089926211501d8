#pragma once

#include <memory>

#include "media/decode/audio_stream.h"
#include "media/ffmpeg/ffmpeg.h"

struct AVBSFContext;

namespace glyphreel::media {

/// Strips the ADTS header that transport streams put before each AAC packet. mp4, mov and Matroska store
/// what the headers say once, as extradata; the first packet carries it as side data for the muxer.
/// Thread-safety: one thread at a time.
class AdtsFilter {
 public:
  /// Whether packets of `parameters` are in ADTS: AAC for which the container has no extradata.
  [[nodiscard]] static bool is_needed(const AVCodecParameters& parameters);

  /// Errors: Failed if this FFmpeg lacks the bitstream filter.
  [[nodiscard]] static Result<std::unique_ptr<AdtsFilter>> open(const AudioStream& stream);
  ~AdtsFilter();
  AdtsFilter(const AdtsFilter&) = delete;
  AdtsFilter& operator=(const AdtsFilter&) = delete;

  /// Returns the packet without its header, times unchanged; null if it is damaged.
  [[nodiscard]] PacketPtr unwrap(PacketPtr packet);

 private:
  AdtsFilter() = default;

  AVBSFContext* context_ = nullptr;
};

}  // namespace glyphreel::media
