#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/stage_times.h"
#include "render/renderer.h"

namespace glyphreel::render {

/// Where the two pictures of a split view stand: columns of the whole grid.
struct SplitLayout {
  int columns = 0;   ///< of each half
  int right_at = 0;  ///< the right half's first; what lies between the halves is dark
  bool operator==(const SplitLayout&) const = default;
};
/// Halves of equal width, a column apart, or two where the width is even; where there is no room for that,
/// less.
[[nodiscard]] SplitLayout split_layout(int columns);

/// One side of a split view.
struct SplitHalf {
  std::unique_ptr<StageTimes> times;  ///< of `renderer` alone, which was made with it
  std::unique_ptr<Renderer> renderer;
};

/// What a split view has found since start_anew().
struct SplitFindings {
  int cells = 0;                      ///< of each half
  int differing = 0;                  ///< of the frame mapped last
  std::int64_t frames = 0;            ///< compared
  std::int64_t differing_in_all = 0;  ///< cells of all these frames
};

/// Two renderers side by side. Each maps every frame to a half of the grid; the halves are compared cell by
/// cell, and those that differ are marked on both sides. Text lies over the whole grid. The cells are joined,
/// and pictures drawn, on the CPU.
class SplitRenderer : public Renderer {
 public:
  enum class Side { Left, Right };
  [[nodiscard]] virtual const SplitFindings& findings() const = 0;
  virtual void start_anew() = 0;
  /// Of the renderer of a side.
  [[nodiscard]] virtual const StageTimes& times(Side side) const = 0;
  [[nodiscard]] virtual std::string description(Side side) const = 0;
  /// Of what is done for both together: the stage Draw.
  [[nodiscard]] virtual const StageTimes& own_times() const = 0;

  using Renderer::description;
};

/// `threads` draw pictures; 0: one per processor.
[[nodiscard]] std::unique_ptr<SplitRenderer> make_split_renderer(SplitHalf left, SplitHalf right,
                                                                 int threads);

/// The colours of a cell that differs: red whatever its glyph. `ink`: the glyph's, of mean_inks().
[[nodiscard]] Cell marked_cell(const Cell& cell, std::uint8_t ink);

}  // namespace glyphreel::render
