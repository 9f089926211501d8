#pragma once

#include <algorithm>
#include <cstdint>

#include "base/frame.h"
#include "base/geometry.h"
#include "gpu/device/shader_interface.h"
#include "gpu/resources/command_buffer.h"

namespace glyphreel::gpu {

/// Returns the number of work groups, of `size` invocations each, that cover `count` invocations. Rounds up,
/// because rounding down would leave the last cells unmapped.
[[nodiscard]] constexpr std::uint32_t groups_for(std::uint32_t count, std::uint32_t size) {
  return (count + size - 1) / size;
}

/// Returns the group count of sample_lattice.comp. An invocation computes one row of samples in one cell. A
/// group covers several neighboring cells, and the same row of samples in each of them. A cell has no more
/// rows of samples than of pixels, and the grid is at most 32,767 pixels high (DrawPass::make), so
/// GroupCount::y is less than the 65,535 that every device allows.
[[nodiscard]] constexpr GroupCount sample_groups(GridSize grid, GridSize samples_per_cell) {
  return {groups_for(static_cast<std::uint32_t>(grid.columns), shared::SampleGroupWidth),
          static_cast<std::uint32_t>(grid.rows * samples_per_cell.rows)};
}

/// Returns the group count of the shaders that have one invocation per cell, such as match_cells.comp. Counts
/// above MaxGroupsX are split into rows of MaxGroupsX groups, as shaders/cell_index.glsl expects.
[[nodiscard]] constexpr GroupCount cell_groups(GridSize grid) {
  const std::uint32_t groups =
      groups_for(static_cast<std::uint32_t>(grid.columns * grid.rows), shared::MatchGroupSize);
  return {std::min(groups, shared::MaxGroupsX), groups_for(groups, shared::MaxGroupsX)};
}

/// Returns the group count of match_pairs.comp: one invocation per pair of neighboring cells in a row. If the
/// number of columns is odd, each cell of the last column counts as a pair.
[[nodiscard]] constexpr GroupCount pair_groups(GridSize grid) {
  return cell_groups({(grid.columns + 1) / 2, grid.rows});
}

/// Returns the group count of draw_picture.comp or pack_yuv.comp: one invocation per block of pixels. A group
/// covers neighboring blocks of one row of blocks.
[[nodiscard]] constexpr GroupCount picture_groups(Extent picture, PictureFormat format) {
  const bool is_yuv = format == PictureFormat::Yuv420p;
  const std::uint32_t across = groups_for(static_cast<std::uint32_t>(picture.width),
                                          is_yuv ? shared::PackBlockWidth : shared::QuadWidth);
  return {groups_for(across, shared::PackGroupWidth),
          groups_for(static_cast<std::uint32_t>(picture.height), is_yuv ? shared::PackBlockHeight : 1)};
}

}  // namespace glyphreel::gpu
