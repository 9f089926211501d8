#pragma once

#include <memory>

#include "base/frame.h"
#include "base/result.h"

struct SwsContext;

namespace glyphreel::media {

/// Brings drawn pictures to one size: scaled, the aspect kept, with black around them. One that has the size
/// already passes unchanged. Thread-safety: one thread at a time.
class PictureFit {
 public:
  /// `size`: even in both directions for Yuv420p.
  explicit PictureFit(Extent size) : size_(size) {}
  ~PictureFit();
  PictureFit(const PictureFit&) = delete;
  PictureFit& operator=(const PictureFit&) = delete;

  /// Errors: Failed without memory.
  [[nodiscard]] Result<Picture> fit(Picture picture);

 private:
  const Extent size_;
  std::unique_ptr<HostMemory> memory_ = make_heap_memory();
  SwsContext* scaler_ = nullptr;
};

/// Where a picture of `from` pixels lies in one of `to`: as large as it can be, in the midst, at even places
/// and of even size.
struct FittedArea {
  int x = 0, y = 0;
  Extent size;
  bool operator==(const FittedArea&) const = default;
};
[[nodiscard]] FittedArea fitted_area(Extent from, Extent to);

}  // namespace glyphreel::media
