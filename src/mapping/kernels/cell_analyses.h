#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// CellAnalysis for all cells of a grid on the CPU: one array per member. The grid's border cells are
/// repeated around the grid, so that lanes read neighbors without bounds checks.
class CellAnalyses {
 public:
  void resize(GridSize grid);

  [[nodiscard]] std::uint32_t* halves(int row) { return halves_.data() + at(row); }
  [[nodiscard]] std::uint32_t* mode_words(int row) { return mode_words_.data() + at(row); }
  [[nodiscard]] std::uint32_t* tones(int row) { return tones_.data() + at(row); }
  /// Returns a view whose pointers point to the analysis of a row's first cell.
  [[nodiscard]] shared::AnalysisView view(int row) const {
    return {.halves = halves_.data() + at(row), .mode_words = mode_words_.data() + at(row), .pitch = pitch_};
  }
  /// Repeats the grid's border cells around the grid. All cells must have been written.
  void repeat_border();

 private:
  /// The number of columns and rows of repeated cells on each side of the grid. A cell of the grid reads only
  /// one row beyond the grid. The second row is for lanes beyond the last column: they may read past the end
  /// of a row and so into the row below it.
  static constexpr int Border = 2;
  static_assert(Border >= shared::SurroundColumns && Border > shared::SurroundRows);
  [[nodiscard]] std::ptrdiff_t at(int row) const { return (row + Border) * pitch_ + Border; }

  GridSize grid_;
  std::ptrdiff_t pitch_ = 0;
  std::vector<std::uint32_t> halves_, mode_words_, tones_;
};

}  // namespace glyphreel::mapping
