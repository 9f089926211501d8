#include "gpu/passes/overlay_pass.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "gpu/passes/dispatch.h"
#include "shaders/embedded.h"

namespace glyphreel::gpu {

using render::EffectParameters;
using render::OverlayCell;
using render::OverlayParameters;

namespace {

// Offsets in SlotResources::overlay.
constexpr std::size_t EffectAt = sizeof(OverlayParameters);
constexpr std::size_t CellsAt = EffectAt + sizeof(EffectParameters);

}  // namespace

Result<void> OverlayPass::make_masks(const render::OverlayGlyphs* text) {
  if (coverage_.empty()) coverage_ = render::mean_coverage(*glyphs_);
  const std::vector<std::uint8_t>& picture = glyphs_->masks();
  const std::size_t text_bytes = text != nullptr ? text->masks.size() : 0;
  const std::size_t coverage_at = picture.size() + text_bytes;
  // Vulkan guarantees storage buffers of at least 128 MiB, far more than any set of glyphs needs.
  TRY_ASSIGN(Buffer masks,
             make_buffer(pipelines_->device(), coverage_at + coverage_.size(),
                         VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MemoryKind::Upload, "glyph masks with text"));
  std::memcpy(masks.mapped, picture.data(), picture.size());
  if (text != nullptr) std::memcpy(masks.mapped + picture.size(), text->masks.data(), text_bytes);
  std::memcpy(masks.mapped + coverage_at, coverage_.data(), coverage_.size());
  masks_ = std::move(masks);  // retires the old buffer, which frames in flight may still read
  coverage_at_ = static_cast<std::uint32_t>(coverage_at);
  return {};
}

Result<void> OverlayPass::prepare(SlotResources& slot, std::shared_ptr<const render::Overlay> overlay,
                                  bool has_picture, const render::EffectParameters& effect) {
  Device& device = pipelines_->device();
  if (pipeline_ == VK_NULL_HANDLE) {
    TRY_ASSIGN(pipeline_,
               pipelines_->compute(SetKind::Draw, shaders::compose_cells_comp, {}, "compose cells"));
  }
  const auto count = static_cast<std::size_t>(grid_.cells());
  if (!slot.composed) {
    TRY_ASSIGN(slot.overlay, make_buffer(device, CellsAt + count * sizeof(OverlayCell),
                                         VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MemoryKind::Upload, "overlay"));
    TRY_ASSIGN(slot.composed,
               make_buffer(device, count * sizeof(mapping::shared::Cell),
                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                           MemoryKind::Device, "composed cells"));
  }
  if (!masks_ || (overlay && masks_of_ != overlay->glyphs)) {
    TRY(make_masks(overlay ? overlay->glyphs.get() : nullptr));
    masks_of_ = overlay ? overlay->glyphs : nullptr;
  }
  OverlayParameters parameters = render::overlay_parameters(*glyphs_, grid_, overlay.get(), has_picture);
  parameters.coverage_at = coverage_at_;
  std::memcpy(slot.overlay.mapped, &parameters, sizeof parameters);
  std::memcpy(slot.overlay.mapped + EffectAt, &effect, sizeof effect);
  if (slot.overlay_written && slot.overlay_written == overlay) return {};
  if (overlay) {
    std::memcpy(slot.overlay.mapped + CellsAt, overlay->cells.data(), count * sizeof(OverlayCell));
  } else {
    std::memset(slot.overlay.mapped + CellsAt, 0xFF, count * sizeof(OverlayCell));  // all OverlayNone
  }
  slot.overlay_written = std::move(overlay);
  return {};
}

void OverlayPass::record(FrameCommands& frame_commands, const SlotSets& sets, Buffer& cells,
                         SlotResources& slot) {
  Commands& commands = frame_commands.commands();
  commands.use(cells, ComputeRead);
  commands.use(slot.composed, ComputeWrite);
  pipelines_->bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, SetKind::Draw, sets);
  commands.dispatch(pipeline_, cell_groups(grid_));
}

}  // namespace glyphreel::gpu
