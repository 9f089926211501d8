#include "mapping/block_changes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "mapping/tables/glyph_tables.h"

namespace glyphreel::mapping {

// CellBits has one row beyond the grid, and around() reads one block to each side. Blocks have at least
// MinLanes cells.
constexpr int MinLanes = 4;
static_assert(shared::SurroundRows <= 1 && shared::SurroundColumns <= MinLanes);
// memcmp() compares these types, so they must not have padding bytes.
static_assert(std::has_unique_object_representations_v<shared::MapParameters> &&
              std::has_unique_object_representations_v<shared::Cell>);

BlockChanges::CellBits::CellBits(int blocks, int rows, int lanes)
    : lanes_(lanes),
      pitch_(blocks + 2),
      bits_(static_cast<std::size_t>(blocks + 2) * static_cast<std::size_t>(rows + 2)) {}

std::uint16_t BlockChanges::CellBits::around(int row, int block, int columns) const {
  const std::uint16_t* at = bits_.data() + (row + 1) * pitch_ + 1 + block;
  const std::uint64_t three =
      std::uint64_t{at[-1]} | std::uint64_t{at[0]} << lanes_ | std::uint64_t{at[1]} << (2 * lanes_);
  std::uint64_t any = three;
  for (int step = 1; step <= columns; ++step) any |= three << step | three >> step;
  return static_cast<std::uint16_t>((any >> lanes_) & ((1u << lanes_) - 1));
}

BlockChanges::BlockChanges(GridSize grid, const Kernels& kernels, std::uint32_t cell_words, bool luma_alone)
    : kernels_(&kernels),
      block_words_(static_cast<std::size_t>(kernels.lanes) * cell_words),
      luma_alone_(luma_alone),
      columns_(grid.columns),
      blocks_((grid.columns + kernels.lanes - 1) / kernels.lanes),
      kept_(static_cast<std::size_t>(blocks_) * static_cast<std::size_t>(grid.rows)) {
  for (CellBits* bits : {&cells_, &inputs_, &drafts_}) *bits = CellBits(blocks_, grid.rows, kernels.lanes);
}

void BlockChanges::update_samples(int row, const std::uint32_t* sampled, std::uint32_t* kept) {
  std::uint16_t* inputs = inputs_.row(row);
  const std::uint16_t* cells = cells_.row(row);
  for (int block = 0; block < blocks_; ++block, sampled += block_words_, kept += block_words_) {
    const std::uint32_t changed = kernels_->update_block(sampled, kept, block_words_, luma_alone_);
    inputs[block] = static_cast<std::uint16_t>(changed | cells[block]);
  }
}

void BlockChanges::mark_changed(CellRange columns, CellRange rows) {
  const int lanes = kernels_->lanes;
  for (int block = columns.first / lanes; block * lanes < columns.end; ++block) {
    const int first = std::max(columns.first - block * lanes, 0);
    const int end = std::min(columns.end - block * lanes, lanes);
    const auto marked = static_cast<std::uint16_t>((1u << end) - (1u << first));
    for (int row = rows.first; row < rows.end; ++row) inputs_.row(row)[block] |= marked;
  }
}

void BlockChanges::start_matching(const shared::MapParameters& parameters) {
  // Ignores a change of levels.rate, since matching does not read it.
  parameters_.levels.rate = parameters.levels.rate;
  all_changed_ = !has_parameters_ || std::memcmp(&parameters_, &parameters, sizeof(parameters)) != 0;
  parameters_ = parameters;
  has_parameters_ = true;
  reads_surroundings_ = reads_surroundings(parameters);
}

std::uint16_t BlockChanges::changed_inputs(int row, int block) const {
  constexpr int Columns = shared::SurroundColumns, Rows = shared::SurroundRows;
  if (!reads_surroundings_) return inputs_.around(row, block, 0);
  std::uint16_t changed = 0;
  for (int dy = -Rows; dy <= Rows; ++dy) changed |= inputs_.around(row + dy, block, Columns);
  return changed;
}

const std::uint8_t* BlockChanges::drafts_to_keep(int row) {
  if (all_changed_) return nullptr;
  std::uint8_t* kept = kept_.data() + row * blocks_;
  std::uint16_t* changed = drafts_.row(row);
  for (int block = 0; block < blocks_; ++block) {
    changed[block] = changed_inputs(row, block);
    kept[block] = changed[block] == 0 ? 1 : 0;
  }
  return kept;
}

const std::uint8_t* BlockChanges::cells_to_keep(int row) {
  if (all_changed_) return nullptr;
  std::uint8_t* kept = kept_.data() + row * blocks_;
  for (int block = 0; block < blocks_; ++block) {
    const int changed = parameters_.two_pass == 0
                            ? changed_inputs(row, block)
                            : drafts_.around(row, block, 1) | drafts_.around(row - 1, block, 0) |
                                  drafts_.around(row + 1, block, 0);
    kept[block] = changed == 0 ? 1 : 0;
  }
  return kept;
}

void BlockChanges::update_cells(int row, const shared::Cell* cells, shared::Cell* before) {
  std::uint16_t* changed = cells_.row(row);
  for (int block = 0; block < blocks_; ++block) {
    const int first = block * kernels_->lanes;
    const int count = std::min(kernels_->lanes, columns_ - first);
    changed[block] = 0;
    if (std::memcmp(cells + first, before + first, static_cast<std::size_t>(count) * sizeof(shared::Cell)) ==
        0)
      continue;
    for (int lane = 0; lane < count; ++lane) {
      const bool same = std::memcmp(cells + first + lane, before + first + lane, sizeof(shared::Cell)) == 0;
      changed[block] |= static_cast<std::uint16_t>((same ? 0u : 1u) << lane);
    }
    std::copy_n(cells + first, count, before + first);
  }
}

}  // namespace glyphreel::mapping
