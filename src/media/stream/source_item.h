#pragma once

#include <memory>
#include <variant>

#include "base/frame.h"

namespace glyphreel::media {

/// Describes an audio stream to a Writer. Opaque: holds FFmpeg's codec parameters.
struct AudioStream;

/// One encoded audio packet on its way to a Writer. Opaque: holds FFmpeg's packet, with timestamps in the
/// stream's time base.
struct AudioPacket;

/// The input ended.
struct EndOfStream {};

/// A frame before a seek's target was decoded and discarded. The caller can check here whether the seek is
/// still wanted.
struct Skipped {};

/// How much of the input is ready to be decoded.
struct ReadAhead {
  std::size_t bytes = 0;
  double seconds = 0;            ///< of video packets
  bool at_end = false;           ///< all of the input was read
  bool is_starved = false;       ///< a decoder is waiting for the input
  bool is_reconnecting = false;  ///< the connection broke and is being reopened
};

using SourceItem = std::variant<Frame, std::shared_ptr<const AudioPacket>, Skipped, EndOfStream>;

}  // namespace glyphreel::media
