#pragma once

#include <cstdint>

#include "base/geometry.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/subtitle/subtitles.h"

namespace glyphreel::media {

struct SubtitleStream {
  CodecParametersPtr parameters;
  AVRational time_base{0, 1};  ///< seconds per unit of its packets' timestamps
  Extent video;                ///< stored pixels of its video: the canvas of bitmaps that declare none
};

/// Returns a copy of what a decoder needs to know about `stream`.
[[nodiscard]] SubtitleStream describe_subtitles(const AVStream& stream, Extent video);

struct SubtitlePacket {
  PacketPtr packet;  ///< reference counted; timestamps in `time_base`
  AVRational time_base{0, 1};
  std::uint32_t epoch = 0;  ///< incremented by each seek
};

}  // namespace glyphreel::media
