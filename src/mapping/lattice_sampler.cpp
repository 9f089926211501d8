#include "mapping/lattice_sampler.h"

#include <algorithm>

namespace glyphreel::mapping {

void LatticeSampler::rebuild_plan(const SampleKey& key) {
  plan_ = make_sample_plan(key);
  key_ = key;
  axes_x_.clear();
  axes_y_.clear();
  const shared::SampleParameters& p = plan_.parameters;
  const bool turned = p.transpose != 0;
  for (const auto* source : {&p.component_0, &p.component_1, &p.component_2}) {
    if (axes_x_.size() == static_cast<std::size_t>(plan_.component_count())) break;
    axes_x_.emplace_back(plan_.axis_words, source->axis_x, source->taps_x,
                         turned ? p.lattice_height : p.lattice_width,
                         turned ? AxisStorage::Walk::Alone : AxisStorage::Walk::AlongRows);
    axes_y_.emplace_back(plan_.axis_words, source->axis_y, source->taps_y,
                         turned ? p.lattice_width : p.lattice_height, AxisStorage::Walk::Alone);
  }
  std::size_t room = 0;
  for (const AxisStorage& axis : axes_x_) room = std::max<std::size_t>(room, axis.room());
  for (Scratch& scratch : scratch_) {
    scratch.row_buffer.assign(room, 0);
    scratch.byte_sums.assign(room, 0);
    scratch.component_sums.assign(component_sums_room(p), 0);
  }
}

bool LatticeSampler::prepare(const FrameView& frame, const SampleKey& key, int workers) {
  const bool is_new = scratch_.size() != static_cast<std::size_t>(workers) || key_ != key;
  scratch_.resize(static_cast<std::size_t>(workers));
  if (is_new) rebuild_plan(key);

  job_ = {};
  job_.parameters = &plan_.parameters;
  job_.luma_alone = key.luma_alone;
  job_.axis_words = plan_.axis_words.data();
  for (std::size_t c = 0; c < axes_x_.size(); ++c) {
    const ComponentLayout& component = frame.layout.components[c];
    job_.pixels[c] = frame.planes[component.plane] + component.offset;
    job_.strides[c] = frame.strides[component.plane];
    job_.x[c] = axes_x_[c].view();
    job_.y[c] = axes_y_[c].view();
  }
  return is_new;
}

void LatticeSampler::sample_row(const Kernels& kernels, int row, int worker, std::uint32_t* lattice) {
  Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
  SampleJob job = job_;
  job.row_buffer = scratch.row_buffer.data();
  job.byte_sums = scratch.byte_sums.data();
  job.component_sums = scratch.component_sums.data();
  kernels.sample_row(job, row, lattice);
}

SampleKey pixel_key(const SampleKey& cells, CellSize cell) {
  SampleKey key = cells;
  GridPlacement& placed = key.placement;
  placed.grid = {placed.grid.columns * cell.width, placed.grid.rows * cell.height};
  placed.left *= cell.width;
  placed.top *= cell.height;
  placed.columns *= cell.width;
  placed.rows *= cell.height;
  key.samples = {1, 1};
  key.sampling = Sampling::Area;
  key.luma_alone = false;
  key.adjustments = {};
  return key;
}

void SourceScaler::scale(const FrameView& frame, const SampleKey& key, ThreadPool& pool,
                         std::uint32_t* pixels) {
  const Kernels& kernels = best_kernels();
  const int columns = key.placement.grid.columns;
  const auto lanes = static_cast<std::size_t>(kernels.lanes);
  const std::size_t words = whole_blocks(static_cast<std::size_t>(columns)) * words_per_cell(1);
  if (sampler_.prepare(frame, key, pool.size())) {
    rows_.resize(static_cast<std::size_t>(pool.size()));
    for (auto& row : rows_) row.assign(words, 0);
  }
  pool.parallel_for(key.placement.grid.rows, [&](int row, int worker) {
    std::uint32_t* lattice = rows_[static_cast<std::size_t>(worker)].data();
    sampler_.sample_row(kernels, row, worker, lattice);
    std::uint32_t* out = pixels + static_cast<std::ptrdiff_t>(row) * columns;
    for (std::size_t column = 0; column < static_cast<std::size_t>(columns); ++column) {
      // A block has the blue words of all lanes, then the green, red and luma words of all lanes
      // (packed_samples.h).
      const std::uint32_t* blue = lattice + column / lanes * lanes * words_per_cell(1) + column % lanes;
      out[column] = blue[0] | blue[lanes] << 8 | blue[2 * lanes] << 16 | blue[3 * lanes] << 24;
    }
  });
}

}  // namespace glyphreel::mapping
