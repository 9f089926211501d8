#pragma once

#include <cstdint>
#include <memory>

#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::present {

/// How recorded pictures are padded.
struct Padding {
  Extent size;              ///< padded size in pixels; even in both directions for Yuv420p
  std::uint32_t color = 0;  ///< 0xRRGGBB, of the pixels around the drawn picture
};

/// Pads drawn pictures on all sides to a given size. Pictures that have this size pass through unchanged. The
/// result does not depend on the renderer. Thread-safety: one thread at a time.
class Padder {
 public:
  /// `drawn` is the size of the drawn grid in pixels, at most `padding.size`. A Yuv420p picture may be one
  /// pixel larger than its grid in each direction; padding replaces the extra pixels.
  Padder(Padding padding, Extent drawn) : padding_(padding), drawn_(drawn) {}

  [[nodiscard]] Extent size() const { return padding_.size; }
  /// Errors: Failed if memory runs out.
  [[nodiscard]] Result<Picture> pad(const Picture& picture);

 private:
  const Padding padding_;
  const Extent drawn_;
  std::unique_ptr<HostMemory> memory_ = make_heap_memory();
};

}  // namespace glyphreel::present
