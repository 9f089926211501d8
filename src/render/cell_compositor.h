#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "render/draw_kernels.h"
#include "render/picture_layout.h"
#include "render/renderer.h"

namespace glyphreel::render {

/// A frame's cells before overlay text is drawn.
struct MappedFrame {
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  std::shared_ptr<const HostBlock> cells = nullptr;  ///< the whole grid; null if there is no frame yet
  /// The source video scaled to the pixels of the grid, for Wipe::source; null without a wipe.
  std::shared_ptr<const HostBlock> source = nullptr;
};

/// Finishes mapped frames on the CPU: composes text over their cells and draws their pictures.
/// Thread-safety: one thread at a time.
class CellCompositor {
 public:
  /// `pool` and `times` must outlive the compositor. Adds the time spent on pictures to Stage::Draw of
  /// `times`.
  CellCompositor(ThreadPool& pool, StageTimes& times) : pool_(pool), times_(times) {}

  /// `tables`: the tables of the setup's glyphs, for PixelLight; must stay valid until the compositor is
  /// destroyed or configured again. Null: glow and scan lines are not drawn.
  void configure(const RenderSetup& setup, const mapping::GlyphTables* tables);

  /// Allocates space for the cells of the grid.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> cell_block();
  /// Allocates space for the source video scaled to the pixels of the grid.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> source_block();
  /// Draws the overlay of `options` into the frame's cells. If the setup requests a picture, draws it with
  /// the wipe and the text image of `options`. Without mapped cells, the background is black.
  [[nodiscard]] Result<RenderedFrame> paint(const MappedFrame& mapped, const FrameOptions& options);

 private:
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> compose(const HostBlock* mapped,
                                                                 const Overlay* overlay);
  [[nodiscard]] Result<Picture> draw(const Cell* cells, const std::uint8_t* masks, PixelLight light);
  void draw_lit(DrawJob job, PixelLight light);
  /// Draws the wipe of `options`, then its text image, over the picture.
  void draw_over(const MappedFrame& mapped, const FrameOptions& options, const Picture& picture);

  ThreadPool& pool_;
  StageTimes& times_;
  std::unique_ptr<HostMemory> heap_ = make_heap_memory();
  RenderSetup setup_;
  const mapping::GlyphTables* tables_ = nullptr;
  PictureLayout layout_;
  std::vector<std::uint8_t> coverage_;  ///< mean coverage of the picture's glyphs; empty until compose() runs
  std::vector<std::uint8_t> atlas_;  ///< masks of the picture's glyphs, followed by those of the text glyphs
  std::shared_ptr<const OverlayGlyphs> atlas_of_;    ///< the text glyphs in `atlas_`
  std::vector<std::uint32_t> canvas_;                ///< Bgra8 picture that draw_lit() converts to Yuv420p
  std::vector<std::vector<std::uint32_t>> scratch_;  ///< for add_light_row(), one per worker
};

}  // namespace glyphreel::render
