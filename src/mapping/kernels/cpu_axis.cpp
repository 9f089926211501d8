#include "mapping/kernels/cpu_axis.h"

#include <algorithm>

namespace glyphreel::mapping {

AxisStorage::AxisStorage(const std::vector<std::uint32_t>& words, std::uint32_t at, std::uint32_t taps,
                         std::uint32_t lattice_size, Walk walk)
    : first_(lattice_size),
      weights_(static_cast<std::size_t>(taps) * lattice_size),
      outside_(lattice_size),
      view_{.taps = taps, .lattice_size = lattice_size} {
  for (std::uint32_t k = 0; k < lattice_size; ++k) {
    const std::uint32_t first = words[at + k];
    outside_[k] = first == shared::AxisOutside ? 1 : 0;
    first_[k] = outside_[k] != 0 ? 0 : first;
    view_.any_outside = view_.any_outside || outside_[k] != 0;
    view_.reach = std::max(view_.reach, first_[k] + taps);
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      weights_[static_cast<std::size_t>(tap) * lattice_size + k] = words[at + lattice_size + k * taps + tap];
    }
  }
  room_ = view_.reach;
  if (walk == Walk::AlongRows) {
    make_even();
    pair_weights();
    // The column sums in a block's windows are read in whole registers: up to two registers of 32 sums each,
    // starting at the window with the lowest index.
    constexpr std::size_t BlockSpan = 64;
    const std::size_t padded = whole_blocks(lattice_size);
    room_ = std::max<std::size_t>(view_.reach, first_[0] + view_.stride * padded) + taps + BlockSpan;
    first_.resize(padded, first_.back());
  }
  view_.first = first_.data();
  view_.weights = weights_.data();
  view_.pairs = pairs_.data();
  view_.outside = outside_.data();
}

/// Spaces all windows of taps evenly if possible, so that the fast loops can use the axis. Near the source's
/// end, make_axis() moves windows back and adds zero weights in front. If all other windows are evenly
/// spaced, this function undoes the move. The zero weights then come last and apply to data after the
/// source's row.
void AxisStorage::make_even() {
  const std::size_t size = view_.lattice_size;
  const std::uint32_t taps = view_.taps;
  if (size < 2) return;
  const std::uint32_t stride = first_[1] - first_[0];
  if (stride == 0 || stride > view_.reach) return;
  for (std::size_t k = 0; k < size; ++k) {
    const std::uint32_t wanted = first_[0] + stride * static_cast<std::uint32_t>(k);
    const std::uint32_t moved = wanted - first_[k];
    if (first_[k] > wanted || moved > taps) return;
    for (std::uint32_t tap = 0; tap < moved; ++tap) {
      if (weights_[tap * size + k] != 0) return;
    }
  }
  for (std::size_t k = 0; k < size; ++k) {
    const std::uint32_t wanted = first_[0] + stride * static_cast<std::uint32_t>(k);
    const std::uint32_t moved = wanted - first_[k];
    if (moved == 0) continue;
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      weights_[tap * size + k] = tap + moved < taps ? weights_[(tap + moved) * size + k] : 0;
    }
    first_[k] = wanted;
  }
  view_.stride = stride;
}

void AxisStorage::pair_weights() {
  const std::size_t size = view_.lattice_size;
  const std::size_t row = whole_blocks(size);
  pairs_.assign((view_.taps + 1) / 2 * row, 0);
  for (std::uint32_t tap = 0; tap < view_.taps; ++tap) {
    for (std::size_t k = 0; k < size; ++k) {
      pairs_[tap / 2 * row + k] |= weights_[tap * size + k] << (16 * (tap % 2));
    }
  }
}

}  // namespace glyphreel::mapping
