#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// The columns or rows from `first` up to, but not including, `end`.
struct CellRange {
  int first = 0;
  int end = 0;
};

/// Finds the blocks of cells that can keep the previous frame's results because no input has changed. The
/// inputs are the parameters, the samples and previous cells of the block and its eight neighbors, and what
/// mark_changed() reports. A block has one cell per SIMD lane.
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
  BlockChanges(GridSize grid, int lanes);

  /// Forgets all earlier frames: in the next frame, all blocks count as changed.
  void reset() { has_parameters_ = false; }

  /// Compares a row's samples, `sampled`, with the previous frame's samples, `kept`. Copies each changed
  /// block from `sampled` to `kept`. `block_words`: words per block.
  void update_samples(int row, const std::uint32_t* sampled, std::uint32_t* kept, std::size_t block_words);
  /// Marks the blocks with these cells as changed. Needed for inputs that this class does not compare itself,
  /// such as the mean luma of regions (clarity.glsl). Call it after update_samples() and before
  /// start_matching().
  void mark_changed(CellRange columns, CellRange rows);
  /// Compares the parameters with the previous frame's. If they differ, all blocks count as changed.
  /// `parameters`: those with which this frame's cells are mapped.
  void start_matching(const shared::MapParameters& parameters);
  /// Returns a byte for each block of a row: 1 if the block keeps the previous frame's drafts. Returns null
  /// if no block does.
  [[nodiscard]] const std::uint8_t* drafts_to_keep(int row);
  /// Returns a byte for each block of a row: 1 if the block keeps the previous frame's cells. Returns null if
  /// no block does. `drafted`: whether cells depend on drafts.
  [[nodiscard]] const std::uint8_t* cells_to_keep(int row, bool drafted);
  /// Compares a row's cells, `cells`, with the previous frame's cells, `before`. Copies each changed block
  /// from `cells` to `before`.
  void update_cells(int row, const shared::Cell* cells, shared::Cell* before);

 private:
  /// One byte per block of the grid. A border of zeros surrounds the grid.
  class Flags {
   public:
    Flags() = default;
    Flags(int blocks, int rows);
    [[nodiscard]] std::uint8_t* row(int row) { return bytes_.data() + (row + 1) * pitch_ + 1; }
    /// Sets each byte of `unset` to 1 if the bytes of the block and its eight neighbors are 0, otherwise to
    /// 0.
    void find_unset_areas(int row, int blocks, std::uint8_t* unset) const;

   private:
    std::ptrdiff_t pitch_ = 0;
    std::vector<std::uint8_t> bytes_;
  };

  int columns_ = 0;
  int lanes_ = 1;
  int blocks_ = 0;           ///< number of blocks in a row
  Flags cells_;              ///< whether the block's cells changed in the last frame
  Flags inputs_;             ///< whether the block's cells_ flag is set or the block's other inputs changed
  Flags drafts_;             ///< whether drafts may differ from the last frame's
  Flags kept_;               ///< result of drafts_to_keep(), then of cells_to_keep()
  bool all_changed_ = true;  ///< whether no block of this frame can keep its results
  bool has_parameters_ = false;
  shared::MapParameters parameters_{};  ///< of the previous frame
};

}  // namespace glyphreel::mapping
