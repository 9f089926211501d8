#pragma once

#include <memory>

#include "media/audio_stream.h"
#include "media/ffmpeg.h"

struct AVBSFContext;

namespace glyphreel::media {

/// Takes AAC out of the ADTS headers that transport streams wrap each packet in: mp4, mov and Matroska keep
/// what the headers tell once, as extradata. The first packet carries it as side data, for the muxer.
/// Thread-safety: one thread at a time.
class AdtsFilter {
 public:
  /// Whether packets of `parameters` come in ADTS: AAC whose container has no extradata for it.
  [[nodiscard]] static bool is_needed(const AVCodecParameters& parameters);

  /// Errors: Failed where this FFmpeg lacks the bitstream filter.
  [[nodiscard]] static Result<std::unique_ptr<AdtsFilter>> open(const AudioStream& stream);
  ~AdtsFilter();
  AdtsFilter(const AdtsFilter&) = delete;
  AdtsFilter& operator=(const AdtsFilter&) = delete;

  /// The packet without its header, times unchanged; null where it is damaged.
  [[nodiscard]] PacketPtr unwrap(PacketPtr packet);

 private:
  AdtsFilter() = default;

  AVBSFContext* context_ = nullptr;
};

}  // namespace glyphreel::media
