#pragma once

#include <cstdint>
#include <memory>

#include "media/ffmpeg.h"
#include "media/source.h"

namespace glyphreel::media {

struct AudioStream {
  CodecParametersPtr parameters;
  AVRational time_base{0, 1};  ///< seconds per unit of its packets' timestamps
  int leading_samples = 0;     ///< decoded samples before time zero that the encoder added (priming)
};

class Input;

/// The stream to hear with `video`: number `wanted_track` of the audio tracks, from 1, or the best one where
/// it is 0 or not there; null without sound. Lists all tracks in `facts`.
[[nodiscard]] AVStream* choose_audio(Input& input, const AVStream& video, int wanted_track,
                                     VideoFacts& facts);

[[nodiscard]] std::shared_ptr<const AudioStream> describe_audio(AVStream& stream);

struct AudioPacket {
  PacketPtr packet;  ///< timestamps in `time_base`; stream_index is the source's
  AVRational time_base{0, 1};
  std::uint32_t epoch = 0;  ///< as Frame::epoch
};

}  // namespace glyphreel::media
