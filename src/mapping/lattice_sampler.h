#pragma once

#include <optional>
#include <vector>

#include "base/frame.h"
#include "base/threads/thread_pool.h"
#include "mapping/kernels/cpu_axis.h"
#include "mapping/kernels/kernels.h"
#include "mapping/shared/aligned_vector.h"
#include "mapping/tables/sample_plan.h"

namespace glyphreel::mapping {

/// Samples frames to lattices, row by row.
/// Thread-safety: sample_row() on several threads, each with its own worker; prepare() on one.
class LatticeSampler {
 public:
  /// Prepares for the rows of a frame, which `workers` threads sample. Returns whether the key or the number
  /// of workers differs from the last call's.
  bool prepare(const FrameView& frame, const SampleKey& key, int workers);

  /// Samples a row of cells of the frame of prepare(), which must still exist. `lattice`: see
  /// Kernels::sample_row.
  void sample_row(const Kernels& kernels, int row, int worker, std::uint32_t* lattice);

 private:
  /// One worker's buffers; the alignment keeps two workers off the same cache line.
  struct alignas(64) Scratch {
    AlignedVector<std::uint32_t> row_buffer, component_sums;
    AlignedVector<std::uint16_t> byte_sums;
  };
  void rebuild_plan(const SampleKey& key);

  std::optional<SampleKey> key_;
  SamplePlan plan_;
  std::vector<AxisStorage> axes_x_, axes_y_;
  std::vector<Scratch> scratch_;
  SampleJob job_;
};

/// Scales frames to the pixels of a drawn grid, with the same sampling as for cells.
/// Thread-safety: one thread at a time; scale() spreads its work over a pool.
class SourceScaler {
 public:
  /// Writes the frame, without adjustments, to `pixels`: one word 0xLLRRGGBB (L: luma) for each pixel of the
  /// grid, row by row. Pixels outside the frame are 0.
  void scale(const FrameView& frame, const SampleKey& key, ThreadPool& pool, std::uint32_t* pixels);

 private:
  LatticeSampler sampler_;
  std::vector<AlignedVector<std::uint32_t>> rows_;  ///< of each worker
};

/// Returns the key for scaling a frame to the pixels of a grid, if `cells` is the key for mapping the frame
/// to this grid's cells.
[[nodiscard]] SampleKey pixel_key(const SampleKey& cells, CellSize cell);

}  // namespace glyphreel::mapping
