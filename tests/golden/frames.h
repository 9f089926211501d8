#pragma once

#include <string>

#include "base/frame.h"

namespace glyphreel::golden {

/// Size of the test frames.
inline constexpr Extent FrameSize{128, 128};

/// Returns an RGB frame, computed with integers only, so that it is the same on all machines. `name`
/// is one of:
///   - "gradient", with tones from left to right and hues from top to bottom
///   - "disc", a shaded ball on a dark sky
///   - "strokes", light lines in all directions, like letters, on deep blue
[[nodiscard]] Frame make_frame(const std::string& name);

}  // namespace glyphreel::golden
