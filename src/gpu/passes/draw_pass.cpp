#include "gpu/passes/draw_pass.h"

#include <cstring>

#include "gpu/passes/dispatch.h"
#include "gpu/passes/exact_division.h"
#include "render/wipe.h"
#include "shaders/embedded.h"

namespace glyphreel::gpu {
namespace {

/// Appends the specialization constants Layers (shaders/cell_pixels.glsl) and Glowing
/// (shaders/glow_pixels.glsl).
void add_features(Constants& constants, DrawPass::Features features) {
  constants.push_back(features.has_layers ? 1 : 0);
  constants.push_back(features.has_light ? 1 : 0);
}

/// Returns the value of the constant ChannelMax (shaders/draw_glyphs.frag) for a format of a window.
std::uint32_t channel_max(VkFormat format) {
  return format == VK_FORMAT_A2R10G10B10_UNORM_PACK32 || format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 ? 1023
                                                                                                      : 255;
}

}  // namespace

Result<DrawPass> DrawPass::make(Pipelines& pipelines, const text::GlyphSet& glyphs, GridSize grid) {
  DrawPass pass(pipelines);
  pass.grid_ = grid;
  pass.cell_ = glyphs.cell();
  if (grid.columns * pass.cell_.width >= static_cast<int>(MaxDividend) ||
      grid.rows * pass.cell_.height >= static_cast<int>(MaxDividend)) {
    return Error{
        ErrorCode::Usage, "The grid is more than 32767 pixels wide or high; choose a smaller grid.", {}};
  }
  const auto width = static_cast<std::uint32_t>(pass.cell_.width);
  const auto height = static_cast<std::uint32_t>(pass.cell_.height);
  const ExactDivision by_width = exact_division(width);
  const ExactDivision by_height = exact_division(height);
  pass.cell_constants_ = {width,          height, by_width.multiplier, by_width.shift, by_height.multiplier,
                          by_height.shift};
  TRY_ASSIGN(pass.masks_, make_buffer(pipelines.device(), glyphs.masks().size(),
                                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MemoryKind::Upload, "glyph masks"));
  std::memcpy(pass.masks_.mapped, glyphs.masks().data(), glyphs.masks().size());
  return pass;
}

Result<void> DrawPass::prepare_window(VkFormat format, Features features) {
  if (window_pipelines_.contains({format, features})) return {};
  Constants constants = cell_constants_;
  add_features(constants, features);
  constants.push_back(channel_max(format));
  TRY_ASSIGN(VkPipeline pipeline, pipelines_->draw(shaders::draw_glyphs_vert, shaders::draw_glyphs_frag,
                                                   constants, format, "draw glyphs"));
  window_pipelines_.emplace(std::pair(format, features), pipeline);
  return {};
}

Result<void> DrawPass::prepare_picture(PictureFormat format, const render::PictureLayout& picture,
                                       Features features) {
  if (picture_pipelines_.contains(features)) return {};
  picture_format_ = format;
  picture_size_ = picture.size;
  const auto is_multiple = [](int length, shared::uint of) { return length % static_cast<int>(of) == 0; };
  Constants constants = cell_constants_;
  add_features(constants, features);
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (format == PictureFormat::Yuv420p) {
    const bool one_cell = !features.has_light && is_multiple(cell_.width, shared::PackBlockWidth) &&
                          is_multiple(cell_.height, shared::PackBlockHeight);
    constants.push_back(one_cell ? 1 : 0);
    constants.push_back(static_cast<std::uint32_t>(picture.strides[0]));
    constants.push_back(static_cast<std::uint32_t>(picture.strides[1]));
    TRY_ASSIGN(pipeline, pipelines_->compute(SetKind::Draw, shaders::pack_yuv_comp, constants, "pack yuv"));
  } else {
    constants.push_back(!features.has_light && is_multiple(cell_.width, shared::QuadWidth) ? 1 : 0);
    constants.push_back(static_cast<std::uint32_t>(picture.strides[0]));
    TRY_ASSIGN(pipeline,
               pipelines_->compute(SetKind::Draw, shaders::draw_picture_comp, constants, "draw picture"));
  }
  picture_pipelines_.emplace(features, pipeline);
  return {};
}

Result<void> DrawPass::write_text(SlotResources& slot,
                                  const std::shared_ptr<const render::TextImage>& text) const {
  if (slot.text_written == text) return {};
  const std::size_t bytes = text->pixels.size() * sizeof text->pixels[0];
  if (!slot.text || slot.text.size < bytes) {
    TRY_ASSIGN(slot.text, make_buffer(pipelines_->device(), bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                      MemoryKind::Upload, "text image"));
  }
  std::memcpy(slot.text.mapped, text->pixels.data(), bytes);
  slot.text_written = text;
  return {};
}

Result<void> DrawPass::bind(SlotResources& slot, const Buffer& cells, const Buffer& masks, const Over& over,
                            Extent size, BindingWriter& bindings) const {
  mapping::shared::DrawParameters parameters = over.light;
  parameters.columns = static_cast<std::uint32_t>(grid_.columns);
  parameters.rows = static_cast<std::uint32_t>(grid_.rows);
  parameters.cell_width = cell_constants_[0];
  parameters.cell_height = cell_constants_[1];
  parameters.origin_x = static_cast<std::uint32_t>(centered(size.width, grid_.columns * cell_.width));
  parameters.origin_y = static_cast<std::uint32_t>(centered(size.height, grid_.rows * cell_.height));
  parameters.width = static_cast<std::uint32_t>(size.width);
  parameters.height = static_cast<std::uint32_t>(size.height);
  if (over.source != nullptr && over.wipe)
    parameters.wipe = render::wipe_columns(*over.wipe, grid_.columns * cell_.width);
  if (const render::TextImage* text = render::fits_picture(over.text.get(), grid_, cell_)) {
    TRY(write_text(slot, over.text));
    parameters.text_x = parameters.origin_x + static_cast<std::uint32_t>(text->x);
    parameters.text_y = parameters.origin_y + static_cast<std::uint32_t>(text->y);
    parameters.text_width = static_cast<std::uint32_t>(text->size.width);
    parameters.text_height = static_cast<std::uint32_t>(text->size.height);
  }
  std::memcpy(slot.parameters.mapped + DrawParametersAt, &parameters, sizeof parameters);
  bindings.add(shared::DrawnBinding, cells);
  bindings.add(shared::MaskBinding, masks);
  bindings.add(shared::DrawParametersBinding, slot.parameters.handle.get(), DrawParametersAt,
               sizeof parameters);
  // Without text or a source, the masks are bound as a placeholder that the shaders do not read.
  bindings.add(shared::TextBinding, slot.text ? slot.text : masks);
  bindings.add(shared::SourceBinding, over.source != nullptr ? *over.source : masks);
  return {};
}

void DrawPass::record_window(FrameCommands& frame_commands, const SlotSets& sets, Buffer& cells,
                             Image& target, Features features) {
  Commands& commands = frame_commands.commands();
  frame_commands.begin_stage(Stage::Draw);
  commands.use(cells, FragmentRead);
  commands.use(target, ColorWrite, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, Commands::Content::Discard);

  const VkExtent2D extent{static_cast<std::uint32_t>(target.size.width),
                          static_cast<std::uint32_t>(target.size.height)};
  VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  attachment.imageView = target.view.get();
  attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  attachment.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;  // every pixel is written
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
  rendering.renderArea = {{0, 0}, extent};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &attachment;
  const VkViewport viewport{0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};

  vkCmdBeginRendering(commands.handle(), &rendering);
  vkCmdSetViewport(commands.handle(), 0, 1, &viewport);
  vkCmdSetScissor(commands.handle(), 0, 1, &rendering.renderArea);
  pipelines_->bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, SetKind::Draw, sets);
  vkCmdBindPipeline(commands.handle(), VK_PIPELINE_BIND_POINT_GRAPHICS,
                    window_pipelines_.at({target.format, features}));
  vkCmdDraw(commands.handle(), 3, 1, 0, 0);
  vkCmdEndRendering(commands.handle());
  frame_commands.end_stage();
}

void DrawPass::record_picture(FrameCommands& frame_commands, const SlotSets& sets, Buffer& cells,
                              Features features) {
  Commands& commands = frame_commands.commands();
  frame_commands.begin_stage(picture_format_ == PictureFormat::Yuv420p ? Stage::Pack : Stage::Draw);
  commands.use(cells, ComputeRead);
  pipelines_->bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, SetKind::Draw, sets);
  commands.dispatch(picture_pipelines_.at(features), picture_groups(picture_size_, picture_format_));
  frame_commands.end_stage();
}

}  // namespace glyphreel::gpu
