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
#include "render/picture_layout.h"

namespace glyphreel::gpu {
namespace {

/// A submitted frame whose results have not been collected yet.
struct Pending {
  int slot = 0;
  render::RenderedFrame frame;
  VkBuffer cells = VK_NULL_HANDLE;  ///< the buffer that holds frame.cells
};

/// The cells to draw.
struct Drawing {
  Buffer* mapped = nullptr;
  bool is_composed = false;  ///< draw `mapped` with an effect or text composed onto it
};

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
  void warm_up_overlay() override;
  void adjust(const mapping::Adjustments& adjustments) override;
  void set_overlay(std::shared_ptr<const render::Overlay> overlay) override { overlay_ = std::move(overlay); }
  void set_effect(render::Effect effect) override { setup_.effect = effect; }
  Result<render::RenderedFrame> redraw() override;
  Result<void> submit(const Frame& frame) override;
  Result<render::RenderedFrame> collect() override;
  Result<PresentOutcome> present(const Frame& frame, Swapchain& swapchain) override;
  Result<PresentOutcome> present_again(Swapchain& swapchain) override;

  int depth() const override { return ring_->slots(); }
  HostMemory* frame_memory() override { return frames_->memory(); }
  std::string description() const override { return device_->name(); }
  std::uint64_t bytes_copied() const override { return bytes_copied_; }

