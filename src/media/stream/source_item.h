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

using SourceItem = std::variant<Frame, std::shared_ptr<const AudioPacket>, Skipped, EndOfStream>;

}  // namespace glyphreel::media
