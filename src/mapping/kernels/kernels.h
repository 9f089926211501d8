#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// Maximum cells per block of the CPU's lattice, one per SIMD lane; every kernel's lane count divides it.
inline constexpr int MaxBlockCells = 16;

/// A number of cells or samples, rounded up to whole blocks.
[[nodiscard, gnu::always_inline]] constexpr std::size_t whole_blocks(std::size_t count) {
  constexpr std::size_t Block = MaxBlockCells;
  return (count + Block - 1) / Block * Block;
}

/// Words per cell of the CPU's lattice: each holds four samples of one of four channels.
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t words_per_cell(std::uint32_t samples) {
  return (samples + 3) / 4 * 4;
}

/// One axis of one component for the CPU's loops: weights grouped by tap, 0 for positions outside the
/// source.
struct CpuAxis {
  const std::uint32_t* first = nullptr;    ///< per position, whole_blocks(lattice_size) of them; 0 if outside
  const std::uint32_t* weights = nullptr;  ///< taps rows of lattice_size weights; 0 if outside
  /// For each two taps, whole_blocks(lattice_size) words: the first's weight in the lower 16 bits, the
  /// second's in the upper.
  const std::uint32_t* pairs = nullptr;
  const std::uint8_t* outside = nullptr;  ///< per lattice position, 1: black
  bool any_outside = false;
  std::uint32_t taps = 1;
  std::uint32_t lattice_size = 0;
  std::uint32_t stride = 0;  ///< first[k + 1] - first[k] if it is the same for all k, else 0
  std::uint32_t reach = 0;   ///< number of source samples that are read: the greatest first + taps
};

/// What sampling one row of cells needs.
struct SampleJob {
  const shared::SampleParameters* parameters = nullptr;
  bool luma_alone = false;  ///< the samples' colors are not needed
  CpuAxis x[3];             ///< along source rows, per component
  CpuAxis y[3];
  const std::byte* pixels[3] = {};            ///< first sample of each component
  std::ptrdiff_t strides[3] = {};             ///< bytes from row to row; may be negative
  const std::uint32_t* axis_words = nullptr;  ///< SamplePlan::axis_words, for the tables after the axes
  std::uint32_t* row_buffer = nullptr;        ///< scratch: AxisStorage::room() of the widest x axis
  std::uint16_t* byte_sums = nullptr;         ///< scratch: as many; replaces row_buffer for one-byte samples
  std::uint32_t* component_sums = nullptr;    ///< scratch: component_sums_room() words
};

/// Words for three rows of the lattice in whole blocks, plus what a block of cells may read past them.
[[nodiscard]] inline std::size_t component_sums_room(const shared::SampleParameters& p) {
  return 3 * whole_blocks(p.lattice_width) + std::size_t{MaxBlockCells} * p.samples_x;
}

/// Ramps indexed by light: an entry for each value of the upper bits of 16-bit light, as many as the shared
/// tables of light have.
inline constexpr int RampEntries = 4096;
inline constexpr int RampLightShift = 4;

/// What matching one row of cells needs.
struct MapJob {
  const shared::MapParameters* parameters = nullptr;
  const std::uint32_t* tables = nullptr;
  const std::uint32_t* lattice = nullptr;
  shared::AnalysisView analysis;           ///< of the row's first cell; empty if not needed
  const shared::Cell* previous = nullptr;  ///< the row in the previous frame; null if there is none
  const std::uint32_t* ramp = nullptr;     ///< from Kernels::tabulate_ramp(); null: not tabulated
  int row = 0;
};

/// The hot loops of mapping, built once per instruction set from the same source. Results are
/// bit-identical.
struct Kernels {
  const char* name;  ///< "baseline", "AVX2", "AVX-512"
  /// Samples cell row `row` into `lattice`: blocks with one cell per lane, each block word after word of
  /// words_per_cell(), each word lane after lane. `lattice` has room for the columns rounded up to
  /// MaxBlockCells. Bytes beyond a cell's samples are not written: they stay zero.
  void (*sample_row)(const SampleJob& job, int row, std::uint32_t* lattice);
  /// Fills CellAnalysis and the tones (code values of mean light) of one row's lattice; each array has room
  /// for whole blocks.
  void (*analyze_row)(const shared::MapParameters& parameters, const std::uint32_t* tables,
                      const std::uint32_t* lattice, std::uint32_t* halves, std::uint32_t* mode_words,
                      std::uint32_t* tones);
  /// Fills the RampEntries that MapJob::ramp points to. Only for ModeRamp without dithering and without
  /// wide ramps; valid until a parameter other than level_gain or keep_previous changes.
  void (*tabulate_ramp)(const shared::MapParameters& parameters, const std::uint32_t* tables,
                        std::span<std::uint32_t> entries);
  /// If parameters.two_pass is set: drafts one row's cells. Call it for all rows before map_row().
  void (*draft_row)(const MapJob& job);
  /// Maps one row's lattice to `columns` cells.
  void (*map_row)(const MapJob& job, shared::Cell* cells);
};

/// Returns the fastest kernels that this CPU runs, or those named in GLYPHREEL_ISA (baseline, avx2,
/// avx512).
[[nodiscard]] const Kernels& best_kernels();

/// Returns all kernels that this CPU runs, slowest first.
[[nodiscard]] std::span<const Kernels* const> available_kernels();

}  // namespace glyphreel::mapping
