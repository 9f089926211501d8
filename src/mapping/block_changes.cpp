#include "mapping/block_changes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace glyphreel::mapping {

// A block has one row and at least MinLanes columns. The analyses and drafts that a cell reads are at most
// SurroundRows rows and SurroundColumns columns away, so they are in its own block or in the eight blocks
// around it.
constexpr int MinLanes = 4;
static_assert(shared::SurroundRows <= 1 && shared::SurroundColumns <= MinLanes);
// memcmp() compares these types, so they must not have padding bytes.
static_assert(std::has_unique_object_representations_v<shared::MapParameters> &&
              std::has_unique_object_representations_v<shared::Cell>);

BlockChanges::Flags::Flags(int blocks, int rows)
    : pitch_(blocks + 2), bytes_(static_cast<std::size_t>(blocks + 2) * static_cast<std::size_t>(rows + 2)) {}

void BlockChanges::Flags::find_unset_areas(int row, int blocks, std::uint8_t* unset) const {
  const std::uint8_t* above = bytes_.data() + row * pitch_ + 1;
  const std::uint8_t* here = above + pitch_;
  const std::uint8_t* below = here + pitch_;
  const auto any = [&](int block) { return above[block] | here[block] | below[block]; };
  for (int block = 0; block < blocks; ++block)
    unset[block] = (any(block - 1) | any(block) | any(block + 1)) == 0 ? 1 : 0;
}

BlockChanges::BlockChanges(GridSize grid, int lanes)
    : columns_(grid.columns), lanes_(lanes), blocks_((grid.columns + lanes - 1) / lanes) {
  for (Flags* flags : {&cells_, &inputs_, &drafts_, &kept_}) *flags = Flags(blocks_, grid.rows);
}

void BlockChanges::update_samples(int row, const std::uint32_t* sampled, std::uint32_t* kept,
                                  std::size_t block_words) {
  const std::size_t bytes = block_words * sizeof(std::uint32_t);
  std::uint8_t* changed = inputs_.row(row);
  const std::uint8_t* moved = cells_.row(row);
  for (int block = 0; block < blocks_; ++block, sampled += block_words, kept += block_words) {
    const bool same = std::memcmp(sampled, kept, bytes) == 0;
    if (!same) std::memcpy(kept, sampled, bytes);
    changed[block] = same ? moved[block] : 1;
  }
}

void BlockChanges::mark_changed(CellRange columns, CellRange rows) {
  for (int row = rows.first; row < rows.end; ++row)
    std::fill(inputs_.row(row) + columns.first / lanes_,
              inputs_.row(row) + (columns.end + lanes_ - 1) / lanes_, std::uint8_t{1});
}

void BlockChanges::start_matching(const shared::MapParameters& parameters) {
  // Ignores a change of levels.rate, since matching does not read it.
  parameters_.levels.rate = parameters.levels.rate;
  all_changed_ = !has_parameters_ || std::memcmp(&parameters_, &parameters, sizeof(parameters)) != 0;
  parameters_ = parameters;
  has_parameters_ = true;
}

const std::uint8_t* BlockChanges::drafts_to_keep(int row) {
  if (all_changed_) return nullptr;
  std::uint8_t* kept = kept_.row(row);
  inputs_.find_unset_areas(row, blocks_, kept);
  std::uint8_t* changed = drafts_.row(row);
  for (int block = 0; block < blocks_; ++block) changed[block] = kept[block] ^ 1;
  return kept;
}

const std::uint8_t* BlockChanges::cells_to_keep(int row, bool drafted) {
  if (all_changed_) return nullptr;
  std::uint8_t* kept = kept_.row(row);
  (drafted ? drafts_ : inputs_).find_unset_areas(row, blocks_, kept);
  return kept;
}

void BlockChanges::update_cells(int row, const shared::Cell* cells, shared::Cell* before) {
  std::uint8_t* moved = cells_.row(row);
  for (int block = 0; block < blocks_; ++block) {
    const int first = block * lanes_;
    const auto count = static_cast<std::size_t>(std::min(lanes_, columns_ - first));
    moved[block] = std::memcmp(cells + first, before + first, count * sizeof(shared::Cell)) == 0 ? 0 : 1;
    if (moved[block] != 0) std::copy_n(cells + first, count, before + first);
  }
}

}  // namespace glyphreel::mapping
