#pragma once

#include <cstdint>
#include <vector>

#include "mapping/aligned_vector.h"
#include "mapping/kernels.h"

namespace glyphreel::mapping {

/// One axis of a SamplePlan made ready for the CPU's loops, and the memory behind a CpuAxis.
class AxisStorage {
 public:
  enum class Walk {
    AlongRows,  ///< samples beside each other are read at once, from a row buffer
    Alone,      ///< each position is read on its own
  };

  /// The axis at `words[at]`, with `taps` weights for each of `lattice_size` positions.
  AxisStorage(const std::vector<std::uint32_t>& words, std::uint32_t at, std::uint32_t taps,
              std::uint32_t lattice_size, Walk walk);

  [[nodiscard]] CpuAxis view() const;

  /// Samples that a row buffer has room for: what is read of the source and what zero weights reach beyond
  /// it.
  [[nodiscard]] std::uint32_t room() const { return room_; }

 private:
  void make_even();
  void pair_weights();

  AlignedVector<std::uint32_t> first_, weights_, pairs_;
  std::vector<std::uint8_t> outside_;
  bool any_outside_ = false;
  std::uint32_t taps_ = 1, lattice_size_ = 0, stride_ = 0, reach_ = 0, room_ = 0;
};

}  // namespace glyphreel::mapping
