#pragma once

namespace glyphreel::media {

/// How frames that are flagged as interlaced are handled.
enum class Deinterlacing {
  Auto,  ///< each becomes one progressive frame; interlaced video is decoded on the CPU
  No,
};

}  // namespace glyphreel::media
