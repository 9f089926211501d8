#include "gpu/passes/map_pass.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "gpu/passes/dispatch.h"
#include "gpu/passes/packed_axis.h"
#include "mapping/cell_mapper.h"
#include "mapping/lattice_sampler.h"
#include "shaders/embedded.h"

namespace glyphreel::gpu {
namespace {

Result<Buffer> upload(Device& device, const std::vector<std::uint32_t>& words, const char* name) {
  TRY_ASSIGN(Buffer buffer, make_buffer(device, words.size() * sizeof(std::uint32_t),
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MemoryKind::Upload, name));
  std::memcpy(buffer.mapped, words.data(), words.size() * sizeof(std::uint32_t));
  return buffer;
}

/// Returns a component's location for the image variant of sample_lattice.comp: four times its plane, plus
/// its channel.
std::uint32_t image_place(const PixelLayout& layout, std::size_t component) {
  const ComponentLayout& at = layout.components[component];
  return 4u * at.plane + at.offset / layout.bytes_per_sample;
}

/// Returns the values of sample_lattice.comp's specialization constants, in order of their IDs. `layout` is
/// the layout of frames in images. It is null for frames in buffers, so that layouts that differ only in the
/// components' offsets and order share pipelines.
Constants sample_constants(const mapping::shared::SampleParameters& p, const ReadSpans& spans,
                           const PixelLayout* layout, std::uint32_t on_gpu) {
  const auto place = [layout](std::size_t component) {
    return layout != nullptr ? image_place(*layout, component) : 0;
  };
  return {p.model,
          p.bytes_per_sample,
          p.transpose,
          p.component_0.taps_x,
          p.component_0.taps_y,
          p.component_1.taps_x,
          p.component_1.taps_y,
          p.samples_x,
          p.samples_y,
          spans.first,
          spans.others,
          p.tone,
          place(0),
          place(1),
          place(2),
          on_gpu};
}

/// Returns the parameters with all numbers of taps set to 0. As specialization constants, these zeros make
/// sample_lattice.comp read the numbers of taps from its parameter buffer.
mapping::shared::SampleParameters without_taps(mapping::shared::SampleParameters p) {
  p.component_0.taps_x = p.component_0.taps_y = p.component_1.taps_x = p.component_1.taps_y = 0;
  return p;
}

/// Returns the values of the specialization constants in match_setup.glsl, in order of their IDs.
Constants match_constants(const mapping::shared::MapParameters& p, bool analyzed, std::uint32_t on_gpu) {
  const auto one_if = [](bool condition) -> std::uint32_t { return condition ? 1 : 0; };
  return {static_cast<std::uint32_t>(p.mode),
          p.color,
          p.sample_count,
          p.forms.feature_pairs,
          p.samples_x,
          p.surround.contrast,
          p.dither.kind,
          one_if(analyzed),
          one_if(p.history.stability != 0),
          one_if(p.forms.reversed_from < p.forms.narrow),
          one_if(p.legibility.contrast != 0),
          one_if(p.palette.colors_at != 0),
          p.two_pass,
          on_gpu};
}

/// Returns the value of the shaders' constant OnGpu.
std::uint32_t on_gpu(const Pipelines& pipelines) {
  return pipelines.device().has_gpu_shaders() ? 1 : 0;
}

bool is_staged(const Device& device, const GpuFrame& frame) {
  return frame.host_bytes > 0 && device.memory_policy().stages;
}

}  // namespace

Result<MapPipelines> make_map_pipelines(Pipelines& pipelines,
                                        const mapping::shared::MapParameters& parameters) {
  const mapping::shared::MapParameters& p = parameters;
  const bool analyzed = mapping::needs_analysis(p);
  MapPipelines made;
  if (analyzed) {
    TRY_ASSIGN(made.analyze, pipelines.compute(SetKind::Map, shaders::analyze_cells_comp,
                                               {static_cast<std::uint32_t>(p.mode), p.sample_count,
                                                p.samples_x, p.levels.automatic, on_gpu(pipelines)},
                                               "analyze cells"));
    TRY_ASSIGN(made.state, pipelines.compute(SetKind::Map, shaders::frame_state_comp, {p.levels.automatic},
                                             "frame state"));
  }
  if (p.two_pass != 0) {
    TRY_ASSIGN(made.draft, pipelines.compute(SetKind::Map, shaders::draft_cells_comp,
                                             match_constants(p, analyzed, on_gpu(pipelines)), "draft cells"));
  }
  const bool by_pairs = p.forms.wide != 0;
  TRY_ASSIGN(made.match,
             pipelines.compute(
                 SetKind::Map, by_pairs ? Spirv(shaders::match_pairs_comp) : Spirv(shaders::match_cells_comp),
                 match_constants(p, analyzed, on_gpu(pipelines)), by_pairs ? "match pairs" : "match cells"));
  return made;
}

Result<MapPass> MapPass::make(Pipelines& pipelines, const render::RenderSetup& setup) {
  MapPass pass(pipelines, setup);
  mapping::GlyphTables made;
  if (!setup.tables) {
    TRY_ASSIGN(made, mapping::make_glyph_tables(*setup.glyphs, setup.mapping, pass.samples_));
  }
  const mapping::GlyphTables& tables = setup.tables ? *setup.tables : made;
  pass.map_parameters_ = tables.parameters;
  mapping::set_grid(pass.map_parameters_, setup.grid);
  TRY_ASSIGN(pass.stages_, make_map_pipelines(pipelines, pass.map_parameters_));

  Device& device = pipelines.device();
  const auto make = [&device](std::size_t words, const char* name, VkBufferUsageFlags usage = 0) {
    return make_buffer(device, words * sizeof(std::uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | usage,
                       MemoryKind::Device, name);
  };
  constexpr std::size_t CellWords = sizeof(mapping::shared::Cell) / sizeof(std::uint32_t);
  constexpr std::size_t AnalysisWords = sizeof(mapping::shared::CellAnalysis) / sizeof(std::uint32_t);
  const auto cells = static_cast<std::size_t>(setup.grid.cells());
  const std::size_t drafted = pass.map_parameters_.two_pass != 0 ? cells : 1;
  constexpr std::size_t DraftBytes = mapping::shared::DraftWords * sizeof(std::uint32_t);
  if (const std::size_t limit = device.properties().limits.maxStorageBufferRange;
      std::max(pass.lattice_bytes(), drafted * DraftBytes) > limit) {
    return Error{ErrorCode::Usage,
                 fmt::format("A grid of {}x{} is too large for {}; choose larger cells or --renderer cpu.",
                             setup.grid.columns, setup.grid.rows, device.name()),
                 fmt::format("{} cells need a buffer of more than {} bytes", cells, limit)};
  }
  TRY_ASSIGN(pass.tables_, upload(device, tables.words, "glyph tables"));
  TRY_ASSIGN(pass.analysis_, make(cells * AnalysisWords, "analysis"));
  TRY_ASSIGN(pass.history_, make(cells * CellWords, "history"));
  TRY_ASSIGN(pass.drafts_, make(drafted * mapping::shared::DraftWords, "drafts"));
  TRY_ASSIGN(pass.state_, make(shared::StateWords, "frame state", VK_BUFFER_USAGE_TRANSFER_DST_BIT));
  return pass;
}

std::size_t MapPass::lattice_bytes() const {
  return static_cast<std::size_t>(setup_.grid.cells()) * samples_.cells() * sizeof(std::uint32_t);
}

mapping::SampleKey MapPass::key_of(const FrameView& frame, const mapping::Adjustments& adjustments) const {
  return mapping::sample_key(frame, setup_.grid, setup_.glyphs->cell(), setup_.fit, setup_.mapping,
                             adjustments);
}

Result<void> MapPass::prepare(const FrameView& frame, const GpuFrame& source,
                              const mapping::Adjustments& adjustments) {
  return prepare(cells_, key_of(frame, adjustments), source);
}

Result<void> MapPass::prepare_source(const FrameView& frame, const GpuFrame& source) {
  return prepare(pixels_, mapping::pixel_key(key_of(frame, {}), setup_.glyphs->cell()), source);
}

Result<void> MapPass::prepare(Lattice& lattice, const mapping::SampleKey& key, const GpuFrame& source) const {
  const bool from_images = source.buffer == VK_NULL_HANDLE;
  if (lattice.key == key && lattice.from_images == from_images)
    return lattice.uses_special ? Result<void>{} : choose_sampling(lattice);
  mapping::SamplePlan plan = mapping::make_sample_plan(key);
  lattice.general.parameters = plan.parameters;
  const ReadSpans spans = from_images ? ReadSpans{} : pack_axes(plan);
  lattice.special.parameters = plan.parameters;
  const PixelLayout* layout = from_images ? &key.layout : nullptr;
  lattice.special.constants = sample_constants(plan.parameters, spans, layout, on_gpu(*pipelines_));
  lattice.general.constants =
      sample_constants(without_taps(plan.parameters), {}, layout, on_gpu(*pipelines_));
  TRY_ASSIGN(lattice.axes, upload(pipelines_->device(), plan.axis_words, "sample axes"));
  lattice.key = key;
  lattice.from_images = from_images;
  return choose_sampling(lattice);
}

Result<void> MapPass::choose_sampling(Lattice& lattice) const {
  const Spirv shader =
      lattice.from_images ? Spirv(shaders::sample_lattice_comp_images) : Spirv(shaders::sample_lattice_comp);
  lattice.special.pipeline = pipelines_->find_compute(shader, lattice.special.constants);
  lattice.general.pipeline = pipelines_->find_compute(shader, lattice.general.constants);
  if (lattice.special.pipeline == VK_NULL_HANDLE && lattice.general.pipeline == VK_NULL_HANDLE) {
    TRY_ASSIGN(lattice.special.pipeline,
               pipelines_->compute(SetKind::Sample, shader, lattice.special.constants, "sample lattice"));
  }
  lattice.uses_special = lattice.special.pipeline != VK_NULL_HANDLE;
  const Sampling& other = lattice.uses_special ? lattice.general : lattice.special;
  if (setup_.may_resize && other.pipeline == VK_NULL_HANDLE)
    pipelines_->compute_in_background(SetKind::Sample, shader, other.constants, "sample lattice");
  return {};
}

void MapPass::bind(const Lattice& lattice, const Frame& frame, const GpuFrame& source, SlotResources& slot,
                   VkDeviceSize offset, const Buffer& pixels, BindingWriter& bindings) const {
  mapping::shared::SampleParameters sample = lattice.sampling().parameters;
  mapping::set_planes(sample, frame.view.layout, source.plane_offsets, source.strides);
  std::memcpy(slot.parameters.mapped + offset, &sample, sizeof sample);
  if (!lattice.from_images) {
    const bool stages = is_staged(pipelines_->device(), source);
    bindings.add(shared::FrameBinding, stages ? slot.frame.handle.get() : source.buffer);
  }
  for (shared::uint plane = 0; lattice.from_images && plane < shared::MaxPlanes; ++plane) {
    // The shader declares all planes but reads only those that the frame has. The bindings of the others must
    // still be valid, so they get the view of plane 0.
    const VkImageView view = source.plane_views[plane];
    bindings.add(shared::FirstPlaneBinding + plane, view != VK_NULL_HANDLE ? view : source.plane_views[0]);
  }
  bindings.add(shared::AxisBinding, lattice.axes);
  bindings.add(shared::LatticeBinding, pixels);
  bindings.add(shared::SampleParametersBinding, slot.parameters.handle.get(), offset, sizeof sample);
}

Result<void> MapPass::bind(SlotResources& slot, const Frame& frame, const GpuFrame& source,
                           BindingWriter& bindings) {
  if (is_staged(pipelines_->device(), source) && slot.frame.size < source.host_bytes) {
    TRY_ASSIGN(slot.frame, make_buffer(pipelines_->device(), source.host_bytes,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       MemoryKind::Device, "frame"));
  }
  bind(cells_, frame, source, slot, SampleParametersAt, slot.lattice, bindings);
  mapping::shared::MapParameters map = map_parameters_;
  map.levels.rate = mapping::level_rate(mapping::frame_time(frame));
  std::memcpy(slot.parameters.mapped + MapParametersAt, &map, sizeof map);
  bindings.add(shared::TableBinding, tables_);
  bindings.add(shared::MapParametersBinding, slot.parameters.handle.get(), MapParametersAt, sizeof map);
  bindings.add(shared::AnalysisBinding, analysis_);
  bindings.add(shared::HistoryBinding, history_);
  bindings.add(shared::StateBinding, state_);
  bindings.add(shared::DraftBinding, drafts_);
  return {};
}

Result<void> MapPass::bind_source(SlotResources& slot, const Frame& frame, const GpuFrame& source,
                                  BindingWriter& bindings) const {
  if (!slot.source) {
    const GridSize pixels = pixels_.key->placement.grid;
    TRY_ASSIGN(slot.source, make_buffer(pipelines_->device(),
                                        static_cast<std::size_t>(pixels.cells()) * sizeof(std::uint32_t),
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MemoryKind::Device, "source"));
  }
  bind(pixels_, frame, source, slot, SourceParametersAt, slot.source, bindings);
  return {};
}

void MapPass::stage(Commands& commands, const GpuFrame& frame, SlotResources& slot) const {
  if (!is_staged(pipelines_->device(), frame)) return;
  commands.use(slot.frame, CopyWrite);
  const VkBufferCopy region{0, 0, frame.host_bytes};
  vkCmdCopyBuffer(commands.handle(), frame.buffer, slot.frame.handle.get(), 1, &region);
  commands.use(slot.frame, ComputeRead);
}

void MapPass::record(FrameCommands& frame_commands, const SlotSets& sets, SlotResources& slot,
                     std::uint32_t epoch, WithSource with_source) {
  Commands& commands = frame_commands.commands();
  frame_commands.acquire_frame();
  const GpuFrame& frame = frame_commands.frame();
  frame_commands.begin_stage(Stage::Map);
  pipelines_->bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, SetKind::Sample, sets);
  if (epoch_ != epoch) {
    // Starts a new sequence: while the state is zero, shaders ignore the content of analysis_ and history_.
    commands.use(state_, FillWrite);
    vkCmdFillBuffer(commands.handle(), state_.handle.get(), 0, VK_WHOLE_SIZE, 0);
    epoch_ = epoch;
  }
  for (Image* image : frame.images)
    commands.acquire_ownership(*image, ComputeFetch, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  if (!cells_.from_images) commands.acquire_ownership(frame.buffer, frame.owner_family, ComputeRead);
  stage(commands, frame, slot);
  commands.use(slot.lattice, ComputeWrite);
  commands.dispatch(cells_.sampling().pipeline, sample_groups(setup_.grid, samples_));
  if (with_source == WithSource::Yes) {
    pipelines_->bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, SetKind::Source, sets);
    commands.use(slot.source, ComputeWrite);
    commands.dispatch(pixels_.sampling().pipeline,
                      sample_groups(pixels_.key->placement.grid, pixels_.key->samples));
  }
  for (Image* image : frame.images) commands.release_ownership(*image);
  if (!cells_.from_images) commands.release_ownership(frame.buffer, frame.owner_family, ComputeRead);
  frame_commands.end_reading();

  pipelines_->bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, SetKind::Map, sets);
  const GroupCount cells = cell_groups(setup_.grid);
  commands.use(slot.lattice, ComputeRead);
  if (stages_.analyze != VK_NULL_HANDLE) {
    commands.use(analysis_, ComputeUpdate);
    commands.use(state_, ComputeUpdate);
    commands.dispatch(stages_.analyze, cells);
    commands.use(state_, ComputeUpdate);
    commands.dispatch(stages_.state, {.x = 1, .y = 1});
  }
  commands.use(analysis_, ComputeRead);
  commands.use(state_, ComputeRead);
  if (stages_.draft != VK_NULL_HANDLE) {
    commands.use(drafts_, ComputeWrite);
    commands.use(history_, ComputeRead);
    commands.dispatch(stages_.draft, cells);
    commands.use(drafts_, ComputeRead);
  }
  commands.use(history_, ComputeUpdate);
  commands.use(slot.cells, ComputeWrite);
  commands.dispatch(stages_.match, map_parameters_.forms.wide != 0 ? pair_groups(setup_.grid) : cells);
  frame_commands.end_stage();
}

}  // namespace glyphreel::gpu
