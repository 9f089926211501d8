#include "mapping/kernels/cell_analyses.h"

#include <algorithm>

#include "mapping/kernels/kernels.h"

namespace glyphreel::mapping {

void CellAnalyses::resize(GridSize grid) {
  grid_ = grid;
  // Rows have room for whole blocks, because lanes beyond the last column are also read and written.
  pitch_ = static_cast<std::ptrdiff_t>(whole_blocks(static_cast<std::size_t>(grid.columns))) + 2 * Border;
  const std::size_t words =
      static_cast<std::size_t>(pitch_) * static_cast<std::size_t>(grid.rows + 2 * Border);
  for (std::vector<std::uint32_t>* member : {&halves_, &mode_words_, &tones_}) member->assign(words, 0);
}

void CellAnalyses::repeat_border() {
  for (std::vector<std::uint32_t>* member : {&halves_, &mode_words_}) {
    for (int row = 0; row < grid_.rows; ++row) {
      std::uint32_t* first = member->data() + at(row);
      std::uint32_t* end = first + grid_.columns;
      std::fill(first - Border, first, *first);
      std::fill(end, first - Border + pitch_, *(end - 1));
    }
    const auto copy_row = [&](int from, int to) {
      const std::uint32_t* source = member->data() + at(from) - Border;
      std::copy(source, source + pitch_, member->data() + at(to) - Border);
    };
    for (int k = 1; k <= Border; ++k) {
      copy_row(0, -k);
      copy_row(grid_.rows - 1, grid_.rows - 1 + k);
    }
  }
}

}  // namespace glyphreel::mapping
