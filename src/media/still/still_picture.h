#pragma once

#include <string>

#include "base/export_formats.h"
#include "base/frame.h"
#include "base/io/atomic_file.h"
#include "base/result.h"

namespace glyphreel::media {

/// The meaning of the fourth byte of a Bgra8 pixel. Ignored: none. Straight: the pixel's opacity; the colors
/// are not premultiplied by it.
enum class Alpha { Ignored, Straight };

/// Encodes a Bgra8 picture with FFmpeg, and returns the content of the file. Png and Webp are lossless. Jpeg
/// and Avif have full chroma resolution and no alpha. Errors: Failed if this FFmpeg lacks the encoder, or if
/// encoding fails, for example because the picture is too large.
[[nodiscard]] Result<std::string> encode_still(const Picture& bgra8, StillCodec codec,
                                               Alpha alpha = Alpha::Ignored);

/// Writes a Bgra8 picture as an 8-bit RGB PNG file. Errors: those of encode_still() and write_file().
[[nodiscard]] Result<void> write_png(AtomicFile::Options file, const Picture& bgra8);

}  // namespace glyphreel::media
