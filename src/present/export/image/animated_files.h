#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/geometry.h"
#include "present/export/image/cell_picture.h"

namespace glyphreel::present {

/// One frame of an animation: an encoded picture of the area that changes.
struct AnimationFrame {
  std::string still;  ///< the content of a .png or .webp file
  PixelArea area;
  std::int64_t delay_ms = 0;
  /// Whether transparent pixels leave what the area showed before; otherwise, the area is replaced.
  bool is_overlay = false;
};

/// Bytes to be written over earlier ones of a file.
struct FilePatch {
  std::size_t at = 0;
  std::string bytes;
};

/// Converts frames to the bytes of an animated file that is complete after every frame once the patch for
/// that frame is written. Pure. Thread-safety: one thread at a time.
class AnimatedFile {
 public:
  virtual ~AnimatedFile() = default;
  /// Returns the bytes that a frame adds; the first frame must cover `size`.
  [[nodiscard]] virtual std::string add(const AnimationFrame& frame) = 0;
  /// Returns the change of earlier bytes that the frames added so far require.
  [[nodiscard]] virtual FilePatch patch() const = 0;
  /// Returns the largest size of a file.
  [[nodiscard]] virtual std::uint64_t max_bytes() const { return UINT64_MAX; }
  /// Returns the bytes after the last frame.
  [[nodiscard]] virtual std::string end() const { return {}; }
};

/// APNG (www.w3.org/TR/png-3): plays forever. A file that lacks end() is read by common decoders.
[[nodiscard]] std::unique_ptr<AnimatedFile> make_apng();
/// Animated WebP (developers.google.com/speed/webp/docs/riff_container): plays forever. The area
/// of a frame has an even position.
[[nodiscard]] std::unique_ptr<AnimatedFile> make_animated_webp(Extent size);

}  // namespace glyphreel::present
