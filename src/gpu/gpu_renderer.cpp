#include "gpu/gpu_renderer.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/io/log.h"
#include "gpu/passes/draw_pass.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/host_frame_pool.h"
#include "gpu/passes/map_pass.h"
#include "gpu/passes/overlay_pass.h"
#include "gpu/resources/pipelines.h"
#include "gpu/passes/slot_resources.h"
#include "mapping/recorded_cells.h"
#include "render/picture_layout.h"

namespace glyphreel::gpu {
namespace {

/// A submitted frame whose results have not been collected yet.
struct Pending {
  int slot = 0;
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

/// A drawing that is prepared but not yet recorded.
struct Drawing {
  MappedSlot frame;
  std::optional<std::uint32_t> maps_epoch;  ///< the epoch of a new frame to map; empty for a redraw
  bool is_recorded = false;                 ///< whether the cells of the slot are copied instead of mapped
  Buffer* cells = nullptr;                  ///< the mapped cells
  Buffer* source = nullptr;                 ///< the source's pixels; null: no wipe
  bool is_composed = false;                 ///< whether OverlayPass runs: effect, text or no frame yet
};

DrawPass::Features features_of(const render::FrameOptions& options) {
  return {.has_layers = options.text || options.wipe, .has_light = options.light.is_on()};
}

class Renderer final : public GpuRenderer {
 public:
  Renderer(std::shared_ptr<Device> device, StageTimes& times, std::unique_ptr<FrameSource> frames)
      : device_(std::move(device)), frames_(std::move(frames)), pool_(HostFramePool::make(device_)) {
    for (const Stage stage : {Stage::Map, Stage::Draw, Stage::Pack, Stage::Readback}) {
      times.set_engine(stage, device_->name());
    }
  }

  Result<void> create(StageTimes& times, int depth) {
    TRY_ASSIGN(pipelines_, Pipelines::make(*device_));
    TRY_ASSIGN(sets_, pipelines_->make_sets(depth));
    TRY_ASSIGN(ring_, FrameRing::make(device_, depth, &times));
    return {};
  }

  Result<void> configure(const render::RenderSetup& setup) override;
  void warm_up(const render::RenderSetup& setup) override;
  Result<void> submit(const Frame& frame, const render::FrameOptions& options) override;
  Result<render::RenderedFrame> collect() override;
  Result<render::RenderedFrame> redraw(const render::FrameOptions& options) override;
  Result<PresentOutcome> present(const Frame* frame, const render::FrameOptions& options,
                                 Swapchain& swapchain) override;

