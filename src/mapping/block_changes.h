#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// Finds the blocks of cells whose results are those of the previous frame, because nothing that they depend
/// on has changed. That is the samples of the block and of its neighbors, the previous frame's cells of both,
/// and the parameters. A block has one cell per SIMD lane.
///
/// For each frame: update_samples() for all rows; start_matching(); if cells are drafted, drafts_to_keep()
/// for all rows; then, for all rows, cells_to_keep() and update_cells().
/// Thread-safety: different rows may be updated by different threads, if each step waits for the one before.
class BlockChanges {
 public:
  BlockChanges() = default;
  BlockChanges(GridSize grid, int lanes);

  /// Forgets the earlier frames: all blocks of the next frame have changed.
  void reset() { has_parameters_ = false; }

  /// Copies the blocks of a row's samples that differ from those of the previous frame, `kept`, to it.
  /// `block_words`: words per block.
  void update_samples(int row, const std::uint32_t* sampled, std::uint32_t* kept, std::size_t block_words);
  /// `parameters`: those with which this frame's cells will be mapped.
  void start_matching(const shared::MapParameters& parameters);
  /// Returns a byte for each block of a row: 1 if its drafts are the same; null: none is.
  [[nodiscard]] const std::uint8_t* drafts_to_keep(int row);
  /// Returns the same for the cells. `drafted`: whether they depend on drafts.
  [[nodiscard]] const std::uint8_t* cells_to_keep(int row, bool drafted);
  /// Copies a row's cells to those of the previous frame, `before`.
  void update_cells(int row, const shared::Cell* cells, shared::Cell* before);

 private:
  /// One byte per block, surrounded by zeros.
  class Flags {
   public:
    Flags() = default;
    Flags(int blocks, int rows);
    [[nodiscard]] std::uint8_t* row(int row) { return bytes_.data() + (row + 1) * pitch_ + 1; }
    /// Sets bytes of `unset`: 1 where this block and its eight neighbors are 0.
    void find_unset_areas(int row, int blocks, std::uint8_t* unset) const;

   private:
    std::ptrdiff_t pitch_ = 0;
    std::vector<std::uint8_t> bytes_;
  };

  int columns_ = 0;
  int lanes_ = 1;
  int blocks_ = 0;           ///< of a row
  Flags cells_;              ///< the last frame's cells differ from those of the frame before it
  Flags inputs_;             ///< so did its cells, or its samples differ from the last frame's
  Flags drafts_;             ///< drafts may differ from the last frame's
  Flags kept_;               ///< what drafts_to_keep() and then cells_to_keep() return
  bool all_changed_ = true;  ///< in this frame
  bool has_parameters_ = false;
  shared::MapParameters parameters_{};  ///< of the previous frame
};

}  // namespace glyphreel::mapping