 private:
  [[nodiscard]] SlotResources& slot(int index) { return slots_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] VkDescriptorSet set(int index) const { return sets_.sets[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Result<SlotResources> make_slot();
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> result_block(std::size_t bytes);
  /// Imports the frame, prepares the map pass for it and adds the map pass's bindings.
  [[nodiscard]] Result<void> start_map(FrameRing::Recording& recording, const Frame& frame,
                                       BindingWriter& bindings);
  /// The overlay, if it was made for this setup's grid and cell size; else null.
  [[nodiscard]] const std::shared_ptr<const render::Overlay>& fitting_overlay() const;
  /// Allocates the memory that the results of the frame recorded in `slot` are read back to.
  [[nodiscard]] Result<Pending> make_pending(int slot);
  /// Prepares drawing the mapped cells of slot `cells_slot` (-1: none), with the effect and the text over
  /// them, into a target of `size`. `time` is the effect_time() of the cells' frame. Adds its bindings
  /// except TableBinding. MapPass writes to the cells of slot `slot`.
  [[nodiscard]] Result<Drawing> start_drawing(int slot, int cells_slot, std::uint32_t time, Extent size,
                                              BindingWriter& bindings);
  /// Records the effect and the text, if there are any, and returns the cells to draw.
  [[nodiscard]] Buffer& record_composed(FrameRing::Recording& recording, const Drawing& drawing);
  /// Records everything that turns mapped cells into results, and submits.
  [[nodiscard]] Result<void> finish_results(FrameRing::Recording recording, const Drawing& drawing,
                                            Pending pending);
  void read_back(FrameRing::Recording& recording, const Pending& pending, Buffer& cells);
  /// Draws into an acquired image and presents it.
  [[nodiscard]] Result<PresentOutcome> show(FrameRing::Recording recording, Swapchain& swapchain,
                                            const Swapchain::Acquired& acquired,
                                            const std::optional<Drawing>& drawing);

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
  std::shared_ptr<const render::Overlay> overlay_;
  std::vector<SlotResources> slots_;
  int last_cells_ = -1;        ///< slot that holds the newest cells, for present_again() and redraw()
  std::int64_t last_pts_ = 0;  ///< of the frame of those cells, as are the next two
  std::int64_t last_duration_ = 0;
  std::uint32_t last_time_ = 0;
  std::deque<Pending> pending_;
  std::uint64_t bytes_copied_ = 0;
  std::unique_ptr<FrameRing> ring_;  // destroyed first: waits for the GPU
};

Result<void> Renderer::configure(const render::RenderSetup& setup) {
  pending_.clear();
  last_cells_ = -1;
  last_pts_ = 0;
  last_duration_ = 0;
  map_.reset();
  draw_.reset();
  compose_.reset();
  TRY_ASSIGN(map_, MapPass::make(*pipelines_, setup));
  TRY_ASSIGN(draw_, DrawPass::make(*pipelines_, *setup.glyphs, setup.grid));
  compose_.emplace(setup.glyphs, setup.grid);
  setup_ = setup;
  picture_ = render::picture_layout(setup.picture, setup.grid, setup.glyphs->cell());
  const auto largest = static_cast<int>(device_->properties().limits.maxImageDimension2D);
  if (setup.picture == PictureFormat::Bgra8) {
    if (picture_.size.width > largest || picture_.size.height > largest) {
      return Error{
          ErrorCode::Usage,
          fmt::format(
              "A picture of {}x{} is too large for {}, which draws up to {}x{}; choose a smaller grid.",
              picture_.size.width, picture_.size.height, device_->name(), largest, largest),
          {}};
    }
    TRY(draw_->prepare_format(*pipelines_, DrawPass::ExactFormat));
  } else if (setup.picture == PictureFormat::Yuv420p) {
    TRY(draw_->prepare_pack(*pipelines_, picture_));
  }
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
             make_buffer(*device_, static_cast<std::size_t>(setup_.grid.cells()) * sizeof(render::Cell),
                         Storage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, MemoryKind::Device, "cells"));
  TRY_ASSIGN(made.parameters,
             make_buffer(*device_, ParametersSize, Storage, MemoryKind::Upload, "parameters"));
  if (setup_.picture == PictureFormat::Bgra8) {
    TRY_ASSIGN(made.picture,
               make_image(*device_, picture_.size, DrawPass::ExactFormat,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, "picture"));
  }
  return made;
}

Result<std::shared_ptr<const HostBlock>> Renderer::result_block(std::size_t bytes) {
  std::shared_ptr<const HostBlock> block = pool_->acquire(bytes);
  if (block) return block;
  return Error{ErrorCode::Failed, "Out of memory for drawn pictures; choose a smaller picture.",
               fmt::format("a block of {} bytes in addition to those in use", bytes)};
}

Result<void> Renderer::start_map(FrameRing::Recording& recording, const Frame& frame,
                                 BindingWriter& bindings) {
  TRY_ASSIGN(GpuFrame source, frames_->import_frame(frame));
  bytes_copied_ += source.bytes_copied;
  TRY(map_->prepare(*pipelines_, frame.view, source));
  map_->bind(slot(recording.slot()), frame, source, bindings);
  recording.read(std::move(source));
  return {};
}

const std::shared_ptr<const render::Overlay>& Renderer::fitting_overlay() const {
  static const std::shared_ptr<const render::Overlay> None;
  return render::lies_over(overlay_.get(), setup_.grid, setup_.glyphs->cell()) ? overlay_ : None;
}

Result<Pending> Renderer::make_pending(int slot) {
  Pending pending{.slot = slot, .frame = {.pts = last_pts_, .duration = last_duration_, .grid = setup_.grid}};
  if (setup_.picture != PictureFormat::None) {
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, result_block(picture_.bytes));
    pending.frame.picture = render::make_picture(setup_.picture, picture_, std::move(block));
  }
  if (setup_.want_cells) {
    const auto count = static_cast<std::size_t>(setup_.grid.cells());
    TRY_ASSIGN(std::shared_ptr<const HostBlock> block, result_block(count * sizeof(render::Cell)));
    pending.frame.cells = {reinterpret_cast<const render::Cell*>(block->bytes), count};
    pending.frame.owner = block;
    pending.cells = pool_->buffer_of(block.get());
  }
  if (const auto& overlay = fitting_overlay()) pending.frame.overlay_glyphs = overlay->glyphs;
  return pending;
}

Result<Drawing> Renderer::start_drawing(int slot_index, int cells_slot, std::uint32_t time, Extent size,
                                        BindingWriter& bindings) {
  SlotResources& resources = slot(slot_index);
  const bool has_picture = cells_slot >= 0;
  Drawing drawing{.mapped = &slot(has_picture ? cells_slot : slot_index).cells};
  const auto& overlay = fitting_overlay();
  drawing.is_composed = overlay != nullptr || !has_picture || setup_.effect != render::Effect::None;
  if (drawing.is_composed) {
    TRY(compose_->prepare(
        *pipelines_, resources, overlay, has_picture,
        render::effect_parameters(setup_.effect, time, setup_.glyphs->cell(), map_->parameters())));
    bindings.add(shared::OverlayBinding, resources.overlay);
  }
  bindings.add(shared::CellBinding, *drawing.mapped);
  draw_->bind(resources, drawing.is_composed ? resources.composed : *drawing.mapped,
              drawing.is_composed ? compose_->masks() : draw_->masks(), size, bindings);
  return drawing;
}

Buffer& Renderer::record_composed(FrameRing::Recording& recording, const Drawing& drawing) {
  if (!drawing.is_composed) return *drawing.mapped;
  SlotResources& resources = slot(recording.slot());
  compose_->record(recording, *pipelines_, set(recording.slot()), *drawing.mapped, resources);
  return resources.composed;
}

Result<void> Renderer::submit(const Frame& frame) {
  CHECK(map_.has_value(), "a frame was submitted before configure()");
  CHECK(static_cast<int>(pending_.size()) < depth(),
        "more frames were submitted than depth() before a collect()");
  TRY_ASSIGN(FrameRing::Recording recording, ring_->begin());
  const int index = recording.slot();
  BindingWriter bindings;
  TRY(start_map(recording, frame, bindings));
  TRY_ASSIGN(Pending pending, make_pending(index));
  pending.frame.pts = frame.pts;
  pending.frame.duration = frame.duration;
  const std::uint32_t time = render::effect_time(frame);
  TRY_ASSIGN(const Drawing drawing, start_drawing(index, index, time, picture_.size, bindings));
  if (setup_.picture == PictureFormat::Yuv420p) {
    bindings.add(shared::PictureBinding, pool_->buffer_of(pending.frame.picture.block.get()));
  }
  bindings.write(*device_, set(index));

  // From here on only the submission can fail: what is recorded must be submitted.
  map_->record(recording, *pipelines_, set(index), slot(index), frame.epoch);
  TRY(finish_results(std::move(recording), drawing, std::move(pending)));
  last_cells_ = index;
  last_pts_ = frame.pts;
  last_duration_ = frame.duration;
  last_time_ = time;
  return {};
}

Result<render::RenderedFrame> Renderer::redraw() {
  CHECK(map_.has_value(), "redraw() before configure()");
  CHECK(pending_.empty(), "redraw() before all frames were collected");
  TRY_ASSIGN(FrameRing::Recording recording, ring_->begin());
  const int index = recording.slot();
  BindingWriter bindings;
  TRY_ASSIGN(Pending pending, make_pending(index));
  bindings.add(shared::TableBinding, map_->tables());
  TRY_ASSIGN(const Drawing drawing, start_drawing(index, last_cells_, last_time_, picture_.size, bindings));
  if (setup_.picture == PictureFormat::Yuv420p) {
    bindings.add(shared::PictureBinding, pool_->buffer_of(pending.frame.picture.block.get()));
  }
  bindings.write(*device_, set(index));
  TRY(finish_results(std::move(recording), drawing, std::move(pending)));
  return collect();
}

Result<void> Renderer::finish_results(FrameRing::Recording recording, const Drawing& drawing,
                                      Pending pending) {
  const VkDescriptorSet bound = set(recording.slot());
  Buffer& cells = record_composed(recording, drawing);
  if (setup_.picture == PictureFormat::Bgra8) {
    draw_->record_draw(recording, *pipelines_, bound, cells, slot(recording.slot()).picture);
  } else if (setup_.picture == PictureFormat::Yuv420p) {
    draw_->record_pack(recording, *pipelines_, bound, cells,
                       pool_->buffer_of(pending.frame.picture.block.get()), picture_.size);
  }
  read_back(recording, pending, cells);
  TRY(recording.submit());
  pending_.push_back(std::move(pending));
  return {};
}

void Renderer::read_back(FrameRing::Recording& recording, const Pending& pending, Buffer& cells) {
  const bool copies_picture = setup_.picture == PictureFormat::Bgra8;
  if (!copies_picture && !setup_.want_cells) return;
  Commands& commands = recording.commands();
  SlotResources& resources = slot(recording.slot());
  recording.begin_stage(Stage::Readback);
  if (copies_picture) {
    commands.use(resources.picture, CopyRead, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy region{};
    region.bufferRowLength = static_cast<std::uint32_t>(picture_.strides[0] / 4);
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {static_cast<std::uint32_t>(picture_.size.width),
                          static_cast<std::uint32_t>(picture_.size.height), 1};
    const VkBuffer target = pool_->buffer_of(pending.frame.picture.block.get());
    ResourceState written;
    commands.use(target, written, CopyWrite);
    vkCmdCopyImageToBuffer(commands.handle(), resources.picture.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           target, 1, &region);
    commands.use(target, written, HostRead);
  }
  if (setup_.want_cells) {
    commands.use(cells, CopyRead);
    ResourceState written;
    commands.use(pending.cells, written, CopyWrite);
    const VkBufferCopy region{0, 0, pending.frame.cells.size_bytes()};
    vkCmdCopyBuffer(commands.handle(), cells.handle.get(), pending.cells, 1, &region);
    commands.use(pending.cells, written, HostRead);
  }
  recording.end_stage();
}

void Renderer::warm_up(const render::RenderSetup& setup) {
  if (!setup.tables) return;
  const auto made = make_map_pipelines(*pipelines_, setup.tables->parameters);
  // configure() will hit the same failure and report it.
  if (!made) log::debug("warming up: {}", made.error().message);
}

void Renderer::warm_up_overlay() {
  const auto made = make_compose_pipeline(*pipelines_);
  // The first overlay will hit the same failure and report it.
  if (!made) log::debug("warming up text: {}", made.error().message);
}

void Renderer::adjust(const mapping::Adjustments& adjustments) {
  if (map_.has_value()) map_->adjust(adjustments);
}

Result<render::RenderedFrame> Renderer::collect() {
  CHECK(!pending_.empty(), "collect() without a submitted frame");
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  TRY(ring_->finish(pending.slot));
  return std::move(pending.frame);
}

Result<PresentOutcome> Renderer::present(const Frame& frame, Swapchain& swapchain) {
  CHECK(map_.has_value(), "a frame was presented before configure()");
  TRY(draw_->prepare_format(*pipelines_, swapchain.format()));
  TRY_ASSIGN(FrameRing::Recording recording, ring_->begin());
  const int index = recording.slot();
  BindingWriter bindings;
  TRY(start_map(recording, frame, bindings));
  const std::uint32_t time = render::effect_time(frame);
  TRY_ASSIGN(const Drawing drawing, start_drawing(index, index, time, swapchain.size(), bindings));
  // The last call that can fail: an acquired image must be presented.
  TRY_ASSIGN(const Swapchain::Acquired acquired, swapchain.acquire());
  if (acquired.outcome != PresentOutcome::Presented) return acquired.outcome;
  bindings.write(*device_, set(index));
  map_->record(recording, *pipelines_, set(index), slot(index), frame.epoch);
  last_cells_ = index;
  last_pts_ = frame.pts;
  last_duration_ = frame.duration;
  last_time_ = time;
  return show(std::move(recording), swapchain, acquired, drawing);
}

Result<PresentOutcome> Renderer::present_again(Swapchain& swapchain) {
  if (draw_.has_value()) TRY(draw_->prepare_format(*pipelines_, swapchain.format()));
  TRY_ASSIGN(FrameRing::Recording recording, ring_->begin());
  std::optional<Drawing> drawing;
  if (draw_.has_value() && (last_cells_ >= 0 || fitting_overlay())) {
    BindingWriter bindings;
    bindings.add(shared::TableBinding, map_->tables());
    TRY_ASSIGN(drawing, start_drawing(recording.slot(), last_cells_, last_time_, swapchain.size(), bindings));
    bindings.write(*device_, set(recording.slot()));
  }
  TRY_ASSIGN(const Swapchain::Acquired acquired, swapchain.acquire());
  if (acquired.outcome != PresentOutcome::Presented) return acquired.outcome;
  return show(std::move(recording), swapchain, acquired, drawing);
}

Result<PresentOutcome> Renderer::show(FrameRing::Recording recording, Swapchain& swapchain,
                                      const Swapchain::Acquired& acquired,
                                      const std::optional<Drawing>& drawing) {
  Commands& commands = recording.commands();
  Image& target = *acquired.image;
  if (drawing) {
    Buffer& cells = record_composed(recording, *drawing);
    draw_->record_draw(recording, *pipelines_, set(recording.slot()), cells, target);
  } else {
    commands.use(target, ClearWrite, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, Commands::Content::Discard);
    const VkClearColorValue black{{0, 0, 0, 1}};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands.handle(), target.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &black, 1,
                         &range);
  }
  commands.use(target, {}, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  TRY_ASSIGN(const std::uint64_t value,
             recording.submit({.wait = acquired.available, .signal = acquired.finished}));
  return swapchain.present(acquired, value);
}

}  // namespace

Result<std::unique_ptr<GpuRenderer>> make_gpu_renderer(std::shared_ptr<Device> device, StageTimes& times,
                                                       GpuRendererOptions options) {
  CHECK(options.frames != nullptr, "a GPU renderer needs a FrameSource");
  CHECK(options.depth >= 1 && options.depth <= MaxFramesInFlight,
        "a GPU renderer keeps 1 to 64 frames in flight");
  auto renderer = std::make_unique<Renderer>(std::move(device), times, std::move(options.frames));
  TRY(renderer->create(times, options.depth));
  return std::unique_ptr<GpuRenderer>(std::move(renderer));
}

}  // namespace glyphreel::gpu
