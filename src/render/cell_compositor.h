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

/// The cells of a frame without the text over them.
struct MappedFrame {
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  std::shared_ptr<const HostBlock> cells = nullptr;  ///< the whole grid; null if there is no frame yet
  /// The source's pixels, for Wipe::source; null if the frame was not scaled.
  std::shared_ptr<const HostBlock> source = nullptr;
};

/// Finishes mapped frames on the CPU: composes text over their cells and draws their pictures.
/// Thread-safety: one thread at a time.
class CellCompositor {
 public:
  /// `pool` and `times` must outlive the compositor. Adds the time spent on pictures to Stage::Draw of
  /// `times`.
  CellCompositor(ThreadPool& pool, StageTimes& times) : pool_(pool), times_(times) {}

  /// `tables`: of the picture's glyphs, for PixelLight; must outlive the compositor or the next configure().
  /// Null: pictures have no such light.
  void configure(const RenderSetup& setup, const mapping::GlyphTables* tables);

  /// Allocates space for the cells of the grid.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> cell_block();
  /// Allocates space for the source's pixels in the size of the picture.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> source_block();
  /// Returns the frame's cells with the overlay of `options` over them, and the picture with the text of
  /// `options` if the setup requests one. Without mapped cells, the text is drawn on black.
  [[nodiscard]] Result<RenderedFrame> paint(const MappedFrame& mapped, const FrameOptions& options);

 private:
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> compose(const HostBlock* mapped,
                                                                 const Overlay* overlay);
  [[nodiscard]] Result<Picture> draw(const Cell* cells, const std::uint8_t* masks, PixelLight light);
  void draw_lit(DrawJob job, PixelLight light);
  /// Draws what `options` puts over the cells: the source, then text.
  void draw_over(const MappedFrame& mapped, const FrameOptions& options, const Picture& picture);

  ThreadPool& pool_;
  StageTimes& times_;
  std::unique_ptr<HostMemory> heap_ = make_heap_memory();
  RenderSetup setup_;
  const mapping::GlyphTables* tables_ = nullptr;
  PictureLayout layout_;
  std::vector<std::uint8_t> coverage_;  ///< mean coverage of the picture's glyphs; empty until compose() runs
  std::vector<std::uint8_t> atlas_;  ///< masks of the picture's glyphs, followed by those of the text glyphs
  std::shared_ptr<const OverlayGlyphs> atlas_of_;  ///< the text glyphs in `atlas_`
  std::vector<std::uint32_t> canvas_;  ///< the drawn picture before it is packed; empty until there is light
  std::vector<std::vector<std::uint32_t>> scratch_;  ///< of each worker, for light
};

}  // namespace glyphreel::render
