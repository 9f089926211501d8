#pragma once

#include <cstdint>
#include <vector>

#include "mapping/kernels/kernels.h"
#include "mapping/shared/aligned_vector.h"

namespace glyphreel::mapping {

/// One axis of a SamplePlan, prepared for the CPU's loops. Owns the memory of a CpuAxis.
class AxisStorage {
 public:
  enum class Walk {
    AlongRows,  ///< adjacent positions are computed together, from a row buffer
    Alone,      ///< each position is read separately
  };

  /// Reads the axis that begins at `words[at]` and has `taps` weights for each of `lattice_size` positions.
  AxisStorage(const std::vector<std::uint32_t>& words, std::uint32_t at, std::uint32_t taps,
              std::uint32_t lattice_size, Walk walk);
  AxisStorage(const AxisStorage&) = delete;  // the pointers of view_ point into this object
  AxisStorage(AxisStorage&&) = default;

  /// Returns the axis, which is valid as long as this object, even if the object is moved.
  [[nodiscard]] const CpuAxis& view() const { return view_; }

  /// Returns the number of samples that a row buffer must have room for. Samples beyond the source's row are
  /// read with zero weights.
  [[nodiscard]] std::size_t room() const { return room_; }

 private:
  void make_even();
  void pair_weights();

  AlignedVector<std::uint32_t> first_, weights_, pairs_;
  std::vector<std::uint8_t> outside_;
  CpuAxis view_;
  std::size_t room_ = 0;
};

}  // namespace glyphreel::mapping
