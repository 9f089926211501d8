#pragma once

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// An encoded picture. Its times are in WriterOptions::time_base and count from WriterOptions::first_pts.
struct EncodedPicture {
  PacketPtr packet;  ///< null: none
};

}  // namespace glyphreel::media
