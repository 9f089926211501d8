#include "interop/vulkan/vulkan_import.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "interop/surface/plane_extent.h"
#include "interop/surface/texel_format.h"
#include "media/hwdec/hardware_surface.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vulkan.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::interop {
namespace {

const AVHWFramesContext& frames_of(const AVFrame& frame) {
  return *reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
}

AVVkFrame& vulkan_frame(const AVFrame& frame) {
  return *reinterpret_cast<AVVkFrame*>(frame.data[0]);
}

/// A reference to a decoded frame, and the images of this frame that the recorded commands read.
struct Borrowed {
  struct Part {
    std::size_t index;  ///< into AVVkFrame's arrays
    gpu::Image image;
  };

  explicit Borrowed(const AVFrame& source) : frame(av_frame_clone(&source)) {
    CHECK(frame != nullptr, "out of memory");
  }

  const media::FramePtr frame;
  std::vector<Part> parts;
};

/// Returns the queue family that owns image `index` while this renderer does not use the image. Returns
/// VK_QUEUE_FAMILY_IGNORED if all families share the image or if the renderer's family, `own`, owns it.
std::uint32_t owner_family_of(const AVVkFrame& frame, std::size_t index, std::uint32_t own) {
#if GLYPHREEL_AV_VULKAN_LOCKS
  return frame.queue_family[index] == own ? VK_QUEUE_FAMILY_IGNORED : frame.queue_family[index];
#else
  static_cast<void>(frame);
  static_cast<void>(index);
  static_cast<void>(own);
  return VK_QUEUE_FAMILY_IGNORED;
#endif
}

/// Holds FFmpeg's lock on the frame from acquire() until the lease is destroyed. FFmpeg before 6.1 has no
/// frame locks.
class Lease final : public gpu::FrameLease {
 public:
  Lease(std::shared_ptr<Borrowed> borrowed, std::uint32_t own_family)
      : borrowed_(std::move(borrowed)), own_family_(own_family) {}
  ~Lease() override {
#if GLYPHREEL_AV_VULKAN_LOCKS
    if (is_taken_) callbacks().unlock_frame(frames(), &frame());
#endif
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  void acquire(std::vector<gpu::TimelinePoint>& waits, std::vector<gpu::TimelinePoint>& signals) override {
#if GLYPHREEL_AV_VULKAN_LOCKS
    callbacks().lock_frame(frames(), &frame());
    is_taken_ = true;
#endif
    for (Borrowed::Part& part : borrowed_->parts) {
      part.image.layout = frame().layout[part.index];
      part.image.owner_family = owner_family_of(frame(), part.index, own_family_);
      if (frame().sem[part.index] == VK_NULL_HANDLE) continue;
      waits.push_back({frame().sem[part.index], frame().sem_value[part.index]});
      signals.push_back({frame().sem[part.index], frame().sem_value[part.index] + 1});
    }
  }

  void submitted() override {
    for (const Borrowed::Part& part : borrowed_->parts) {
      frame().layout[part.index] = part.image.layout;
      frame().access[part.index] = VK_ACCESS_SHADER_READ_BIT;
      if (frame().sem[part.index] != VK_NULL_HANDLE) ++frame().sem_value[part.index];
    }
  }

 private:
  [[nodiscard]] AVVkFrame& frame() const {
    return vulkan_frame(*borrowed_->frame);
  }
#if GLYPHREEL_AV_VULKAN_LOCKS
  [[nodiscard]] AVHWFramesContext* frames() const {
    return reinterpret_cast<AVHWFramesContext*>(borrowed_->frame->hw_frames_ctx->data);
  }
  [[nodiscard]] const AVVulkanFramesContext& callbacks() const {
    return *static_cast<const AVVulkanFramesContext*>(frames()->hwctx);
  }
#endif

  const std::shared_ptr<Borrowed> borrowed_;
  const std::uint32_t own_family_;
#if GLYPHREEL_AV_VULKAN_LOCKS
  bool is_taken_ = false;
#endif
};

/// Whether each texel of a plane with this format consists of the samples that `layout` describes for the
/// plane: one sample of each component, interleaved.
bool holds_samples(VkFormat format, const PixelLayout& layout, std::size_t plane) {
  const TexelFormat texel = texel_of(format);
  if (texel.bytes_per_channel != layout.bytes_per_sample) return false;
  return std::ranges::all_of(components_of(layout), [&](const ComponentLayout& component) {
    return component.plane != plane ||
           (component.step == texel.bytes() && component.offset % layout.bytes_per_sample == 0 &&
            component.offset < texel.bytes());
  });
}

Error unfit(AVPixelFormat format, const char* why) {
  const char* name = av_get_pix_fmt_name(format);
  return {ErrorCode::Failed, "A Vulkan Video frame cannot be read in place.",
          std::string(name != nullptr ? name : "unknown format") + ": " + why};
}

constexpr std::array PlaneAspects = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                     VK_IMAGE_ASPECT_PLANE_2_BIT};

}  // namespace

