#include "gpu/gpu_renderer.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/io/log.h"
#include "gpu/passes/draw_pass.h"
#include "gpu/passes/map_pass.h"
#include "gpu/passes/overlay_pass.h"
#include "gpu/passes/slot_resources.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/host_frame_pool.h"
#include "gpu/resources/pipelines.h"
#include "mapping/recorded_cells.h"
#include "render/picture_layout.h"

namespace glyphreel::gpu {
namespace {

/// A submitted frame whose results have not been collected yet.
struct Pending {
  int recording = 0;                         ///< the FrameRing slot whose commands render this frame
  render::RenderedFrame frame;               ///< collect() adds the picture and the cells
  std::shared_ptr<const HostBlock> picture;  ///< memory for the picture; null: no picture is wanted
  std::shared_ptr<const HostBlock> cells;    ///< memory for the cells; null: no cells are wanted
};

/// A mapped frame: the slot that holds its cells, and its times.
struct MappedSlot {
  int slot = -1;  ///< -1: no frame
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  std::uint32_t time = 0;   ///< the frame's effect_time(), in milliseconds
  bool has_source = false;  ///< whether the slot has the source's pixels, for the wipe
};

/// A prepared drawing whose commands are not yet recorded.
struct Drawing {
  int slot = 0;  ///< the slot whose resources the drawing uses
  MappedSlot frame;
  GpuFrame input;                           ///< the new frame to map
  std::optional<std::uint32_t> maps_epoch;  ///< the epoch of a new frame to map; empty: none
  bool is_recorded = false;                 ///< whether the frame has recorded cells (Frame::cells) to copy
  Buffer* cells = nullptr;                  ///< the mapped cells
  Buffer* source = nullptr;                 ///< the source's pixels; null: no wipe
  /// Whether OverlayPass runs, because there is an effect or text, or because there is no frame yet.
  bool is_composed = false;
};

/// A prepared drawing and the host memory for its results. Its commands are not yet recorded.
struct Prepared {
  Drawing drawing;
  Pending pending;
};

DrawPass::Features features_of(const render::FrameOptions& options) {
  return {.has_layers = options.text || options.wipe, .has_light = options.light.is_on()};
}

class VulkanRenderer final : public GpuRenderer {
 public:
  VulkanRenderer(std::shared_ptr<Device> device, StageTimes& times, std::unique_ptr<FrameSource> frames)
      : device_(std::move(device)), frames_(std::move(frames)), pool_(HostFramePool::make(device_)) {
    for (const Stage stage : {Stage::Map, Stage::Draw, Stage::Pack, Stage::Readback}) {
      times.set_engine(stage, device_->name());
    }
  }

  Result<void> create(StageTimes& times, int depth, int together) {
    TRY_ASSIGN(pipelines_, Pipelines::make(*device_));
    TRY_ASSIGN(sets_, pipelines_->make_sets(std::max(depth, together)));
    TRY_ASSIGN(ring_, FrameRing::make(device_, depth, &times, together));
    return {};
  }

  Result<void> configure(const render::RenderSetup& setup) override;
  void warm_up(const render::RenderSetup& setup) override;
  Result<void> submit(const Frame& frame, const render::FrameOptions& options) override;
  Result<void> submit_together(std::span<const Frame> frames, const render::FrameOptions& options) override;
  Result<render::RenderedFrame> collect() override;
  Result<render::RenderedFrame> redraw(const render::FrameOptions& options) override;
  Result<PresentOutcome> present(const Frame* frame, const render::FrameOptions& options,
                                 Swapchain& swapchain) override;

  int depth() const override { return ring_->slots(); }
  int most_together() const override { return ring_->frames(); }
  HostMemory* frame_memory() override { return frames_->memory(); }
  std::string description() const override { return device_->name(); }
  std::uint64_t bytes_copied() const override { return bytes_copied_; }

