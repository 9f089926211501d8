#pragma once

#include <string>

#include "base/frame.h"

namespace glyphreel::golden {

/// Pictures of 128 x 128 pixels of RGB, drawn in integers alone, so that they are the same everywhere.
inline constexpr Extent PictureSize{128, 128};

/// "gradient": tones from left to right, hues from top to bottom. "disc": a shaded ball before a dark sky.
/// "strokes": light lines of all directions, as of letters, on a deep blue page.
[[nodiscard]] Frame draw_picture(const std::string& name);

}  // namespace glyphreel::golden
