#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "mapping/kernels/kernels.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// The columns or rows from `first` up to, but not including, `end`.
struct CellRange {
  int first = 0;
  int end = 0;
};

/// Finds the blocks of cells that can keep the previous frame's results because no input of their cells has
/// changed. A block has one cell per SIMD lane. The inputs of a cell are
///   - the parameters;
///   - its samples, its previous cell, and what mark_changed() reports;
///   - the samples of cells up to SurroundColumns and SurroundRows away, if the parameters use them;
///   - the drafts of its four neighbors, if cells are drafted.
///
/// Call these functions for each frame, in this order:
///   1. update_samples() for all rows
///   2. mark_changed(), as needed
///   3. start_matching()
///   4. drafts_to_keep() for all rows, if cells are drafted
///   5. cells_to_keep() and update_cells() for all rows
/// Thread-safety: threads may process different rows of a step, but all rows of a step must be finished
/// before the next step begins.
class BlockChanges {
 public:
  BlockChanges() = default;
  /// `kernels`: must outlive the object. `cell_words`: words_per_cell(). `luma_alone`: the cells depend on no
  /// other channel of the samples, so only luma is compared and copied.
  BlockChanges(GridSize grid, const Kernels& kernels, std::uint32_t cell_words, bool luma_alone);

  /// Forgets all earlier frames: in the next frame, all blocks count as changed.
  void reset() { has_parameters_ = false; }

  /// Compares a row's samples, `sampled`, with the previous frame's samples, `kept`. Copies each changed
  /// block from `sampled` to `kept`.
  void update_samples(int row, const std::uint32_t* sampled, std::uint32_t* kept);
  /// Marks these cells as changed. Needed for inputs that this class does not compare itself, such as the
  /// mean luma of regions (clarity.glsl). Call it after update_samples() and before start_matching().
  void mark_changed(CellRange columns, CellRange rows);
  /// Compares `parameters`, with which this frame's cells are mapped, to the previous frame's parameters. If
  /// they differ, all blocks count as changed.
  void start_matching(const shared::MapParameters& parameters);
  /// Returns a byte for each block of a row: 1 if the block keeps the previous frame's drafts. Returns null
  /// if no block does.
  [[nodiscard]] const std::uint8_t* drafts_to_keep(int row);
  /// Returns a byte for each block of a row: 1 if the block keeps the previous frame's cells. Returns null if
  /// no block does.
  [[nodiscard]] const std::uint8_t* cells_to_keep(int row);
  /// Compares a row's cells, `cells`, with the previous frame's cells, `before`. Copies each changed block
  /// from `cells` to `before`.
  void update_cells(int row, const shared::Cell* cells, shared::Cell* before);

 private:
  /// One bit per cell, in blocks of one word: bit n is the cell in lane n. A border of zeros surrounds the
  /// grid.
  class CellBits {
   public:
    CellBits() = default;
    CellBits(int blocks, int rows, int lanes);
    [[nodiscard]] std::uint16_t* row(int row) { return bits_.data() + (row + 1) * pitch_ + 1; }
    /// Returns a block's bits. A bit is set if any bit at most `columns` to its left or right is set.
    [[nodiscard]] std::uint16_t around(int row, int block, int columns) const;

   private:
    int lanes_ = 1;
    std::ptrdiff_t pitch_ = 0;
    std::vector<std::uint16_t> bits_;
  };
  /// Returns the bits of a block's cells that have changed inputs of their own or of their surroundings.
  [[nodiscard]] std::uint16_t changed_inputs(int row, int block) const;

  const Kernels* kernels_ = nullptr;
  std::size_t block_words_ = 0;
  bool luma_alone_ = false;
  int columns_ = 0;
  int blocks_ = 0;                  ///< number of blocks in a row
  CellBits cells_;                  ///< whether the cell changed in the previous frame
  CellBits inputs_;                 ///< whether the cell's cells_ bit is set or its samples changed
  CellBits drafts_;                 ///< whether the cell's draft may differ from the previous frame's draft
  std::vector<std::uint8_t> kept_;  ///< results of drafts_to_keep(), then of cells_to_keep(): blocks_ per row
  bool all_changed_ = true;         ///< whether no block of this frame can keep its results
  bool has_parameters_ = false;
  bool reads_surroundings_ = false;     ///< whether the inputs of a cell include its surroundings
  shared::MapParameters parameters_{};  ///< of the previous frame
};

}  // namespace glyphreel::mapping
