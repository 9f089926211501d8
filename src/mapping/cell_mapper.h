#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/frame.h"
#include "base/thread_pool.h"
#include "mapping/glyph_tables.h"
#include "mapping/kernels.h"
#include "mapping/sample_plan.h"

namespace glyphreel::mapping {

/// Maps frames to cells on the CPU.
/// Thread-safety: prepare() by one thread; then map_row() by many at once, each with its own worker number.
class CellMapper {
 public:
  /// Errors: see make_glyph_tables.
  [[nodiscard]] static Result<CellMapper> make(const text::GlyphSet& glyphs, GridSize grid, Fit fit,
                                               const Parameters& parameters,
                                               const Kernels& kernels = best_kernels());

  /// Looks at a frame before its rows are mapped. The frame's planes must stay until they are. `workers`: how many
  /// will call map_row().
  void prepare(const FrameView& frame, int workers);

  /// Maps one row of cells; `cells` has room for a row.
  void map_row(int row, int worker, shared::Cell* cells);

  [[nodiscard]] GridSize grid() const { return grid_; }
  [[nodiscard]] const char* kernels_name() const { return kernels_->name; }

 private:
  struct AxisStorage {
    std::vector<std::uint32_t> first, weights;
    std::vector<std::uint8_t> outside;
    bool any_outside = false;
    std::uint32_t taps = 1, stride = 0, reach = 0;
    [[nodiscard]] CpuAxis view() const {
      return {.first = first.data(),
              .weights = weights.data(),
              .outside = outside.data(),
              .any_outside = any_outside,
              .taps = taps,
              .lattice_size = static_cast<std::uint32_t>(first.size()),
              .stride = stride,
              .reach = reach};
    }
  };
  struct Scratch {
    std::vector<std::uint32_t> row_buffer, component_sums, lattice;
  };
  CellMapper() = default;
  void rebuild_plan(const SampleKey& key);
  [[nodiscard]] static AxisStorage cpu_axis(const std::vector<std::uint32_t>& words, std::uint32_t at,
                                            std::uint32_t taps, std::uint32_t lattice_size);

  const Kernels* kernels_ = nullptr;
  GridSize grid_;
  Fit fit_ = Fit::Contain;
  CellSize cell_;
  GridSize samples_;
  Parameters parameters_;
  GlyphTables tables_;
  std::optional<SampleKey> key_;
  SamplePlan plan_;
  std::vector<AxisStorage> axes_x_, axes_y_;
  std::vector<Scratch> scratch_;
  SampleJob job_;
};

/// Fills SampleKey from a frame and the grid it goes to.
[[nodiscard]] SampleKey sample_key(const FrameView& frame, GridSize grid, CellSize cell, Fit fit,
                                   const Parameters& parameters);

}  // namespace glyphreel::mapping
