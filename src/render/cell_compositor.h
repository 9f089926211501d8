#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "render/picture_layout.h"
#include "render/renderer.h"

namespace glyphreel::render {

/// The cells of a frame without the text over them.
struct MappedFrame {
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  std::shared_ptr<const HostBlock> cells = nullptr;  ///< the whole grid; null if there is no frame yet
};

/// Finishes mapped frames on the CPU: composes text over their cells and draws their pictures.
/// Thread-safety: one thread at a time.
class CellCompositor {
 public:
  /// `pool` and `times` must outlive the compositor. Adds the time spent on pictures to Stage::Draw of
  /// `times`.
  CellCompositor(ThreadPool& pool, StageTimes& times) : pool_(pool), times_(times) {}

  void configure(const RenderSetup& setup);

  /// Allocates space for the cells of the grid.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> cell_block();
  /// Returns the frame's cells with the text of `overlay` (null: none) over them, and the picture if the
  /// setup requests one. Without mapped cells, the text is drawn on black. Ignores an overlay for another
  /// grid or cell size.
  [[nodiscard]] Result<RenderedFrame> paint(const MappedFrame& mapped, const Overlay* overlay);

 private:
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> compose(const HostBlock* mapped,
                                                                 const Overlay* overlay);
  [[nodiscard]] Result<Picture> draw(const Cell* cells, const std::uint8_t* masks);

  ThreadPool& pool_;
  StageTimes& times_;
  std::unique_ptr<HostMemory> heap_ = make_heap_memory();
  RenderSetup setup_;
  PictureLayout layout_;
  std::vector<std::uint8_t> coverage_;  ///< mean coverage of the picture's glyphs; empty until compose() runs
  std::vector<std::uint8_t> atlas_;  ///< masks of the picture's glyphs, followed by those of the text glyphs
  std::shared_ptr<const OverlayGlyphs> atlas_of_;  ///< the text glyphs in `atlas_`
};

}  // namespace glyphreel::render
