#pragma once

#include <cstdint>
#include <memory>

#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/source_item.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

struct AudioStream {
  CodecParametersPtr parameters;
  AVRational time_base{0, 1};  ///< seconds per unit of its packets' timestamps
  int leading_samples = 0;     ///< decoded samples before time zero that the encoder added (priming)
};

class Input;

/// Returns the stream to play with `video`: audio track number `wanted_track`, from 1, or the best one if
/// that is 0 or does not exist; null if there is no sound. Lists all tracks in `facts`.
[[nodiscard]] AVStream* choose_audio(Input& input, const AVStream& video, int wanted_track,
                                     VideoFacts& facts);

[[nodiscard]] std::shared_ptr<const AudioStream> describe_audio(AVStream& stream);

struct AudioPacket {
  PacketPtr packet;  ///< timestamps in `time_base`; stream_index is the source's
  AVRational time_base{0, 1};
  std::uint32_t epoch = 0;  ///< like Frame::epoch
};

}  // namespace glyphreel::media
