#pragma once

#include <string>

#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::media {

/// Writes a Bgra8 picture as an 8-bit RGB PNG file. It is written aside as NAME.part.png and renamed when
/// complete, so that `path` never holds half a picture; an existing `path` is replaced. Errors: Failed (no
/// such folder, no permission, full disk, or a picture larger than PNG encoders take).
[[nodiscard]] Result<void> write_png(const std::string& path, const Picture& bgra8);

}  // namespace glyphreel::media
