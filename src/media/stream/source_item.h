#pragma once

#include <memory>
#include <variant>

#include "base/frame.h"

namespace glyphreel::media {

/// An audio stream's description, for an AudioDecoder or a Writer. Opaque: contains FFmpeg's codec
/// parameters.
struct AudioStream;

/// The tracks, chapters and metadata that a recording copies. Opaque: defined in
/// media/input/copied_content.h.
struct CopiedContent;

/// One encoded packet of the audio stream, or of a track of CopiedContent, for an AudioDecoder or a Writer.
/// Opaque: contains FFmpeg's packet, with timestamps in the stream's time base.
struct AudioPacket;

/// The input ended, or reading was interrupted.
struct EndOfStream {};

/// A frame before the target of a seek was decoded and discarded. The caller can then check whether the seek
/// is still needed.
struct Skipped {};

/// How much of the input is ready to be decoded.
struct ReadAhead {
  std::size_t bytes = 0;
  double seconds = 0;            ///< duration of the video packets that are ready
  bool at_end = false;           ///< the whole input was read
  bool is_starved = false;       ///< a decoder is waiting for the input
  bool is_reconnecting = false;  ///< the connection was lost and is being reopened
};

using SourceItem = std::variant<Frame, std::shared_ptr<const AudioPacket>, Skipped, EndOfStream>;

}  // namespace glyphreel::media
