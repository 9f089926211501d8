#pragma once

#include <memory>
#include <optional>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/thread_pool.h"
#include "mapping/cell_mapper.h"
#include "render/renderer.h"

namespace glyphreel::commands {

/// Finds the frames that are mapped as if no frame preceded them: all frames if mapping keeps no history,
/// otherwise each frame after a cut (next_state() in frame_state.glsl). Always maps frames on the CPU,
/// because a GPU would find the same cuts. Thread-safety: one thread at a time.
class ResetFinder {
 public:
  /// Errors: those of mapping::CellMapper::make().
  [[nodiscard]] static Result<std::unique_ptr<ResetFinder>> make(const render::RenderSetup& setup,
                                                                 const mapping::Adjustments& adjustments,
                                                                 int threads);

  /// Whether every frame is mapped independently of all others. If so, next_resets() returns true without
  /// mapping the frame.
  [[nodiscard]] bool is_always() const { return is_always_; }

  /// Begins a sequence with this frame, which is mapped as if no frame preceded it.
  [[nodiscard]] Result<void> begin(const Frame& frame);
  /// Returns whether the sequence's next frame is mapped as if no frame preceded it.
  [[nodiscard]] Result<bool> next_resets(const Frame& frame);

 private:
  ResetFinder(mapping::CellMapper mapper, const mapping::Adjustments& adjustments, std::size_t cells,
              int threads);
  [[nodiscard]] Result<void> map(const Frame& frame);

  ThreadPool pool_;
  mapping::CellMapper mapper_;
  const mapping::Adjustments adjustments_;
  std::vector<render::Cell> cells_;
  bool is_always_ = false;
};

}  // namespace glyphreel::commands
