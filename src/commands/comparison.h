#pragma once

#include <cstdint>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "base/threads/stage_times.h"
#include "render/renderer.h"

namespace glyphreel::commands {

/// The first cell that differs between two renderers.
struct CellMismatch {
  std::int64_t frame = 0;
  int column = 0, row = 0;
  render::Cell gpu, cpu;
};

/// Differences found so far between two renderers' frames.
struct Comparison {
  std::int64_t frames = 0;
  std::int64_t cells = 0;  ///< number of cells compared in all frames
  std::int64_t mismatched_cells = 0;
  std::int64_t mismatched_pixels = 0;
  int max_pixel_difference = 0;  ///< largest difference in one byte of a pixel, 0 to 255
  std::optional<CellMismatch> first_mismatch;
  /// The similarity of the CPU's picture to the source frame (see ssim()), summed over all frames. Empty: not
  /// measured.
  std::optional<double> ssim_sum;

  [[nodiscard]] bool is_equal() const { return mismatched_cells == 0 && mismatched_pixels == 0; }
  /// Adds the differences between two renderings of one frame. Both renderings must have the same grid and
  /// Bgra8 pictures of the same size.
  void add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu);
};

[[nodiscard]] bool cells_equal(const render::Cell& a, const render::Cell& b);
/// Returns a pixel of a Bgra8 picture, 0xAARRGGBB.
[[nodiscard]] std::uint32_t pixel_at(const Picture& picture, int x, int y);
/// Returns the largest difference between corresponding bytes of two pixels, 0 to 255.
[[nodiscard]] int pixel_difference(std::uint32_t a, std::uint32_t b);

/// Returns the median time to map a frame plus the median time to draw one, in milliseconds. A stage
/// that was not timed counts as 0.
[[nodiscard]] double frame_ms(const StageTimes& times);

/// Returns the object that `compare --json` prints. `glyphs` names the characters of the first mismatch.
/// If it is null, the object has only glyph numbers.
[[nodiscard]] nlohmann::json comparison_json(const Comparison& comparison, const text::GlyphSet* glyphs,
                                             const StageTimes& gpu_times, const StageTimes& cpu_times);

}  // namespace glyphreel::commands
