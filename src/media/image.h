#pragma once

#include "base/atomic_file.h"
#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::media {

/// Writes a Bgra8 picture as an 8-bit RGB PNG file. Errors: write_file()'s; Failed for a picture larger than
/// PNG encoders take.
[[nodiscard]] Result<void> write_png(AtomicFile::Options file, const Picture& bgra8);

}  // namespace glyphreel::media