  int depth() const override { return ring_->slots(); }
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
  /// Prepares drawing `frame` (null: the last frame) into a target of `size`, and adds all bindings but
  /// PictureBinding. `source_bindings` are those of SetKind::Source.
  [[nodiscard]] Result<Drawing> prepare(FrameRing::Recording& recording, const Frame* frame,
                                        const render::FrameOptions& options, Extent size,
                                        BindingWriter& bindings, BindingWriter& source_bindings);
  /// Writes the cells of a recorded frame for the GPU.
  [[nodiscard]] Result<void> upload_recorded(SlotResources& resources, const CellFrame& frame);
  /// Records mapping if the drawing has a new frame, and composing if `is_composed` is set. Returns the cells
  /// to draw. The caller must submit the recording.
  [[nodiscard]] Buffer& record_cells(FrameRing::Recording& recording, const Drawing& drawing);
  /// Renders `frame` (null: the last frame) to host memory.
  [[nodiscard]] Result<void> submit_results(const Frame* frame, const render::FrameOptions& options);
  /// Allocates the host memory for the results of the frame that `slot` records.
  [[nodiscard]] Result<Pending> make_pending(int slot, const MappedSlot& frame,
                                             const render::FrameOptions& options);
  /// Records drawing the picture and copying the results to the blocks of `pending`.
  void record_results(FrameRing::Recording& recording, const Pending& pending, Buffer& cells,
                      DrawPass::Features features);
  /// Records copying the first `bytes` bytes of `from` to `to`, for the host to read.
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

Result<void> Renderer::configure(const render::RenderSetup& setup) {
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

Result<SlotResources> Renderer::make_slot() {
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

Result<std::shared_ptr<const HostBlock>> Renderer::result_block(std::size_t bytes) {
  std::shared_ptr<const HostBlock> block = pool_->acquire(bytes);
  if (block) return block;
  return Error{ErrorCode::Failed, "Out of memory for rendered frames; choose a smaller grid.",
               fmt::format("could not allocate another {} bytes", bytes)};
}

Result<Drawing> Renderer::prepare(FrameRing::Recording& recording, const Frame* frame,
                                  const render::FrameOptions& options, Extent size, BindingWriter& bindings,
                                  BindingWriter& source_bindings) {
  const int index = recording.slot();
  SlotResources& resources = slot(index);
  Drawing drawing{.frame = last_};
  if (frame != nullptr) {
    drawing.frame = {
        .slot = index, .pts = frame->pts, .duration = frame->duration, .time = render::effect_time(*frame)};
  }
  if (frame != nullptr && frame->cells != nullptr) {
    TRY(upload_recorded(resources, *frame->cells));
    bindings.add(shared::TableBinding, map_->tables());
    drawing.is_recorded = true;
  } else if (frame != nullptr) {
    TRY_ASSIGN(GpuFrame source, frames_->import_frame(*frame));
    bytes_copied_ += source.bytes_copied;
    TRY(map_->prepare(frame->view, source, options.adjustments));
    TRY(map_->bind(resources, *frame, source, bindings));
    if (options.wipe) {
      TRY(map_->prepare_source(frame->view, source));
      TRY(map_->bind_source(resources, *frame, source, source_bindings));
    }
    recording.read(std::move(source));
    drawing.frame.has_source = options.wipe.has_value();
    drawing.maps_epoch = frame->epoch;
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

Result<void> Renderer::upload_recorded(SlotResources& resources, const CellFrame& frame) {
  if (!resources.recorded) {
    TRY_ASSIGN(resources.recorded,
               make_buffer(*device_, cell_count() * sizeof(render::Cell), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                           MemoryKind::Upload, "recorded cells"));
  }
  recorded_.translate(frame, reinterpret_cast<render::Cell*>(resources.recorded.mapped));
  return {};
}

Buffer& Renderer::record_cells(FrameRing::Recording& recording, const Drawing& drawing) {
  const int index = recording.slot();
  if (drawing.maps_epoch) {
    map_->record(recording, sets(index), slot(index), *drawing.maps_epoch,
                 drawing.frame.has_source ? MapPass::WithSource::Yes : MapPass::WithSource::No);
    last_ = drawing.frame;
  } else if (drawing.is_recorded) {
    Commands& commands = recording.commands();
    const SlotResources& from = slot(index);
    commands.use(*drawing.cells, CopyWrite);
    const VkBufferCopy region{0, 0, cell_count() * sizeof(render::Cell)};
    vkCmdCopyBuffer(commands.handle(), from.recorded.handle.get(), drawing.cells->handle.get(), 1, &region);
    last_ = drawing.frame;
  }
  if (!drawing.is_composed) return *drawing.cells;
  compose_->record(recording, sets(index), *drawing.cells, slot(index));
  return slot(index).composed;
}

Result<Pending> Renderer::make_pending(int slot, const MappedSlot& frame,
                                       const render::FrameOptions& options) {
  Pending pending{.slot = slot, .frame = {.pts = frame.pts, .duration = frame.duration, .grid = setup_.grid}};
  if (setup_.picture != PictureFormat::None) {
    TRY_ASSIGN(pending.picture, result_block(picture_.bytes));
  }
  if (setup_.want_cells) {
    TRY_ASSIGN(pending.cells, result_block(cell_count() * sizeof(render::Cell)));
  }
  if (fits(options.overlay.get())) pending.frame.overlay_glyphs = options.overlay->glyphs;
  return pending;
}

Result<void> Renderer::submit(const Frame& frame, const render::FrameOptions& options) {
  CHECK(map_.has_value(), "a frame was submitted before configure()");
  CHECK(static_cast<int>(pending_.size()) < depth(),
        "more than depth() frames were submitted without a collect()");
  return submit_results(&frame, options);
}

Result<render::RenderedFrame> Renderer::redraw(const render::FrameOptions& options) {
  CHECK(map_.has_value(), "redraw() before configure()");
  CHECK(pending_.empty(), "redraw() before all frames were collected");
  TRY(submit_results(nullptr, options));
  return collect();
}

Result<void> Renderer::submit_results(const Frame* frame, const render::FrameOptions& options) {
  const DrawPass::Features features = features_of(options);
  if (setup_.picture != PictureFormat::None) TRY(draw_->prepare_picture(setup_.picture, picture_, features));
  TRY_ASSIGN(FrameRing::Recording recording, ring_->begin());
  const int index = recording.slot();
  BindingWriter bindings;
  BindingWriter source_bindings;
  TRY_ASSIGN(const Drawing drawing,
             prepare(recording, frame, options, picture_.size, bindings, source_bindings));
  TRY_ASSIGN(Pending pending, make_pending(index, drawing.frame, options));
  if (pending.picture) {
    bindings.add(shared::PictureBinding, slot(index).picture ? slot(index).picture.handle.get()
                                                             : pool_->buffer_of(pending.picture.get()));
  }
  bindings.write(*device_, sets(index));
  source_bindings.write(*device_, sets(index), {SetKind::Source});

  // From this line on, only the submission may fail, because a recorded frame must be submitted.
  Buffer& cells = record_cells(recording, drawing);
  if (drawing.source != nullptr) recording.commands().use(*drawing.source, ComputeRead);
  record_results(recording, pending, cells, features);
  TRY(recording.submit());
  pending_.push_back(std::move(pending));
  return {};
}

void Renderer::record_results(FrameRing::Recording& recording, const Pending& pending, Buffer& cells,
                              DrawPass::Features features) {
  Commands& commands = recording.commands();
  Buffer& staged = slot(recording.slot()).picture;
  if (pending.picture) {
    if (staged) commands.use(staged, ComputeWrite);
    draw_->record_picture(recording, sets(recording.slot()), cells, features);
    if (!staged) {
      ResourceState written;
      static_cast<void>(written.next_use(ComputeWrite));
      commands.use(pool_->buffer_of(pending.picture.get()), written, HostRead);
    }
  }
  if (!pending.cells && !staged) return;
  recording.begin_stage(Stage::Readback);
  if (pending.picture && staged) copy_to_host(commands, staged, *pending.picture, picture_.bytes);
  if (pending.cells) copy_to_host(commands, cells, *pending.cells, cell_count() * sizeof(render::Cell));
  recording.end_stage();
}

void Renderer::copy_to_host(Commands& commands, Buffer& from, const HostBlock& to, std::size_t bytes) const {
  const VkBuffer buffer = pool_->buffer_of(&to);
  commands.use(from, CopyRead);
  ResourceState written;  // no earlier GPU use to wait for: the host was the last to use the block
  commands.use(buffer, written, CopyWrite);
  const VkBufferCopy region{0, 0, bytes};
  vkCmdCopyBuffer(commands.handle(), from.handle.get(), buffer, 1, &region);
  commands.use(buffer, written, HostRead);
}

void Renderer::warm_up(const render::RenderSetup& setup) {
  if (!setup.tables) return;
  const auto made = make_map_pipelines(*pipelines_, setup.tables->parameters);
  // configure() will fail in the same way and report the error.
  if (!made) log::debug("Pipelines could not be compiled in advance: {}", made.error().message);
}

Result<render::RenderedFrame> Renderer::collect() {
  CHECK(!pending_.empty(), "collect() without a submitted frame");
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  TRY(ring_->finish(pending.slot));
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

Result<PresentOutcome> Renderer::present(const Frame* frame, const render::FrameOptions& options,
                                         Swapchain& swapchain) {
  CHECK(map_.has_value(), "a frame was presented before configure()");
  const DrawPass::Features features = features_of(options);
  TRY(draw_->prepare_window(swapchain.format(), features));
  TRY_ASSIGN(FrameRing::Recording recording, ring_->begin());
  BindingWriter source_bindings;
  std::optional<Drawing> drawing;  // empty: the window is cleared to black, which needs no pipeline
  BindingWriter bindings;
  if (frame != nullptr || last_.slot >= 0 || fits(options.overlay.get()) || options.text) {
    TRY_ASSIGN(drawing, prepare(recording, frame, options, swapchain.size(), bindings, source_bindings));
  }
  // This must be the last call that can fail: an acquired image must be presented.
  TRY_ASSIGN(const Swapchain::Acquired acquired, swapchain.acquire());
  if (acquired.outcome != PresentOutcome::Presented) return acquired.outcome;
  Commands& commands = recording.commands();
  Image& target = *acquired.image;
  if (drawing) {
    const SlotSets& bound = sets(recording.slot());
    bindings.write(*device_, bound);
    source_bindings.write(*device_, bound, {SetKind::Source});
    Buffer& cells = record_cells(recording, *drawing);
    if (drawing->source != nullptr) commands.use(*drawing->source, FragmentRead);
    draw_->record_window(recording, bound, cells, target, features);
  } else {
    commands.clear_to_black(target);
  }
  return swapchain.present(recording, acquired);
}

}  // namespace

Result<std::unique_ptr<GpuRenderer>> make_gpu_renderer(std::shared_ptr<Device> device, StageTimes& times,
                                                       std::unique_ptr<FrameSource> frames, int depth) {
  CHECK(depth >= 1 && depth <= MaxFramesInFlight, "a GPU renderer keeps 1 to 64 frames in flight");
  auto renderer = std::make_unique<Renderer>(std::move(device), times, std::move(frames));
  TRY(renderer->create(times, depth));
  return std::unique_ptr<GpuRenderer>(std::move(renderer));
}

}  // namespace glyphreel::gpu
