#pragma once

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// The encoded form of one drawn picture. The packet's times are in WriterOptions::time_base, relative to
/// WriterOptions::first_pts.
struct EncodedPicture {
  PacketPtr packet;  ///< null: there are no more pictures
};

}  // namespace glyphreel::media
