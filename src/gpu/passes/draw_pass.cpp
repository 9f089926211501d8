#include "gpu/passes/draw_pass.h"

#include <cstring>
#include <initializer_list>
#include <utility>

#include "gpu/passes/dispatch.h"
#include "gpu/passes/exact_division.h"
#include "render/wipe.h"
#include "shaders/embedded.h"

namespace glyphreel::gpu {
namespace {

constexpr const char* WindowName = "draw glyphs";
constexpr DrawPass::Features AllFeatures[] = {{false, false}, {true, false}, {false, true}, {true, true}};

/// Returns a shader's specialization constants: those of the cell size (`cell`), Layers
/// (shaders/cell_pixels.glsl), Glowing (shaders/glow_pixels.glsl), and the shader's own constants (`own`).
Constants draw_constants(Constants cell, DrawPass::Features features,
                         std::initializer_list<std::uint32_t> own) {
  cell.push_back(features.has_layers ? 1 : 0);
  cell.push_back(features.has_light ? 1 : 0);
  cell.insert(cell.end(), own);
  return cell;
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
  const Spirv vertex = shaders::draw_glyphs_vert;
  const Spirv fragment = shaders::draw_glyphs_frag;
  const Constants any_cell(cell_constants_.size(), 0);
  const auto constants = [format](const Constants& cell, Features drawn) {
    return draw_constants(cell, drawn, {channel_max(format)});
  };
  const auto in_background = [&](const Constants& of) {
    pipelines_->draw_in_background(vertex, fragment, of, format, WindowName);
  };
  const Constants special = constants(cell_constants_, features);
  window_pipeline_ = pipelines_->find_draw(fragment, special, format);
  is_specialized_ = window_pipeline_ != VK_NULL_HANDLE;
  if (!is_specialized_) {
    TRY_ASSIGN(window_pipeline_,
               pipelines_->draw(vertex, fragment, constants(any_cell, features), format, WindowName));
    in_background(special);
  }
  for (const Features other : AllFeatures) in_background(constants(any_cell, other));
  return {};
}

Result<void> DrawPass::prepare_picture(PictureFormat format, const render::PictureLayout& picture,
                                       Features features) {
  const bool is_yuv = format == PictureFormat::Yuv420p;
  picture_format_ = format;
  picture_size_ = picture.size;
  const auto luma_stride = static_cast<std::uint32_t>(picture.strides[0]);
  const auto chroma_stride = static_cast<std::uint32_t>(picture.strides[1]);
  const auto is_multiple = [](int length, shared::uint of) { return length % static_cast<int>(of) == 0; };
  const bool one_cell = !features.has_light &&
                        is_multiple(cell_.width, is_yuv ? shared::PackBlockWidth : shared::QuadWidth) &&
                        (!is_yuv || is_multiple(cell_.height, shared::PackBlockHeight));
  TRY_ASSIGN(picture_pipeline_,
             pipelines_->compute(
                 SetKind::Draw, is_yuv ? Spirv(shaders::pack_yuv_comp) : Spirv(shaders::draw_picture_comp),
                 draw_constants(cell_constants_, features, {one_cell ? 1u : 0u, luma_stride, chroma_stride}),
                 is_yuv ? "pack yuv" : "draw picture"));
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
  parameters.cell_width = static_cast<std::uint32_t>(cell_.width);
  parameters.cell_height = static_cast<std::uint32_t>(cell_.height);
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
                             Image& target) {
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
  vkCmdBindPipeline(commands.handle(), VK_PIPELINE_BIND_POINT_GRAPHICS, window_pipeline_);
  vkCmdDraw(commands.handle(), 3, 1, 0, 0);
  vkCmdEndRendering(commands.handle());
  frame_commands.end_stage();
}

void DrawPass::record_picture(FrameCommands& frame_commands, const SlotSets& sets, Buffer& cells) {
  Commands& commands = frame_commands.commands();
  frame_commands.begin_stage(picture_format_ == PictureFormat::Yuv420p ? Stage::Pack : Stage::Draw);
  commands.use(cells, ComputeRead);
  pipelines_->bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, SetKind::Draw, sets);
  commands.dispatch(picture_pipeline_, picture_groups(picture_size_, picture_format_));
  frame_commands.end_stage();
}

}  // namespace glyphreel::gpu
