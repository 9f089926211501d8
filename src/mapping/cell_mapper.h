#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame.h"
#include "base/threads/thread_pool.h"
#include "mapping/block_changes.h"
#include "mapping/kernels/cell_analyses.h"
#include "mapping/kernels/kernels.h"
#include "mapping/lattice_sampler.h"
#include "mapping/shared/aligned_vector.h"
#include "mapping/tables/glyph_tables.h"
#include "mapping/tables/sample_plan.h"

namespace glyphreel::mapping {

/// What mapping needs to know about a frame in addition to its pixels.
struct FrameTime {
  std::uint32_t epoch = 0;      ///< Frame::epoch: a change resets the mapper's history
  double duration_seconds = 0;  ///< how long the frame is displayed; 0: unknown
};
[[nodiscard]] FrameTime frame_time(const Frame& frame);

/// Returns LevelParameters::rate, with which auto-levels reach 63 % of a change in half a second at any
/// frame rate.
[[nodiscard]] std::uint32_t level_rate(const FrameTime& time);

/// Returns the frame's bright end: the 16-bit linear light that 1 of every BrightShare cells exceeds. Returns
/// 0 without auto-levels. The result is the argument `measured` of next_state() (frame_state.glsl).
/// `histogram`: the number of cells of each tone. On the GPU, frame_state.comp computes the same value with a
/// parallel scan.
[[nodiscard]] std::uint32_t bright_end(const std::array<std::uint32_t, 256>& histogram,
                                       const GlyphTables& tables);

/// Maps a sequence of frames to cells on the CPU.
/// Thread-safety: one thread at a time; map() spreads its work over a pool.
class CellMapper {
 public:
  /// `tables`: made by make_glyph_tables() for the same glyphs, parameters and samples; if null, this call
  /// makes the tables. Errors: see make_glyph_tables.
  [[nodiscard]] static Result<CellMapper> make(const text::GlyphSet& glyphs, GridSize grid, Fit fit,
                                               const Parameters& parameters,
                                               const Kernels& kernels = best_kernels(),
                                               const GlyphTables* tables = nullptr);

  /// Maps the next frame of the sequence to `cells`, which has room for the grid.
  void map(const FrameView& frame, const FrameTime& time, ThreadPool& pool, shared::Cell* cells,
           const Adjustments& adjustments = {});
  /// Discards all previous frames: the next frame is mapped as if it were the first.
  void reset_history() { state_ = {}; }

  /// Whether the cells of a frame may depend on earlier frames.
  [[nodiscard]] bool keeps_history() const {
    return analyzed_ &&
           (tables_.parameters.history.stability != 0 || tables_.parameters.levels.automatic != 0);
  }
  /// Whether the last frame was mapped as if it were the first.
  [[nodiscard]] bool was_reset() const { return !keeps_history() || state_.keep == 0; }

  /// Returns the glyph tables. Their parameters contain the size of this mapper's grid.
  [[nodiscard]] const GlyphTables& tables() const { return tables_; }
  [[nodiscard]] const char* kernels_name() const { return kernels_->name; }

 private:
  /// The number of histograms of each worker. Adjacent cells are counted in different histograms, so that an
  /// addition does not wait for the previous cell's addition to the same bin.
  static constexpr int HistogramParts = 4;
  /// One worker's buffers, aligned to a cache line to avoid false sharing between workers.
  struct alignas(64) Scratch {
    AlignedVector<std::uint32_t> lattice;
    /// The worker's histograms. Added together, they count the cells of each tone in the worker's rows.
    std::array<std::array<std::uint32_t, 256>, HistogramParts> histogram{};
    /// How much the mean luma of cells has changed since the previous frame: the sum of the absolute changes
    /// of all cells in the worker's rows.
    std::uint32_t moved = 0;
    /// For each region, the sum of luma_of_halves() over the worker's cells.
    std::array<std::uint32_t, shared::RegionCount> regions{};
  };
  CellMapper() = default;
  /// Prepares for sampling a frame's rows with `workers` workers.
  void prepare(const FrameView& frame, const Adjustments& adjustments, int workers);
  [[nodiscard]] std::uint32_t* lattice_row(int row, int worker);
  void sample_row(int row, int worker);
  void analyze_row(int row, int worker);
  /// Adds the luma changes and the tones of a row's cells to the worker's sums, for finish_frame_state().
  void count_row(int row, Scratch& scratch);
  /// Adds the luma of a row's cells to the worker's sum for each region.
  void count_regions(int row, Scratch& scratch);
  /// Computes the mean luma of each region from the workers' sums.
  void finish_regions();
  /// Computes the frame's state. All rows must have been analyzed.
  void finish_frame_state(const FrameTime& time);
  [[nodiscard]] MapJob map_job(int row, int worker);
  void draft_row(int row, int worker);
  void match_row(int row, int worker, shared::Cell* cells);

  const Kernels* kernels_ = nullptr;
  GridSize grid_;
  Fit fit_ = Fit::Contain;
  CellSize cell_;
  GridSize samples_;
  Parameters parameters_;
  GlyphTables tables_;
  AlignedVector<std::uint32_t> ramp_;  ///< MapJob::ramp; empty if the mode does not use it
  LatticeSampler sampler_;
  std::vector<Scratch> scratch_;

  // Used only if all cells of a frame are analyzed or drafted before the first cell is matched.
  bool analyzed_ = false;
  bool keeps_lattice_ = false;            ///< whether the whole grid's lattice is kept until matching
  bool keeps_blocks_ = false;             ///< whether changes_ is used
  bool drafted_ = false;                  ///< whether cells are drafted (MapParameters::two_pass)
  AlignedVector<std::uint32_t> lattice_;  ///< samples of the whole grid, row by row
  CellAnalyses analyses_;
  AlignedVector<std::uint32_t> drafts_;  ///< row by row, with drafts of zeros around the grid
  std::ptrdiff_t draft_pitch_ = 0;
  std::vector<std::uint32_t> lumas_before_;  ///< mean luma of the previous frame's cells
  std::vector<shared::Cell> cells_before_;
  BlockChanges changes_;
  shared::FrameState state_{};
  std::array<std::uint32_t, shared::RegionCount> region_means_{};
  std::uint32_t epoch_ = 0;
};

/// Returns the SampleKey with which a frame is mapped to a grid.
[[nodiscard]] SampleKey sample_key(const FrameView& frame, GridSize grid, CellSize cell, Fit fit,
                                   const Parameters& parameters, const Adjustments& adjustments = {});

}  // namespace glyphreel::mapping
