#include "mapping/kernels/cpu_axis.h"

#include <algorithm>

namespace glyphreel::mapping {
namespace {

std::uint32_t whole_blocks(std::uint32_t count) {
  return (count + MaxBlockCells - 1) / MaxBlockCells * MaxBlockCells;
}

}  // namespace

AxisStorage::AxisStorage(const std::vector<std::uint32_t>& words, std::uint32_t at, std::uint32_t taps,
                         std::uint32_t lattice_size, Walk walk)
    : first_(lattice_size),
      weights_(static_cast<std::size_t>(taps) * lattice_size),
      outside_(lattice_size),
      taps_(taps),
      lattice_size_(lattice_size) {
  for (std::uint32_t k = 0; k < lattice_size; ++k) {
    const std::uint32_t first = words[at + k];
    outside_[k] = first == shared::AxisOutside ? 1 : 0;
    first_[k] = outside_[k] != 0 ? 0 : first;
    any_outside_ = any_outside_ || outside_[k] != 0;
    reach_ = std::max(reach_, first_[k] + taps);
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      weights_[static_cast<std::size_t>(tap) * lattice_size + k] = words[at + lattice_size + k * taps + tap];
    }
  }
  room_ = reach_;
  if (walk == Walk::Alone) return;
  make_even();
  pair_weights();
  // Blocks are read whole, across at least two registers of 32 sums.
  constexpr std::uint32_t BlockReach = 64;
  room_ = std::max(reach_, first_[0] + stride_ * whole_blocks(lattice_size)) + taps_ + BlockReach;
  first_.resize(whole_blocks(lattice_size), first_.back());
}

/// Near the end, make_axis() moves windows of taps back over leading zero weights. If all other windows
/// advance by one stride, this moves those forward again: the zeros then weigh what follows the source's
/// row, and the fast loops can handle the axis.
void AxisStorage::make_even() {
  const std::size_t size = lattice_size_;
  if (size < 2) return;
  const std::uint32_t stride = first_[1] - first_[0];
  if (stride == 0 || stride > reach_) return;
  for (std::size_t k = 0; k < size; ++k) {
    const std::uint32_t wanted = first_[0] + stride * static_cast<std::uint32_t>(k);
    const std::uint32_t moved = wanted - first_[k];
    if (first_[k] > wanted || moved > taps_) return;
    for (std::uint32_t tap = 0; tap < moved; ++tap) {
      if (weights_[tap * size + k] != 0) return;
    }
  }
  for (std::size_t k = 0; k < size; ++k) {
    const std::uint32_t wanted = first_[0] + stride * static_cast<std::uint32_t>(k);
    const std::uint32_t moved = wanted - first_[k];
    if (moved == 0) continue;
    for (std::uint32_t tap = 0; tap < taps_; ++tap) {
      weights_[tap * size + k] = tap + moved < taps_ ? weights_[(tap + moved) * size + k] : 0;
    }
    first_[k] = wanted;
  }
  stride_ = stride;
}

void AxisStorage::pair_weights() {
  const std::size_t row = whole_blocks(lattice_size_);
  pairs_.assign((taps_ + 1) / 2 * row, 0);
  for (std::uint32_t tap = 0; tap < taps_; ++tap) {
    for (std::size_t k = 0; k < lattice_size_; ++k) {
      pairs_[tap / 2 * row + k] |= weights_[tap * static_cast<std::size_t>(lattice_size_) + k]
                                   << (16 * (tap % 2));
    }
  }
}

CpuAxis AxisStorage::view() const {
  return {.first = first_.data(),
          .weights = weights_.data(),
          .pairs = pairs_.data(),
          .outside = outside_.data(),
          .any_outside = any_outside_,
          .taps = taps_,
          .lattice_size = lattice_size_,
          .stride = stride_,
          .reach = reach_};
}

}  // namespace glyphreel::mapping
