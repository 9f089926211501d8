#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/stage_times.h"
#include "base/thread_pool.h"
#include "render/picture_layout.h"
#include "render/renderer.h"

namespace glyphreel::render {

/// What comes after mapping on the CPU: the text over a frame's cells, and their picture.
/// Thread-safety: one thread at a time.
class CellPainter {
 public:
  /// Both outlive it. The time that pictures take goes to the stage Draw of `times`.
  CellPainter(ThreadPool& pool, StageTimes& times) : pool_(pool), times_(times) {}

  /// Starts over: there is no frame yet.
  void configure(const RenderSetup& setup);
  /// See Renderer::set_overlay().
  void set_overlay(std::shared_ptr<const Overlay> overlay) { overlay_ = std::move(overlay); }

  /// Room for the cells of the grid, to be written and given to set_cells().
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> cell_block();
  /// The frame that cells are of from now on.
  void set_frame(const Frame& frame);
  /// Its cells, which are painted from now on.
  void set_cells(std::shared_ptr<const HostBlock> cells) { mapped_ = std::move(cells); }
  /// That frame under the text of now: cells, and the picture that the setup asks for. Black before the
  /// first.
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
  std::int64_t pts_ = 0;                     ///< of that frame, and the next
  std::int64_t duration_ = 0;

  std::shared_ptr<const Overlay> overlay_;
  std::vector<std::uint8_t> inks_;   ///< of the picture's glyphs; empty until there is text over them
  std::vector<std::uint8_t> atlas_;  ///< masks of the picture's glyphs and of the text's
  std::shared_ptr<const OverlayGlyphs> atlas_of_;  ///< the text's glyphs in there
};

}  // namespace glyphreel::render
