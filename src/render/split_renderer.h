#pragma once

#include <cstdint>
#include <memory>

#include "base/threads/stage_times.h"
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
class SplitRenderer : public Renderer {
 public:
  enum class Side { Left, Right };
  [[nodiscard]] virtual const SplitFindings& findings() const = 0;
  virtual void reset_findings() = 0;
  /// Stage times of one side's renderer.
  [[nodiscard]] virtual const StageTimes& times(Side side) const = 0;
  [[nodiscard]] virtual std::string description(Side side) const = 0;
  /// Times of the work for both sides together: the stage Draw.
  [[nodiscard]] virtual const StageTimes& own_times() const = 0;

  using Renderer::description;
};

/// `threads` draw pictures; 0: one per CPU.
[[nodiscard]] std::unique_ptr<SplitRenderer> make_split_renderer(SplitHalf left, SplitHalf right,
                                                                 int threads);

/// The colors that mark a differing cell, red whatever its glyph. `ink`: the glyph's value from
/// mean_inks().
[[nodiscard]] Cell marked_cell(const Cell& cell, std::uint8_t ink);

}  // namespace glyphreel::render
