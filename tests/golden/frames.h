#pragma once

#include <string>

#include "base/frame.h"

namespace glyphreel::golden {

/// 128 x 128 RGB frames, made with integer arithmetic only, so that they are the same everywhere.
inline constexpr Extent FrameSize{128, 128};

/// "gradient": tones from left to right, hues from top to bottom. "disc": a shaded ball on a dark sky.
/// "strokes": light lines in all directions, like letters, on a deep blue page.
[[nodiscard]] Frame make_frame(const std::string& name);

}  // namespace glyphreel::golden
