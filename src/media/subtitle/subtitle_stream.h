#pragma once

#include <cstdint>

#include "base/geometry.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/subtitle/subtitles.h"

namespace glyphreel::media {

struct SubtitleStream {
  CodecParametersPtr parameters;
  AVRational time_base{0, 1};  ///< seconds per unit of the packets' timestamps
  Extent video;                ///< stored size of the video; the canvas of bitmaps that declare no canvas
};

/// Copies from `stream` what a decoder needs. `video`: see SubtitleStream.
[[nodiscard]] SubtitleStream describe_subtitles(const AVStream& stream, Extent video);

struct SubtitlePacket {
  PacketPtr packet;  ///< reference counted; timestamps in `time_base`
  AVRational time_base{0, 1};
  std::uint32_t epoch = 0;  ///< the epoch in which the packet was read; see Frame::epoch
};

}  // namespace glyphreel::media
