#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/geometry.h"
#include "present/export/image/cell_picture.h"

namespace glyphreel::present {

/// One frame of an animation: an encoded image of the area that changes.
struct AnimationFrame {
  std::string still;  ///< the content of a .png or .webp file
  PixelArea area;
  std::int64_t delay_ms = 0;
  /// Whether transparent pixels show the previous frame; otherwise, the frame replaces the whole area.
  bool is_overlay = false;
};

/// Bytes that overwrite an earlier part of a file.
struct FilePatch {
  std::size_t at = 0;
  std::string bytes;
};

/// Converts frames to the bytes of an animated file. If the caller writes patch() after each frame, the file
/// is readable after each frame. Performs no I/O. Thread-safety: one thread at a time.
class AnimatedFile {
 public:
  virtual ~AnimatedFile() = default;
  /// Returns the bytes to append for a frame. The first frame must cover the whole animation.
  [[nodiscard]] virtual std::string add(const AnimationFrame& frame) = 0;
  /// Returns new bytes for the start of the file, which stores the number of frames or the file's length.
  [[nodiscard]] virtual FilePatch patch() const = 0;
  /// Returns the largest file size that the format supports.
  [[nodiscard]] virtual std::uint64_t max_bytes() const { return UINT64_MAX; }
  /// Returns the bytes after the last frame.
  [[nodiscard]] virtual std::string end() const { return {}; }
};

/// APNG (www.w3.org/TR/png-3): plays forever. Common decoders can read a file that lacks end().
[[nodiscard]] std::unique_ptr<AnimatedFile> make_apng();
/// Animated WebP (developers.google.com/speed/webp/docs/riff_container): plays forever. The position of a
/// frame's area must be even.
[[nodiscard]] std::unique_ptr<AnimatedFile> make_animated_webp(Extent size);

}  // namespace glyphreel::present