 private:
  [[nodiscard]] SlotResources& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const SlotSets& sets(int index) const { return sets_.slots[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::size_t cell_count() const { return static_cast<std::size_t>(setup_.grid.cells()); }
  [[nodiscard]] Result<SlotResources> make_slot();
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> result_block(std::size_t bytes);
  /// Whether the overlay is not null and was made for this setup's grid and cell size.
  [[nodiscard]] bool fits(const render::Overlay* overlay) const {
    return render::fits_grid(overlay, setup_.grid, setup_.glyphs->cell());
  }
  /// New: prepare_mapping() must prepare MapPass for the frame. Prepared: MapPass is already prepared,
  /// because the previous frame in the same submission is sampled in the same way.
  enum class Sampling { Prepared, New };
  /// Prepares drawing `frame` (null: the last frame) into a target of `size` with the resources of a slot,
  /// and adds all bindings but PictureBinding. `source_bindings`: the bindings of SetKind::Source.
  [[nodiscard]] Result<Drawing> prepare(int slot, const Frame* frame, Sampling sampling,
                                        const render::FrameOptions& options, Extent size,
                                        BindingWriter& bindings, BindingWriter& source_bindings);
  /// Prepares mapping `frame`, which `drawing` draws.
  [[nodiscard]] Result<void> prepare_mapping(const Frame& frame, Sampling sampling,
                                             const render::FrameOptions& options, Drawing& drawing,
                                             BindingWriter& bindings, BindingWriter& source_bindings);
  /// Writes the recorded cells of a frame (Frame::cells) to memory that the GPU can read.
  [[nodiscard]] Result<void> upload_recorded(SlotResources& resources, const CellFrame& frame);
  /// If the drawing has a new frame, adds commands that map the frame or copy its Frame::cells. If
  /// Drawing::is_composed is true, also adds the commands of OverlayPass. Returns the cells to draw. The
  /// caller must submit `frame_commands`.
  [[nodiscard]] Buffer& record_cells(FrameCommands& frame_commands, Drawing& drawing);
  /// Returns how many frames at the start of `frames` are sampled alike, so that they can share a recording.
  [[nodiscard]] std::size_t count_alike(std::span<const Frame> frames,
                                        const mapping::Adjustments& adjustments) const;
  /// Renders frames that are sampled alike to host memory, in one submission. If `frames` is empty, renders
  /// the last frame again. Uses the slots from `first_slot` on. If `first_slot` is empty, starts at the slot
  /// that FrameRing::begin() chooses.
  [[nodiscard]] Result<void> submit_results(std::span<const Frame> frames, std::optional<int> first_slot,
                                            const render::FrameOptions& options);
  /// Prepares rendering `frame` (null: the last frame) to host memory, and writes the slot's descriptor sets.
  [[nodiscard]] Result<Prepared> prepare_results(int slot, const Frame* frame, Sampling sampling,
                                                 const render::FrameOptions& options);
  /// Allocates the host memory for the results of a frame.
  [[nodiscard]] Result<Pending> make_pending(const MappedSlot& frame, const render::FrameOptions& options);
  /// Records the commands that map the frame, draw the picture, and copy the results to the blocks of
  /// `prepared.pending`.
  void record_results(FrameCommands& frame_commands, Prepared& prepared);
  /// Records the commands that copy the first `bytes` bytes of `from` to `to`, where the host can read them.
  void copy_to_host(Commands& commands, Buffer& from, const HostBlock& to, std::size_t bytes) const;

  const std::shared_ptr<Device> device_;
  const std::unique_ptr<FrameSource> frames_;
  const std::shared_ptr<HostFramePool> pool_;  ///< for cells and pictures that are read back
  std::unique_ptr<Pipelines> pipelines_;
  DescriptorSets sets_;

  render::RenderSetup setup_;
  render::PictureLayout picture_;
  std::optional<MapPass> map_;
  std::optional<DrawPass> draw_;
  std::optional<OverlayPass> compose_;
  mapping::RecordedCells recorded_;
  std::vector<SlotResources> slots_;
  MappedSlot last_;  ///< the last frame mapped since configure(), for redraws
  std::deque<Pending> pending_;
  std::uint64_t bytes_copied_ = 0;
  std::unique_ptr<FrameRing> ring_;  // destroyed first: waits for the GPU
};

Result<void> VulkanRenderer::configure(const render::RenderSetup& setup) {
  pending_.clear();
  last_ = {};
  map_.reset();
  draw_.reset();
  compose_.reset();
  TRY_ASSIGN(map_, MapPass::make(*pipelines_, setup));
  TRY_ASSIGN(draw_, DrawPass::make(*pipelines_, *setup.glyphs, setup.grid));
  recorded_.configure(setup.glyphs, setup.grid, setup.mapping);
  compose_.emplace(*pipelines_, setup.glyphs, setup.grid);
  setup_ = setup;
  picture_ = render::picture_layout(setup.picture, setup.grid, setup.glyphs->cell());
  if (setup.picture != PictureFormat::None)
    TRY(draw_->prepare_picture(setup.picture, picture_, DrawPass::Features{}));
  slots_.clear();
  for (int i = 0; i < depth(); ++i) {
    TRY_ASSIGN(SlotResources made, make_slot());
    slots_.push_back(std::move(made));
  }
  return {};
}

Result<SlotResources> VulkanRenderer::make_slot() {
  constexpr VkBufferUsageFlags Storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  SlotResources made;
  TRY_ASSIGN(made.lattice,
             make_buffer(*device_, map_->lattice_bytes(), Storage, MemoryKind::Device, "lattice"));
  TRY_ASSIGN(made.cells,
             make_buffer(*device_, cell_count() * sizeof(render::Cell),
                         Storage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                         MemoryKind::Device, "cells"));
  TRY_ASSIGN(made.parameters, make_buffer(*device_, ParametersSize, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                          MemoryKind::Upload, "parameters"));
  if (setup_.picture != PictureFormat::None && device_->memory_policy().stages) {
    TRY_ASSIGN(made.picture, make_buffer(*device_, picture_.bytes, Storage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                         MemoryKind::Device, "picture"));
  }
  return made;
}

Result<std::shared_ptr<const HostBlock>> VulkanRenderer::result_block(std::size_t bytes) {
  std::shared_ptr<const HostBlock> block = pool_->acquire(bytes);
  if (block) return block;
  return Error{ErrorCode::Failed, "Out of memory for rendered frames; choose a smaller grid.",
               fmt::format("could not allocate another {} bytes", bytes)};
}

Result<void> VulkanRenderer::prepare_mapping(const Frame& frame, Sampling sampling,
                                             const render::FrameOptions& options, Drawing& drawing,
                                             BindingWriter& bindings, BindingWriter& source_bindings) {
  SlotResources& resources = slot(drawing.slot);
  TRY_ASSIGN(drawing.input, frames_->import_frame(frame));
  bytes_copied_ += drawing.input.bytes_copied;
  if (sampling == Sampling::New) TRY(map_->prepare(frame.view, drawing.input, options.adjustments));
  TRY(map_->bind(resources, frame, drawing.input, bindings));
  if (options.wipe) {
    if (sampling == Sampling::New) TRY(map_->prepare_source(frame.view, drawing.input));
    TRY(map_->bind_source(resources, frame, drawing.input, source_bindings));
  }
  drawing.frame.has_source = options.wipe.has_value();
  drawing.maps_epoch = frame.epoch;
  return {};
}

Result<Drawing> VulkanRenderer::prepare(int index, const Frame* frame, Sampling sampling,
                                        const render::FrameOptions& options, Extent size,
                                        BindingWriter& bindings, BindingWriter& source_bindings) {
  SlotResources& resources = slot(index);
  Drawing drawing{.slot = index, .frame = last_, .input = {}};
  if (frame != nullptr) {
    drawing.frame = {
        .slot = index, .pts = frame->pts, .duration = frame->duration, .time = render::effect_time(*frame)};
  }
  if (frame != nullptr && frame->cells != nullptr) {
    TRY(upload_recorded(resources, *frame->cells));
    bindings.add(shared::TableBinding, map_->tables());
    drawing.is_recorded = true;
  } else if (frame != nullptr) {
    TRY(prepare_mapping(*frame, sampling, options, drawing, bindings, source_bindings));
  } else {
    bindings.add(shared::TableBinding, map_->tables());
  }
  const bool has_picture = drawing.frame.slot >= 0;
  drawing.cells = &slot(has_picture ? drawing.frame.slot : index).cells;
  const bool has_text = fits(options.overlay.get());
  drawing.is_composed = has_text || !has_picture || options.effect != Effect::None;
  if (drawing.is_composed) {
    TRY(compose_->prepare(resources, has_text ? options.overlay : nullptr, has_picture,
                          render::effect_parameters(options.effect, drawing.frame.time, setup_.glyphs->cell(),
                                                    map_->parameters())));
    bindings.add(shared::OverlayBinding, resources.overlay);
  }
  bindings.add(shared::CellBinding, *drawing.cells);
  if (options.wipe && drawing.frame.has_source) drawing.source = &slot(drawing.frame.slot).source;
  TRY(draw_->bind(resources, drawing.is_composed ? resources.composed : *drawing.cells,
                  drawing.is_composed ? compose_->masks() : draw_->masks(),
                  {.text = options.text,
                   .source = drawing.source,
                   .wipe = options.wipe,
                   .light = render::light_parameters(options.light, map_->parameters(), *setup_.glyphs)},
                  size, bindings));
  return drawing;
}

Result<void> VulkanRenderer::upload_recorded(SlotResources& resources, const CellFrame& frame) {
  if (!resources.recorded) {
    TRY_ASSIGN(resources.recorded,
               make_buffer(*device_, cell_count() * sizeof(render::Cell), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                           MemoryKind::Upload, "recorded cells"));
  }
  recorded_.translate(frame, reinterpret_cast<render::Cell*>(resources.recorded.mapped));
  return {};
}

Buffer& VulkanRenderer::record_cells(FrameCommands& frame_commands, Drawing& drawing) {
  const int index = drawing.slot;
  if (drawing.maps_epoch) {
    frame_commands.read(std::move(drawing.input));
    map_->record(frame_commands, sets(index), slot(index), *drawing.maps_epoch,
                 drawing.frame.has_source ? MapPass::WithSource::Yes : MapPass::WithSource::No);
    last_ = drawing.frame;
  } else if (drawing.is_recorded) {
    Commands& commands = frame_commands.commands();
    const SlotResources& from = slot(index);
    commands.use(*drawing.cells, CopyWrite);
    const VkBufferCopy region{0, 0, cell_count() * sizeof(render::Cell)};
    vkCmdCopyBuffer(commands.handle(), from.recorded.handle.get(), drawing.cells->handle.get(), 1, &region);
    last_ = drawing.frame;
  }
  if (!drawing.is_composed) return *drawing.cells;
  compose_->record(frame_commands, sets(index), *drawing.cells, slot(index));
  return slot(index).composed;
}

Result<Pending> VulkanRenderer::make_pending(const MappedSlot& frame, const render::FrameOptions& options) {
  Pending pending{.frame = {.pts = frame.pts, .duration = frame.duration, .grid = setup_.grid}};
  if (setup_.picture != PictureFormat::None) {
    TRY_ASSIGN(pending.picture, result_block(picture_.bytes));
  }
  if (setup_.want_cells) {
    TRY_ASSIGN(pending.cells, result_block(cell_count() * sizeof(render::Cell)));
  }
  if (fits(options.overlay.get())) pending.frame.overlay_glyphs = options.overlay->glyphs;
  return pending;
}

Result<void> VulkanRenderer::submit(const Frame& frame, const render::FrameOptions& options) {
  CHECK(map_.has_value(), "a frame was submitted before configure()");
  CHECK(static_cast<int>(pending_.size()) < depth(),
        "more than depth() frames were submitted without a collect()");
  return submit_results(std::span(&frame, 1), {}, options);
}

Result<void> VulkanRenderer::submit_together(std::span<const Frame> frames,
                                             const render::FrameOptions& options) {
  CHECK(map_.has_value(), "frames were submitted before configure()");
  CHECK(pending_.empty(), "submit_together() before all frames were collected");
  CHECK(static_cast<int>(frames.size()) <= most_together(), "more than most_together() frames");
  while (slots_.size() < frames.size()) {
    TRY_ASSIGN(SlotResources made, make_slot());
    slots_.push_back(std::move(made));
  }
  for (std::size_t first = 0; first < frames.size(); first = pending_.size()) {
    const std::size_t count = count_alike(frames.subspan(first), options.adjustments);
    TRY(submit_results(frames.subspan(first, count), static_cast<int>(first), options));
  }
  return {};
}

std::size_t VulkanRenderer::count_alike(std::span<const Frame> frames,
                                        const mapping::Adjustments& adjustments) const {
  // A hardware frame has semaphores, and a frame of recorded cells is not sampled, so each such frame is
  // submitted alone.
  const auto is_alone = [](const Frame& frame) { return frame.surface != nullptr || frame.cells != nullptr; };
  if (is_alone(frames.front())) return 1;
  const mapping::SampleKey key = map_->key_of(frames.front().view, adjustments);
  const auto other = std::ranges::find_if(frames, [&](const Frame& frame) {
    return is_alone(frame) || map_->key_of(frame.view, adjustments) != key;
  });
  return static_cast<std::size_t>(other - frames.begin());
}

Result<render::RenderedFrame> VulkanRenderer::redraw(const render::FrameOptions& options) {
  CHECK(map_.has_value(), "redraw() before configure()");
  CHECK(pending_.empty(), "redraw() before all frames were collected");
  TRY(submit_results({}, {}, options));
  return collect();
}

Result<void> VulkanRenderer::submit_results(std::span<const Frame> frames, std::optional<int> first_slot,
                                            const render::FrameOptions& options) {
  if (setup_.picture != PictureFormat::None)
    TRY(draw_->prepare_picture(setup_.picture, picture_, features_of(options)));
  TRY_ASSIGN(FrameCommands frame_commands, ring_->begin(std::max(1, static_cast<int>(frames.size()))));
  int slot = first_slot.value_or(frame_commands.slot());
  std::vector<Prepared> prepared;
  if (frames.empty()) {
    TRY_ASSIGN(Prepared redraw, prepare_results(slot, nullptr, Sampling::Prepared, options));
    prepared.push_back(std::move(redraw));
  }
  for (const Frame& frame : frames) {
    // Preparing the same sampling again could change the pipeline that the earlier frames are prepared for.
    const Sampling sampling = prepared.empty() ? Sampling::New : Sampling::Prepared;
    TRY_ASSIGN(Prepared one, prepare_results(slot++, &frame, sampling, options));
    prepared.push_back(std::move(one));
  }

  // From here on, only the submission may fail, because commands that have been recorded must be submitted.
  for (Prepared& one : prepared) record_results(frame_commands, one);
  const int recorded = frame_commands.slot();
  TRY(frame_commands.submit());
  for (Prepared& one : prepared) {
    one.pending.recording = recorded;
    pending_.push_back(std::move(one.pending));
  }
  return {};
}

Result<Prepared> VulkanRenderer::prepare_results(int index, const Frame* frame, Sampling sampling,
                                                 const render::FrameOptions& options) {
  BindingWriter bindings;
  BindingWriter source_bindings;
  Prepared prepared;
  TRY_ASSIGN(prepared.drawing,
             prepare(index, frame, sampling, options, picture_.size, bindings, source_bindings));
  TRY_ASSIGN(prepared.pending, make_pending(prepared.drawing.frame, options));
  if (prepared.pending.picture) {
    bindings.add(shared::PictureBinding, slot(index).picture
                                             ? slot(index).picture.handle.get()
                                             : pool_->buffer_of(prepared.pending.picture.get()));
  }
  bindings.write(*device_, sets(index));
  source_bindings.write(*device_, sets(index), {SetKind::Source});
  return prepared;
}

void VulkanRenderer::record_results(FrameCommands& frame_commands, Prepared& prepared) {
  const Pending& pending = prepared.pending;
  const int index = prepared.drawing.slot;
  Buffer& cells = record_cells(frame_commands, prepared.drawing);
  Commands& commands = frame_commands.commands();
  if (prepared.drawing.source != nullptr) commands.use(*prepared.drawing.source, ComputeRead);
  Buffer& staged = slot(index).picture;
  if (pending.picture) {
    if (staged) commands.use(staged, ComputeWrite);
    draw_->record_picture(frame_commands, sets(index), cells);
    if (!staged) {
      ResourceState written;
      static_cast<void>(written.next_use(ComputeWrite));
      commands.use(pool_->buffer_of(pending.picture.get()), written, HostRead);
    }
  }
  if (!pending.cells && !staged) return;
  frame_commands.begin_stage(Stage::Readback);
  if (pending.picture && staged) copy_to_host(commands, staged, *pending.picture, picture_.bytes);
  if (pending.cells) copy_to_host(commands, cells, *pending.cells, cell_count() * sizeof(render::Cell));
  frame_commands.end_stage();
}

void VulkanRenderer::copy_to_host(Commands& commands, Buffer& from, const HostBlock& to,
                                  std::size_t bytes) const {
  const VkBuffer buffer = pool_->buffer_of(&to);
  commands.use(from, CopyRead);
  ResourceState written;  // no earlier GPU use to wait for: the host was the last to use the block
  commands.use(buffer, written, CopyWrite);
  const VkBufferCopy region{0, 0, bytes};
  vkCmdCopyBuffer(commands.handle(), from.handle.get(), buffer, 1, &region);
  commands.use(buffer, written, HostRead);
}

void VulkanRenderer::warm_up(const render::RenderSetup& setup) {
  if (!setup.tables) return;
  const auto made = make_map_pipelines(*pipelines_, setup.tables->parameters);
  // configure() will fail in the same way and report the error.
  if (!made) log::debug("Pipelines could not be compiled in advance: {}", made.error().message);
}

Result<render::RenderedFrame> VulkanRenderer::collect() {
  CHECK(!pending_.empty(), "collect() without a submitted frame");
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  TRY(ring_->finish(pending.recording));
  if (pending.picture) {
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, pool_->for_reading(std::move(pending.picture)));
    pending.frame.picture = render::make_picture(setup_.picture, picture_, std::move(block));
  }
  if (pending.cells) {
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, pool_->for_reading(std::move(pending.cells)));
    pending.frame.cells = {reinterpret_cast<const render::Cell*>(block->bytes), cell_count()};
    pending.frame.owner = std::move(block);
  }
  return std::move(pending.frame);
}

Result<PresentOutcome> VulkanRenderer::present(const Frame* frame, const render::FrameOptions& options,
                                               Swapchain& swapchain) {
  CHECK(map_.has_value(), "a frame was presented before configure()");
  TRY(draw_->prepare_window(swapchain.format(), features_of(options)));
  TRY_ASSIGN(FrameCommands frame_commands, ring_->begin());
  BindingWriter source_bindings;
  std::optional<Drawing> drawing;  // empty: the window is cleared to black, which needs no pipeline
  BindingWriter bindings;
  if (frame != nullptr || last_.slot >= 0 || fits(options.overlay.get()) || options.text) {
    TRY_ASSIGN(drawing, prepare(frame_commands.slot(), frame, Sampling::New, options, swapchain.size(),
                                bindings, source_bindings));
  }
  // This must be the last call that can fail: an acquired image must be presented.
  TRY_ASSIGN(const Swapchain::Acquired acquired, swapchain.acquire());
  if (acquired.outcome != PresentOutcome::Presented) return acquired.outcome;
  Commands& commands = frame_commands.commands();
  Image& target = *acquired.image;
  if (drawing) {
    const SlotSets& bound = sets(frame_commands.slot());
    bindings.write(*device_, bound);
    source_bindings.write(*device_, bound, {SetKind::Source});
    Buffer& cells = record_cells(frame_commands, *drawing);
    if (drawing->source != nullptr) commands.use(*drawing->source, FragmentRead);
    draw_->record_window(frame_commands, bound, cells, target);
  } else {
    commands.clear_to_black(target);
  }
  return swapchain.present(frame_commands, acquired);
}

}  // namespace

Result<std::unique_ptr<GpuRenderer>> make_gpu_renderer(std::shared_ptr<Device> device, StageTimes& times,
                                                       std::unique_ptr<FrameSource> frames, int depth,
                                                       int together) {
  CHECK(depth >= 1 && depth <= MaxFramesInFlight, "the number of frames in flight is not 1 to 64");
  CHECK(together >= 1 && together <= MaxTogether, "the number of frames submitted together is not 1 to 32");
  auto renderer = std::make_unique<VulkanRenderer>(std::move(device), times, std::move(frames));
  TRY(renderer->create(times, depth, together));
  return std::unique_ptr<GpuRenderer>(std::move(renderer));
}

}  // namespace glyphreel::gpu
