#pragma once

#include <memory>

#include "base/frame.h"
#include "base/result.h"

struct SwsContext;

namespace glyphreel::media {

/// Scales rendered pictures to one size, with black bars to preserve the aspect ratio. Pictures that have
/// this size pass through unchanged. Thread-safety: one thread at a time.
class PictureFit {
 public:
  /// Both dimensions of `size` must be even for Yuv420p.
  explicit PictureFit(Extent size) : size_(size) {}
  ~PictureFit();
  PictureFit(const PictureFit&) = delete;
  PictureFit& operator=(const PictureFit&) = delete;

  /// Returns the picture at the target size. Errors: Failed if memory runs out.
  [[nodiscard]] Result<Picture> fit(Picture picture);

 private:
  const Extent size_;
  std::unique_ptr<HostMemory> memory_ = make_heap_memory();
  SwsContext* scaler_ = nullptr;
};

/// The area of a scaled picture within the target picture, in pixels.
struct FittedArea {
  int x = 0, y = 0;
  Extent size;
  bool operator==(const FittedArea&) const = default;
};
/// Returns the area that a picture of size `from` covers in a picture of size `to`: as large as possible,
/// centered, with even position and size.
[[nodiscard]] FittedArea fitted_area(Extent from, Extent to);

}  // namespace glyphreel::media
