#pragma once

#include "base/io/atomic_file.h"
#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::media {

/// Writes a Bgra8 picture as an 8-bit RGB PNG file. Errors: those of write_file(); Failed for a picture
/// larger than PNG encoders accept.
[[nodiscard]] Result<void> write_png(AtomicFile::Options file, const Picture& bgra8);

}  // namespace glyphreel::media
