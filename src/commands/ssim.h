#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "mapping/lattice_sampler.h"
#include "render/cell_compositor.h"
#include "render/renderer.h"

namespace glyphreel::commands {

/// Returns the structural similarity of a Bgra8 picture to its source, -1 to 1: the mean SSIM index of Wang,
/// Bovik, Sheikh and Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity",
/// 2004 (C1 = (0.01 * 255)^2, C2 = (0.03 * 255)^2), over all windows of 8 x 8 samples. A sample is the mean
/// BT.709 luma of a square as wide as a cell, because a viewer sees the tone of cells, not the strokes of
/// glyphs. `source`: one word 0xLLRRGGBB (L: luma) for each pixel. Returns 1 if the picture is smaller than a
/// window.
[[nodiscard]] double ssim(const Picture& picture, std::span<const std::uint32_t> source, CellSize cell);

/// Measures how similar rendered frames are to the source frames that they show.
/// Thread-safety: one thread at a time.
class SourceSimilarity {
 public:
  /// `setup`: the renderer's setup. `light`: the light of the frames' pictures.
  SourceSimilarity(const render::RenderSetup& setup, render::PixelLight light, int threads);
  SourceSimilarity(const SourceSimilarity&) = delete;
  SourceSimilarity& operator=(const SourceSimilarity&) = delete;

  /// Returns ssim() of the frame's picture and its source. Draws the picture from the frame's cells, unless
  /// the frame has a Bgra8 picture. Errors: Failed.
  [[nodiscard]] Result<double> measure(const render::RenderedFrame& rendered, const Frame& source);
  /// Scales a source frame to the size of the pictures, into one word 0xLLRRGGBB (L: luma) for each pixel.
  /// The words stay valid until the next call. Errors: Failed.
  [[nodiscard]] Result<std::span<const std::uint32_t>> scaled(const Frame& source);

 private:
  [[nodiscard]] Result<Picture> picture_of(const render::RenderedFrame& rendered);

  const render::RenderSetup setup_;
  const render::FrameOptions options_;
  ThreadPool pool_;
  StageTimes times_;  ///< of the pictures drawn here, which are not part of any output
  render::CellCompositor compositor_{pool_, times_};
  mapping::SourceScaler scaler_;
  std::vector<std::uint32_t> scaled_;
};

}  // namespace glyphreel::commands