bool VulkanImport::supports(const AVFrame& frame) const {
  if (frame.format != AV_PIX_FMT_VULKAN || frame.hw_frames_ctx == nullptr) return false;
  return static_cast<const AVVulkanDeviceContext*>(frames_of(frame).device_ctx->hwctx)->act_dev ==
         device_->handle();
}

Result<gpu::GpuFrame> VulkanImport::import_frame(const AVFrame& frame, const FrameView& view) {
  const AVPixelFormat format = media::software_format(frame);
  if (frame.crop_left != 0 || frame.crop_top != 0)
    return unfit(format, "it is cropped at the left or the top");
  const VkFormat* formats = av_vkfmt_from_pixfmt(format);
  const std::size_t planes = plane_count(view.layout);
  std::size_t images = 0;
  while (images < AV_NUM_DATA_POINTERS && vulkan_frame(frame).img[images] != VK_NULL_HANDLE) ++images;
  if (formats == nullptr || planes > PlaneAspects.size() || (images != 1 && images < planes))
    return unfit(format, "its plane layout is unknown");
  const bool is_multi_planar = images == 1 && planes > 1;

  if (!frames_ || frames_->data != frame.hw_frames_ctx->data) {
    views_.clear();
    frames_.reset(av_buffer_ref(frame.hw_frames_ctx));
    CHECK(frames_ != nullptr, "out of memory");
  }
  gpu::GpuFrame imported;
  for (std::size_t plane = 0; plane < planes; ++plane) {
    if (!holds_samples(formats[plane], view.layout, plane))
      return unfit(format, "its Vulkan format stores samples differently than its pixel format");
    const VkImage image = vulkan_frame(frame).img[is_multi_planar ? 0 : plane];
    const VkImageAspectFlagBits aspect = is_multi_planar ? PlaneAspects[plane] : VK_IMAGE_ASPECT_COLOR_BIT;
    TRY_ASSIGN(imported.plane_views[plane], view_of(image, aspect, formats[plane]));
  }

  auto borrowed = std::make_shared<Borrowed>(frame);
  for (std::size_t index = 0; index < (is_multi_planar ? 1 : planes); ++index) {
    gpu::Image image;
    image.handle = vulkan_frame(frame).img[index];
    image.format = formats[index];
    image.size = {frames_of(frame).width, frames_of(frame).height};
    borrowed->parts.push_back({index, std::move(image)});
  }
  imported.lease = std::make_unique<Lease>(borrowed, device_->queue_family());
  for (Borrowed::Part& part : borrowed->parts) imported.images.push_back(&part.image);
  imported.owner = std::move(borrowed);
  return imported;
}

Result<VkImageView> VulkanImport::view_of(VkImage image, VkImageAspectFlagBits aspect, VkFormat format) {
  gpu::ImageViewHandle& view = views_[{image, aspect}];
  if (view) return view.get();
  // The image was created for more usages, but views of single planes support only SAMPLED.
  VkImageViewUsageCreateInfo usage{VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO};
  usage.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  VkImageViewCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  create.pNext = &usage;
  create.image = image;
  create.viewType = VK_IMAGE_VIEW_TYPE_2D;
  create.format = format;
  if (texel_of(format).blue_first) {  // shaders expect the channels in memory order
    create.components.r = VK_COMPONENT_SWIZZLE_B;
    create.components.b = VK_COMPONENT_SWIZZLE_R;
  }
  create.subresourceRange = {static_cast<VkImageAspectFlags>(aspect), 0, 1, 0, 1};
  VK_CREATE(*device_, view, vkCreateImageView, create);
  view.name("a decoded plane");
  ++views_made_;
  return view.get();
}

}  // namespace glyphreel::interop
