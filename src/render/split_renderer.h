#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/threads/stage_times.h"
#include "base/threads/thread_pool.h"
#include "render/cell_compositor.h"
#include "render/renderer.h"

namespace glyphreel::render {

/// Where the two pictures of a split view are, in columns of the whole grid.
struct SplitLayout {
  int columns = 0;   ///< of each half
  int right_at = 0;  ///< first column of the right half; the columns between the halves are dark
  bool operator==(const SplitLayout&) const = default;
};
/// Halves of equal width, one column apart, or two if the width is even; less if there is no room.
[[nodiscard]] SplitLayout split_layout(int columns);

/// One side of a split view.
struct SplitHalf {
  std::unique_ptr<StageTimes> times;  ///< of `renderer` only, which was made with it
  std::unique_ptr<Renderer> renderer;
};

/// What a split view has counted since reset_findings().
struct SplitFindings {
  int cells = 0;                      ///< of each half
  int differing = 0;                  ///< in the frame mapped last
  std::int64_t frames = 0;            ///< compared
  std::int64_t differing_in_all = 0;  ///< cells, in all these frames
};

/// Two renderers side by side. Each maps every frame to one half of the grid; the halves are compared cell
/// by cell, and cells that differ are marked on both sides. Text covers the whole grid. The CPU joins the
/// cells and draws the pictures.
class SplitRenderer final : public Renderer {
 public:
  /// `threads` draw pictures; 0: one per CPU.
  SplitRenderer(SplitHalf left, SplitHalf right, int threads);

  Result<void> configure(const RenderSetup& setup) override;
  void warm_up(const RenderSetup& setup) override;
  Result<void> submit(const Frame& frame, const FrameOptions& options) override;
  Result<RenderedFrame> collect() override;
  Result<RenderedFrame> redraw(const FrameOptions& options) override;
  HostMemory* frame_memory() override;
  std::string description() const override;
  std::uint64_t bytes_copied() const override;

  enum class Side { Left, Right };
  [[nodiscard]] const SplitFindings& findings() const { return findings_; }
  void reset_findings() { findings_ = {.cells = findings_.cells}; }
  /// Stage times of one side's renderer.
  [[nodiscard]] const StageTimes& times(Side side) const { return *half(side).times; }
  [[nodiscard]] std::string description(Side side) const { return half(side).renderer->description(); }
  /// Times of the work for both sides together: the stage Draw.
  [[nodiscard]] const StageTimes& own_times() const { return own_times_; }

 private:
  [[nodiscard]] const SplitHalf& half(Side side) const { return side == Side::Left ? left_ : right_; }
  [[nodiscard]] Result<void> join(const RenderedFrame& left, const RenderedFrame& right, Effect effect);

  const SplitHalf left_, right_;
  ThreadPool pool_;
  StageTimes own_times_;
  CellCompositor painter_{pool_, own_times_};
  GridSize grid_;
  SplitLayout layout_;
  Cell seam_;
  std::vector<std::uint8_t> coverage_;
  SplitFindings findings_;
  std::optional<RenderedFrame> finished_;  ///< not collected yet
  bool is_configured_ = false;
  MappedFrame joined_;  ///< no cells: no frame since configure()
  Effect joined_effect_ = Effect::None;
};

/// The colors that mark a differing cell, red whatever its glyph. `coverage`: the glyph's value from
/// mean_coverage().
[[nodiscard]] Cell marked_cell(const Cell& cell, std::uint8_t coverage);

}  // namespace glyphreel::render
