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

/// The positions of a split view's two halves, in columns of the whole grid.
struct SplitLayout {
  int columns = 0;   ///< width of each half
  int right_at = 0;  ///< first column of the right half; the columns between the halves are black
  bool operator==(const SplitLayout&) const = default;
};
/// Returns two halves of equal width for a grid of `columns` columns. The gap between the halves is one
/// column if `columns` is odd, and two columns if `columns` is even. There is no gap if `columns` is less
/// than 3.
[[nodiscard]] SplitLayout split_layout(int columns);

/// One side of a split view.
struct SplitHalf {
  std::unique_ptr<StageTimes> times;  ///< receives the stage times of `renderer`
  std::unique_ptr<Renderer> renderer;
};

/// How many cells differ between the two halves. reset_findings() sets all members except `cells` to 0.
struct SplitFindings {
  int cells = 0;                      ///< number of cells in each half
  int differing = 0;                  ///< number of differing cells in the last mapped frame
  std::int64_t frames = 0;            ///< number of compared frames
  std::int64_t differing_in_all = 0;  ///< number of differing cells in all compared frames
};

/// Shows the results of two renderers side by side. Each maps every frame to one half of the grid. Compares
/// the halves cell by cell and marks each differing cell in both halves. The CPU joins the cells and draws
/// the pictures. FrameOptions::overlay and FrameOptions::text cover the whole grid.
class SplitRenderer final : public Renderer {
 public:
  /// `threads`: number of threads that draw pictures; 0: one per CPU.
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
  /// Returns the stage times of one side's renderer.
  [[nodiscard]] const StageTimes& times(Side side) const { return *half(side).times; }
  [[nodiscard]] std::string description(Side side) const { return half(side).renderer->description(); }
  /// Returns the time spent drawing joined pictures, in Stage::Draw. All other stages are empty.
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
  std::optional<RenderedFrame> finished_;  ///< the submitted frame; empty once it is collected
  bool is_configured_ = false;
  MappedFrame joined_;  ///< the last frame; `cells` are null until the first submit() after configure()
  Effect joined_effect_ = Effect::None;
};

/// Returns the cell with colors that mark it as differing: red covers the larger part of the cell.
/// `coverage`: the glyph's value from mean_coverage().
[[nodiscard]] Cell marked_cell(const Cell& cell, std::uint8_t coverage);

}  // namespace glyphreel::render
