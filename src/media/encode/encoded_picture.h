#pragma once

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// An encoded picture, with times in WriterOptions::time_base, of which the recording's first is 0.
struct EncodedPicture {
  PacketPtr packet;  ///< null: none
};

}  // namespace glyphreel::media
