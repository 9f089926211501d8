#include "gpu/map_pass.h"

#include <cstring>
#include <vector>

#include "gpu/dispatch.h"
#include "gpu/packed_axis.h"
#include "mapping/cell_mapper.h"
#include "shaders/embedded.h"

namespace glyphreel::gpu {
namespace {

Result<Buffer> upload(Device& device, const std::vector<std::uint32_t>& words, const char* name) {
  TRY_ASSIGN(Buffer buffer, make_buffer(device, words.size() * sizeof(std::uint32_t),
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MemoryKind::Upload, name));
  std::memcpy(buffer.mapped, words.data(), words.size() * sizeof(std::uint32_t));
  return buffer;
}

/// In the order of the constants of sample_lattice.comp.
Constants sample_constants(const mapping::shared::SampleParameters& p, const Reaches& reaches) {
  return {p.model,
          p.bytes_per_sample,
          p.transpose,
          p.component_0.taps_x,
          p.component_0.taps_y,
          p.component_1.taps_x,
          p.component_1.taps_y,
          p.samples_x,
          p.samples_y,
          reaches.first,
          reaches.others};
}

}  // namespace

Result<MapPass> MapPass::make(Pipelines& pipelines, const render::RenderSetup& setup) {
  MapPass pass;
  pass.grid_ = setup.grid;
  pass.fit_ = setup.fit;
  pass.cell_ = setup.glyphs->cell();
  pass.samples_ = mapping::samples_per_cell(pass.cell_, setup.mapping.sampling);
  pass.parameters_ = setup.mapping;
  TRY_ASSIGN(const mapping::GlyphTables tables,
             mapping::make_glyph_tables(*setup.glyphs, setup.mapping, pass.samples_));
  pass.map_parameters_ = tables.parameters;
  pass.map_parameters_.columns = static_cast<std::uint32_t>(setup.grid.columns);
  pass.map_parameters_.rows = static_cast<std::uint32_t>(setup.grid.rows);
  TRY_ASSIGN(pass.tables_, upload(pipelines.device(), tables.words, "glyph tables"));
  const Constants constants = {pass.map_parameters_.mode, pass.map_parameters_.color,
                               pass.map_parameters_.sample_count, pass.map_parameters_.feature_pairs};
  TRY_ASSIGN(pass.match_pipeline_, pipelines.compute(shaders::match_cells_comp, constants, "match cells"));
  return pass;
}

std::size_t MapPass::lattice_bytes() const {
  return static_cast<std::size_t>(grid_.cells()) * samples_.cells() * sizeof(std::uint32_t);
}

Result<void> MapPass::prepare(Pipelines& pipelines, const FrameView& frame) {
  const mapping::SampleKey key = mapping::sample_key(frame, grid_, cell_, fit_, parameters_);
  if (key_ == key) return {};
  mapping::SamplePlan plan = mapping::make_sample_plan(key);
  const Reaches reaches = pack_axes(plan);
  TRY_ASSIGN(axes_, upload(pipelines.device(), plan.axis_words, "sample axes"));
  TRY_ASSIGN(sample_pipeline_,
             pipelines.compute(shaders::sample_lattice_comp, sample_constants(plan.parameters, reaches),
                               "sample lattice"));
  sample_parameters_ = plan.parameters;
  key_ = key;
  return {};
}

void MapPass::bind(SlotResources& slot, const FrameView& view, const FrameBuffer& frame,
                   BindingWriter& bindings) const {
  mapping::shared::SampleParameters sample = sample_parameters_;
  mapping::set_planes(sample, view.layout, frame.plane_offsets, frame.strides);
  std::memcpy(slot.parameters.mapped + SampleParametersAt, &sample, sizeof sample);
  std::memcpy(slot.parameters.mapped + MapParametersAt, &map_parameters_, sizeof map_parameters_);
  bindings.add(shared::FrameBinding, frame.buffer);
  bindings.add(shared::AxisBinding, axes_);
  bindings.add(shared::LatticeBinding, slot.lattice);
  bindings.add(shared::TableBinding, tables_);
  bindings.add(shared::SampleParametersBinding, slot.parameters.handle.get(), SampleParametersAt,
               sizeof sample);
  bindings.add(shared::MapParametersBinding, slot.parameters.handle.get(), MapParametersAt,
               sizeof map_parameters_);
}

void MapPass::record(FrameRing::Recording& recording, const Pipelines& pipelines, VkDescriptorSet set,
                     SlotResources& slot) {
  Commands& commands = recording.commands();
  recording.begin_stage(Stage::Map);
  vkCmdBindDescriptorSets(commands.handle(), VK_PIPELINE_BIND_POINT_COMPUTE, pipelines.layout(), 0, 1, &set,
                          0, nullptr);
  commands.use(slot.lattice, ComputeWrite);
  vkCmdBindPipeline(commands.handle(), VK_PIPELINE_BIND_POINT_COMPUTE, sample_pipeline_);
  const GroupCount samples = sample_groups(grid_, samples_);
  vkCmdDispatch(commands.handle(), samples.x, samples.y, 1);

  commands.use(slot.lattice, ComputeRead);
  commands.use(slot.cells, ComputeWrite);
  vkCmdBindPipeline(commands.handle(), VK_PIPELINE_BIND_POINT_COMPUTE, match_pipeline_);
  const GroupCount cells = match_groups(grid_);
  vkCmdDispatch(commands.handle(), cells.x, cells.y, 1);
  recording.end_stage();
}

}  // namespace glyphreel::gpu
