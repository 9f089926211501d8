#pragma once

namespace glyphreel::media {

/// How frames that are flagged as interlaced are handled.
enum class Deinterlacing {
  Auto,  ///< each is deinterlaced to one frame; decodes on the CPU
  No,
};

}  // namespace glyphreel::media
