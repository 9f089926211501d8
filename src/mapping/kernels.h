#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mapping/shared_scalar.h"

namespace glyphreel::mapping {

/// The most cells that one block of the CPU's lattice holds, one per SIMD lane; all kernels' lanes divide it.
inline constexpr int MaxBlockCells = 16;

/// One axis of one component as the CPU walks it: weights grouped by tap, and no position outside.
struct CpuAxis {
  const std::uint32_t* first = nullptr;    ///< per lattice position; 0 where outside
  const std::uint32_t* weights = nullptr;  ///< taps rows of lattice_size weights; 0 where outside
  const std::uint8_t* outside = nullptr;   ///< per lattice position, 1: black
  bool any_outside = false;
  std::uint32_t taps = 1;
  std::uint32_t lattice_size = 0;
  std::uint32_t stride = 0;  ///< first[k + 1] - first[k] where that is the same for all k, else 0
  std::uint32_t reach = 0;   ///< source samples that are read: the greatest first + taps
};

/// What sampling one row of cells needs.
struct SampleJob {
  const shared::SampleParameters* parameters = nullptr;
  CpuAxis x[3];                       ///< along source rows, per component
  CpuAxis y[3];
  const std::byte* pixels[3] = {};  ///< first sample of each component
  std::ptrdiff_t strides[3] = {};   ///< bytes from row to row; may be negative
  std::uint32_t* row_buffer = nullptr;      ///< scratch: widest reach words
  std::uint32_t* component_sums = nullptr;  ///< scratch: 3 * (lattice width rounded up to MaxBlockCells) words
};

/// The hot loops of mapping, built once per instruction set from the same source. Results do not differ by a bit.
struct Kernels {
  const char* name;  ///< "baseline", "AVX2", "AVX-512"
  /// Samples cell row `row` into `lattice`: blocks of as many cells as there are lanes, sample after
  /// sample, lane after lane; room for the columns rounded up to MaxBlockCells.
  void (*sample_row)(const SampleJob& job, int row, std::uint32_t* lattice);
  /// Maps one row's lattice to `columns` cells.
  void (*map_row)(const shared::MapParameters& parameters, const std::uint32_t* tables, const std::uint32_t* lattice,
                  shared::Cell* cells);
};

/// The fastest kernels that this processor runs, or those named in GLYPHREEL_ISA (baseline, avx2, avx512).
[[nodiscard]] const Kernels& best_kernels();

/// All kernels that this processor runs, slowest first.
[[nodiscard]] std::span<const Kernels* const> available_kernels();

}  // namespace glyphreel::mapping
