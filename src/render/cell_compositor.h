#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "render/picture_layout.h"
#include "render/renderer.h"

namespace glyphreel::render {

/// Finishes mapped frames on the CPU: composes text over their cells and draws their picture.
/// Thread-safety: one thread at a time.
class CellCompositor {
 public:
  /// `pool` and `times` must outlive it. Time spent on pictures is added to the stage Draw of `times`.
  CellCompositor(ThreadPool& pool, StageTimes& times) : pool_(pool), times_(times) {}

  /// Starts over, without a frame.
  void configure(const RenderSetup& setup);
  /// See Renderer::set_overlay().
  void set_overlay(std::shared_ptr<const Overlay> overlay) { overlay_ = std::move(overlay); }

  /// Allocates room for the cells of the grid, to be filled and passed to set_cells().
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> cell_block();
  /// Sets the frame that the following cells belong to.
  void set_frame(const Frame& frame);
  /// Sets that frame's cells, which paint() uses from now on.
  void set_cells(std::shared_ptr<const HostBlock> cells) { mapped_ = std::move(cells); }
  /// Returns that frame with the current overlay: cells, and the picture that the setup asks for. Black
  /// before the first frame.
  [[nodiscard]] Result<RenderedFrame> paint();

 private:
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> compose(const Overlay* overlay);
  [[nodiscard]] Result<Picture> draw(const Cell* cells, const std::uint8_t* masks);

  ThreadPool& pool_;
  StageTimes& times_;
  std::unique_ptr<HostMemory> heap_ = make_heap_memory();
  RenderSetup setup_;
  PictureLayout layout_;
  std::shared_ptr<const HostBlock> mapped_;  ///< null: there is no frame yet
  std::int64_t pts_ = 0;                     ///< this and the duration: of that frame
  std::int64_t duration_ = 0;

  std::shared_ptr<const Overlay> overlay_;
  std::vector<std::uint8_t> inks_;   ///< the picture glyphs' mean coverage; empty until compose() runs
  std::vector<std::uint8_t> atlas_;  ///< masks of the picture's glyphs, then of the text's
  std::shared_ptr<const OverlayGlyphs> atlas_of_;  ///< the text glyphs in `atlas_`
};

}  // namespace glyphreel::render
