#pragma once

#include <cstdint>

#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

struct AudioStream {
  CodecParametersPtr parameters;
  AVRational time_base{0, 1};   ///< seconds per unit of the packets' timestamps
  int leading_samples = 0;      ///< number of samples that the encoder added before time zero (priming)
  int disposition = 0;          ///< AV_DISPOSITION_ flags, such as "default"
  DictionaryPtr metadata = {};  ///< such as the language and the title
};

struct AudioPacket {
  PacketPtr packet;  ///< timestamps are in `time_base`; stream_index is the index in the source
  AVRational time_base{0, 1};
  std::uint32_t epoch = 0;  ///< the epoch in which the packet was read; see Frame::epoch
  int track = -1;           ///< index in CopiedContent::tracks; -1: Source::audio()
};

}  // namespace glyphreel::media
