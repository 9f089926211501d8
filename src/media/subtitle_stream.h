#pragma once

#include <cstdint>

#include "base/geometry.h"
#include "media/ffmpeg.h"
#include "media/subtitles.h"

namespace glyphreel::media {

struct SubtitleStream {
  CodecParametersPtr parameters;
  AVRational time_base{0, 1};  ///< seconds per unit of its packets' timestamps
  Extent video;                ///< stored pixels of the video with it: the canvas of bitmaps that name none
};

/// A copy of what a decoder needs to know of `stream`.
[[nodiscard]] SubtitleStream describe_subtitles(const AVStream& stream, Extent video);

struct SubtitlePacket {
  PacketPtr packet;  ///< reference counted; timestamps in `time_base`
  AVRational time_base{0, 1};
  std::uint32_t epoch = 0;  ///< raised by each seek
};

}  // namespace glyphreel::media
