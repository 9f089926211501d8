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

/// Samples frames to lattices, one row of cells at a time.
/// Thread-safety: several threads may call sample_row() with different workers; no thread may call prepare()
/// at the same time.
class LatticeSampler {
 public:
  /// Prepares for sampling the rows of a frame on `workers` threads. Returns whether the key or the number of
  /// workers has changed since the last call.
  bool prepare(const FrameView& frame, const SampleKey& key, int workers);

  /// Samples a row of cells of the frame that prepare() was called with. The frame must still exist.
  /// `lattice`: see Kernels::sample_row.
  void sample_row(const Kernels& kernels, int row, int worker, std::uint32_t* lattice);

 private:
  /// One worker's buffers, aligned to a cache line to avoid false sharing between workers.
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

/// Scales frames to the pixels of a drawn grid, with the code that also samples frames to cells.
/// Thread-safety: one thread at a time; scale() spreads its work over a pool.
class SourceScaler {
 public:
  /// Writes the frame, without adjustments, to `pixels`: one word 0xLLRRGGBB (L: luma) for each pixel of the
  /// grid, row by row. Pixels outside the frame are 0.
  void scale(const FrameView& frame, const SampleKey& key, ThreadPool& pool, std::uint32_t* pixels);

 private:
  LatticeSampler sampler_;
  std::vector<AlignedVector<std::uint32_t>> rows_;  ///< one row for each worker
};

/// Returns the key for scaling a frame to the pixels of a grid. `cells`: the key for mapping the frame to the
/// cells of this grid.
[[nodiscard]] SampleKey pixel_key(const SampleKey& cells, CellSize cell);

}  // namespace glyphreel::mapping
