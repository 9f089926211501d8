#include "mapping/cell_mapper.h"

#include <algorithm>

namespace glyphreel::mapping {
SampleKey sample_key(const FrameView& frame, GridSize grid, CellSize cell, Fit fit, const Parameters& parameters) {
  return {.layout = frame.layout,
          .color = frame.color,
          .size = frame.size,
          .rotation = frame.rotation,
          .placement = place(display_aspect(frame), grid, cell, fit),
          .samples = samples_per_cell(cell, parameters.sampling),
          .sampling = parameters.sampling,
          .luma = parameters.luma};
}

Result<CellMapper> CellMapper::make(const text::GlyphSet& glyphs, GridSize grid, Fit fit, const Parameters& parameters,
                                    const Kernels& kernels) {
  CellMapper mapper;
  mapper.kernels_ = &kernels;
  mapper.grid_ = grid;
  mapper.fit_ = fit;
  mapper.cell_ = glyphs.cell();
  mapper.samples_ = samples_per_cell(glyphs.cell(), parameters.sampling);
  mapper.parameters_ = parameters;
  TRY_ASSIGN(mapper.tables_, make_glyph_tables(glyphs, parameters, mapper.samples_));
  mapper.tables_.parameters.columns = static_cast<std::uint32_t>(grid.columns);
  mapper.tables_.parameters.rows = static_cast<std::uint32_t>(grid.rows);
  return mapper;
}

CellMapper::AxisStorage CellMapper::cpu_axis(const std::vector<std::uint32_t>& words, std::uint32_t at,
                                             std::uint32_t taps, std::uint32_t lattice_size) {
  AxisStorage axis;
  axis.taps = taps;
  axis.first.resize(lattice_size);
  axis.outside.resize(lattice_size);
  axis.weights.resize(static_cast<std::size_t>(taps) * lattice_size);
  for (std::uint32_t k = 0; k < lattice_size; ++k) {
    const std::uint32_t first = words[at + k];
    axis.outside[k] = first == shared::AxisOutside ? 1 : 0;
    axis.first[k] = axis.outside[k] != 0 ? 0 : first;
    axis.any_outside = axis.any_outside || axis.outside[k] != 0;
    axis.reach = std::max(axis.reach, axis.first[k] + taps);
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      axis.weights[static_cast<std::size_t>(tap) * lattice_size + k] = words[at + lattice_size + k * taps + tap];
    }
  }
  if (lattice_size > 1) {
    const std::uint32_t stride = axis.first[1] - axis.first[0];
    bool even = true;
    for (std::uint32_t k = 1; k < lattice_size && even; ++k) even = axis.first[k] - axis.first[k - 1] == stride;
    if (even) axis.stride = stride;
  }
  return axis;
}

void CellMapper::rebuild_plan(const SampleKey& key) {
  plan_ = make_sample_plan(key);
  key_ = key;
  axes_x_.clear();
  axes_y_.clear();
  const shared::SampleParameters& p = plan_.parameters;
  const bool turned = p.transpose != 0;
  for (const auto* source : {&p.component_0, &p.component_1, &p.component_2}) {
    if (axes_x_.size() == static_cast<std::size_t>(key.layout.component_count())) break;
    axes_x_.push_back(cpu_axis(plan_.axis_words, source->axis_x, source->taps_x,
                               turned ? p.lattice_height : p.lattice_width));
    axes_y_.push_back(cpu_axis(plan_.axis_words, source->axis_y, source->taps_y,
                               turned ? p.lattice_width : p.lattice_height));
  }
  std::size_t reach = 0;
  for (const AxisStorage& axis : axes_x_) reach = std::max<std::size_t>(reach, axis.reach);
  const auto whole_blocks = [](std::size_t count) {
    return (count + MaxBlockCells - 1) / MaxBlockCells * MaxBlockCells;
  };
  for (Scratch& scratch : scratch_) {
    scratch.row_buffer.assign(reach, 0);
    scratch.component_sums.assign(3 * whole_blocks(p.lattice_width), 0);
    scratch.lattice.assign(whole_blocks(static_cast<std::size_t>(grid_.columns)) * samples_.cells(), 0);
  }
}

void CellMapper::prepare(const FrameView& frame, int workers) {
  const SampleKey key = sample_key(frame, grid_, cell_, fit_, parameters_);
  if (scratch_.size() != static_cast<std::size_t>(workers)) {
    scratch_.resize(static_cast<std::size_t>(workers));
    key_.reset();
  }
  if (!key_ || *key_ != key) rebuild_plan(key);

  job_ = {};
  job_.parameters = &plan_.parameters;
  for (std::size_t c = 0; c < axes_x_.size(); ++c) {
    const ComponentLayout& component = frame.layout.components[c];
    job_.pixels[c] = frame.planes[component.plane] + component.offset;
    job_.strides[c] = frame.strides[component.plane];
    job_.x[c] = axes_x_[c].view();
    job_.y[c] = axes_y_[c].view();
  }
}

void CellMapper::map_row(int row, int worker, shared::Cell* cells) {
  Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
  SampleJob job = job_;
  job.row_buffer = scratch.row_buffer.data();
  job.component_sums = scratch.component_sums.data();
  kernels_->sample_row(job, row, scratch.lattice.data());
  kernels_->map_row(tables_.parameters, tables_.words.data(), scratch.lattice.data(), cells);
}

}  // namespace glyphreel::mapping
