#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mapping/shared_types.h"

namespace glyphreel::mapping {

/// The most cells that one block of the CPU's lattice holds, one per SIMD lane; all kernels' lanes divide it.
inline constexpr int MaxBlockCells = 16;

/// Words that one cell of the CPU's lattice takes: each holds four samples of one of four channels.
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t words_per_cell(std::uint32_t samples) {
  return (samples + 3) / 4 * 4;
}

/// One axis of one component as the CPU walks it: weights grouped by tap, and no position outside.
struct CpuAxis {
  const std::uint32_t* first = nullptr;    ///< per lattice position, padded_size() of them; 0 where outside
  const std::uint32_t* weights = nullptr;  ///< taps rows of lattice_size weights; 0 where outside
  /// For each two taps, padded_size() words: the first's weight in the lower 16 bits, the second's in the
  /// upper.
  const std::uint32_t* pairs = nullptr;
  const std::uint8_t* outside = nullptr;  ///< per lattice position, 1: black
  bool any_outside = false;
  std::uint32_t taps = 1;
  std::uint32_t lattice_size = 0;
  std::uint32_t stride = 0;  ///< first[k + 1] - first[k] where that is the same for all k, else 0
  std::uint32_t reach = 0;   ///< source samples that are read: the greatest first + taps

  /// lattice_size rounded up to whole blocks.
  [[nodiscard]] std::size_t padded_size() const {
    return (lattice_size + std::size_t{MaxBlockCells} - 1) / MaxBlockCells * MaxBlockCells;
  }
};

/// What sampling one row of cells needs.
struct SampleJob {
  const shared::SampleParameters* parameters = nullptr;
  bool luma_alone = false;  ///< nothing asks for the samples' colours
  CpuAxis x[3];             ///< along source rows, per component
  CpuAxis y[3];
  const std::byte* pixels[3] = {};            ///< first sample of each component
  std::ptrdiff_t strides[3] = {};             ///< bytes from row to row; may be negative
  const std::uint32_t* axis_words = nullptr;  ///< SamplePlan::axis_words, for the tables behind the axes
  std::uint32_t* row_buffer = nullptr;        ///< scratch: AxisStorage::room() of the widest x axis
  std::uint16_t* byte_sums = nullptr;  ///< scratch: as many; takes row_buffer's place where samples are bytes
  std::uint32_t* component_sums = nullptr;  ///< scratch: component_sums_room() words
};

/// Three rows of the lattice, each rounded up to MaxBlockCells, and as much behind them as a block of cells
/// may read.
[[nodiscard]] inline std::size_t component_sums_room(const shared::SampleParameters& p) {
  constexpr std::size_t Block = MaxBlockCells;
  return 3 * ((p.lattice_width + Block - 1) / Block * Block) + Block * p.samples_x;
}

/// Ramps by light: an entry for each value of the upper bits of 16-bit light, as many as shared tables of
/// light have.
inline constexpr int RampEntries = 4096;
inline constexpr int RampLightShift = 4;

/// What matching one row of cells needs.
struct MapJob {
  const shared::MapParameters* parameters = nullptr;
  const std::uint32_t* tables = nullptr;
  const std::uint32_t* lattice = nullptr;
  shared::AnalysisView analysis;           ///< of the row's first cell; empty where nothing needs it
  const shared::Cell* previous = nullptr;  ///< the row in the frame before; null where there is none
  const std::uint32_t* ramp = nullptr;     ///< of Kernels::tabulate_ramp(); null: as the mode says
  int row = 0;
};

/// The hot loops of mapping, built once per instruction set from the same source. Results do not differ by a
/// bit.
struct Kernels {
  const char* name;  ///< "baseline", "AVX2", "AVX-512"
  /// Samples cell row `row` into `lattice`: blocks of as many cells as there are lanes, word after word of
  /// words_per_cell(), lane after lane; room for the columns rounded up to MaxBlockCells. What words have
  /// room for beyond a cell's samples stays as it is: zeros.
  void (*sample_row)(const SampleJob& job, int row, std::uint32_t* lattice);
  /// Fills CellAnalysis and the tones (code values of mean light) of one row's lattice; each has room for
  /// whole blocks.
  void (*analyse_row)(const shared::MapParameters& parameters, const std::uint32_t* tables,
                      const std::uint32_t* lattice, std::uint32_t* halves, std::uint32_t* edges,
                      std::uint32_t* tones);
  /// Fills the RampEntries that MapJob::ramp points to. For ModeRamp without dithering and without wide
  /// ramps; good for as long as the parameters but for level_gain and keep_previous are these.
  void (*tabulate_ramp)(const shared::MapParameters& parameters, const std::uint32_t* tables,
                        std::span<std::uint32_t> entries);
  /// Where parameters.second_look is set: the drafts of one row's cells, all rows of them before map_row().
  void (*draft_row)(const MapJob& job);
  /// Maps one row's lattice to `columns` cells.
  void (*map_row)(const MapJob& job, shared::Cell* cells);
};

/// The fastest kernels that this processor runs, or those named in GLYPHREEL_ISA (baseline, avx2, avx512).
[[nodiscard]] const Kernels& best_kernels();

/// All kernels that this processor runs, slowest first.
[[nodiscard]] std::span<const Kernels* const> available_kernels();

}  // namespace glyphreel::mapping
