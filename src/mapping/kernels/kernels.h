#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// Maximum number of cells in a block of the CPU's lattice. A block has one cell per SIMD lane, and this
/// maximum is a multiple of every kernel's lane count.
inline constexpr int MaxBlockCells = 16;

/// Rounds a number of cells or samples up to a multiple of MaxBlockCells.
[[nodiscard, gnu::always_inline]] constexpr std::size_t whole_blocks(std::size_t count) {
  constexpr std::size_t Block = MaxBlockCells;
  return (count + Block - 1) / Block * Block;
}

/// Returns the number of words that a cell of `samples` samples has in the CPU's lattice. A word holds four
/// samples of one channel, and there are four channels.
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t words_per_cell(std::uint32_t samples) {
  return (samples + 3) / 4 * 4;
}

/// One axis of one component for the CPU's loops, with weights grouped by tap. Weights are 0 for positions
/// outside the source.
struct CpuAxis {
  /// For each position, the index of its first source sample; 0 if the position is outside the source. Along
  /// source rows, the array is padded to whole_blocks(lattice_size) elements.
  const std::uint32_t* first = nullptr;
  const std::uint32_t* weights = nullptr;  ///< one row of lattice_size weights per tap; 0 if outside
  /// For each pair of taps, whole_blocks(lattice_size) words: the weight of the first tap in the lower 16
  /// bits, and the weight of the second tap in the upper 16 bits.
  const std::uint32_t* pairs = nullptr;
  const std::uint8_t* outside = nullptr;  ///< per lattice position; 1: outside, which is black
  bool any_outside = false;
  std::uint32_t taps = 1;
  std::uint32_t lattice_size = 0;
  std::uint32_t stride = 0;  ///< first[k + 1] - first[k] if it is the same for all k, else 0
  std::uint32_t reach = 0;   ///< number of source samples that are read: the maximum of first[k] + taps
};

/// Input and scratch memory for sampling one row of cells.
struct SampleJob {
  const shared::SampleParameters* parameters = nullptr;
  bool luma_alone = false;  ///< only the samples' luma is needed
  CpuAxis x[3];             ///< along source rows, per component
  CpuAxis y[3];
  const std::byte* pixels[3] = {};            ///< first sample of each component
  std::ptrdiff_t strides[3] = {};             ///< bytes from row to row; may be negative
  const std::uint32_t* axis_words = nullptr;  ///< SamplePlan::axis_words: the axes, then the tables
  std::uint32_t* row_buffer = nullptr;        ///< scratch: the largest AxisStorage::room() of the x axes
  /// Scratch: as many elements as row_buffer. Used instead of row_buffer for one-byte samples.
  std::uint16_t* byte_sums = nullptr;
  std::uint32_t* component_sums = nullptr;  ///< scratch: component_sums_room() words
};

/// Returns the size of SampleJob::component_sums in words: three rows of the lattice, each padded to whole
/// blocks, plus the words that a block of cells may read past the end of the last row.
[[nodiscard]] inline std::size_t component_sums_room(const shared::SampleParameters& p) {
  return 3 * whole_blocks(p.lattice_width) + std::size_t{MaxBlockCells} * p.samples_x;
}

/// The number of entries of a ramp indexed by light: one for each value of the upper 12 bits of 16-bit light.
/// The table at LightTables::encode_at is indexed in the same way.
inline constexpr int RampEntries = 4096;
inline constexpr int RampLightShift = 4;

/// Input for matching one row of cells.
struct MapJob {
  const shared::MapParameters* parameters = nullptr;
  const std::uint32_t* tables = nullptr;
  const std::uint32_t* lattice = nullptr;
  shared::AnalysisView analysis;           ///< points to the row's first cell; empty if not needed
  const shared::Cell* previous = nullptr;  ///< the row in the previous frame; null: no previous frame
  /// One byte per block: 1 if the block keeps the previous frame's drafts or cells; null: no block does. Must
  /// be null for glyph sets with wide forms.
  const std::uint8_t* keep = nullptr;
  const std::uint32_t* ramp = nullptr;  ///< from Kernels::tabulate_ramp(); null: not tabulated
  int row = 0;
};

/// The hot loops of mapping, built once per instruction set from the same source. All builds produce
/// bit-identical results.
struct Kernels {
  const char* name;  ///< "baseline", "AVX2", "AVX-512"
  int lanes;         ///< number of cells in a block of the lattice
  /// Samples cell row `row` into `lattice`, in blocks with one cell per lane. A block has the first word of
  /// each of its cells, then the second word of each cell, and so on (packed_samples.h). `lattice` has room
  /// for the columns rounded up to MaxBlockCells. Bytes beyond a cell's samples are not written and stay
  /// zero.
  void (*sample_row)(const SampleJob& job, int row, std::uint32_t* lattice);
  /// Copies a block's words, or only those of luma, from `sampled` to `kept`. Returns the lanes whose words
  /// were different before, as a mask with lane 0 in the lowest bit.
  std::uint32_t (*update_block)(const std::uint32_t* sampled, std::uint32_t* kept, std::size_t words,
                                bool luma_alone);
  /// Writes CellAnalysis and the tones (code values of mean light) of one row's lattice. Each array has room
  /// for whole blocks.
  void (*analyze_row)(const shared::MapParameters& parameters, const std::uint32_t* tables,
                      const std::uint32_t* lattice, std::uint32_t* halves, std::uint32_t* mode_words,
                      std::uint32_t* tones);
  /// Fills the RampEntries that MapJob::ramp points to. Only for ModeRamp without dithering and without wide
  /// ramps. The entries are valid until a parameter other than levels.gain or history.keep changes.
  void (*tabulate_ramp)(const shared::MapParameters& parameters, const std::uint32_t* tables,
                        std::span<std::uint32_t> entries);
  /// Drafts one row's cells. Only if parameters.two_pass is set; call it for all rows before map_row().
  void (*draft_row)(const MapJob& job);
  /// Maps one row's lattice to `parameters.columns` cells.
  void (*map_row)(const MapJob& job, shared::Cell* cells);
};

/// Returns the fastest kernels that this CPU can run. If the environment variable GLYPHREEL_ISA names slower
/// kernels (baseline, avx2) that this CPU can run, returns them instead.
[[nodiscard]] const Kernels& best_kernels();

/// Returns all kernels that this CPU can run, slowest first.
[[nodiscard]] std::span<const Kernels* const> available_kernels();

}  // namespace glyphreel::mapping
