#include "interop/drm/vaapi_import.h"

#include <va/va.h>
#include <va/va_drmcommon.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vaapi.h>
}

namespace glyphreel::interop {
namespace {

VADisplay display_of(const AVHWFramesContext& frames) {
  return static_cast<const AVVAAPIDeviceContext*>(frames.device_ctx->hwctx)->display;
}

VAStatus sync(const AVFrame& frame) {
  const auto& frames = *reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
  return vaSyncSurface(display_of(frames),
                       static_cast<VASurfaceID>(reinterpret_cast<std::uintptr_t>(frame.data[3])));
}

/// Whether the driver accepts a list of modifiers for new surfaces.
bool accepts_modifiers(VADisplay display) {
  VAConfigID config = VA_INVALID_ID;
  if (vaCreateConfig(display, VAProfileNone, VAEntrypointVideoProc, nullptr, 0, &config) != VA_STATUS_SUCCESS)
    return false;
  unsigned count = 0;
  std::vector<VASurfaceAttrib> attributes;
  if (vaQuerySurfaceAttributes(display, config, nullptr, &count) == VA_STATUS_SUCCESS) {
    attributes.resize(count);
    if (vaQuerySurfaceAttributes(display, config, attributes.data(), &count) != VA_STATUS_SUCCESS) count = 0;
    attributes.resize(count);
  }
  vaDestroyConfig(display, config);
  return std::ranges::any_of(attributes, [](const VASurfaceAttrib& attribute) {
    return attribute.type == VASurfaceAttribDRMFormatModifiers &&
           (attribute.flags & VA_SURFACE_ATTRIB_SETTABLE) != 0;
  });
}

/// The attribute that lists the allowed modifiers, and everything that it points to.
struct ModifierAttribute {
  std::vector<std::uint64_t> modifiers;
  VADRMFormatModifierList list{};
  VASurfaceAttrib attribute{};
};

}  // namespace

void adjust_vaapi_frames(const gpu::Device& device, AVHWFramesContext& frames) {
  const bool is_ten_bit = frames.sw_format == AV_PIX_FMT_P010;
  if ((!is_ten_bit && frames.sw_format != AV_PIX_FMT_NV12) || !accepts_modifiers(display_of(frames))) return;
  auto made = std::make_unique<ModifierAttribute>();
  made->modifiers =
      DrmImport::importable_modifiers(device, is_ten_bit ? VK_FORMAT_R16_UNORM : VK_FORMAT_R8_UNORM,
                                      is_ten_bit ? VK_FORMAT_R16G16_UNORM : VK_FORMAT_R8G8_UNORM);
  if (made->modifiers.empty()) return;
  made->list = {.num_modifiers = static_cast<std::uint32_t>(made->modifiers.size()),
                .modifiers = made->modifiers.data()};
  made->attribute.type = VASurfaceAttribDRMFormatModifiers;
  made->attribute.flags = VA_SURFACE_ATTRIB_SETTABLE;
  made->attribute.value.type = VAGenericValueTypePointer;
  made->attribute.value.value.p = &made->list;
  auto& vaapi = *static_cast<AVVAAPIFramesContext*>(frames.hwctx);
  vaapi.attributes = &made->attribute;
  vaapi.nb_attributes = 1;
  // FFmpeg passes the attribute to the driver each time that it allocates a surface.
  frames.user_opaque = made.release();
  frames.free = [](AVHWFramesContext* context) {
    delete static_cast<ModifierAttribute*>(context->user_opaque);
  };
}

void finish_vaapi_frame(const AVFrame& frame) {
  static_cast<void>(sync(frame));  // import_frame() reports the error
}

std::unique_ptr<VaapiImport> VaapiImport::make(std::shared_ptr<gpu::Device> device) {
  auto drm = DrmImport::make(std::move(device));
  if (!drm) return nullptr;
  return std::unique_ptr<VaapiImport>(new VaapiImport(std::move(drm)));
}

VaapiImport::VaapiImport(std::unique_ptr<DrmImport> drm) : drm_(std::move(drm)) {}

bool VaapiImport::supports(const AVFrame& frame) const {
  return frame.format == AV_PIX_FMT_VAAPI && frame.hw_frames_ctx != nullptr;
}

Result<gpu::GpuFrame> VaapiImport::import_frame(const AVFrame& frame, const FrameView& view) {
  // The decoder may still be writing to the surface, and mapping does not wait for the decoder. After
  // finish_vaapi_frame(), sync() returns at once.
  if (const VAStatus status = sync(frame); status != VA_STATUS_SUCCESS) {
    return Error{ErrorCode::Failed, "A frame could not be read from the VAAPI decoder.", vaErrorStr(status)};
  }
  // The driver may replace a surface's memory at any time, so each frame is exported again. DrmImport imports
  // the same memory only once. FFmpeg keeps the surface out of its pool as long as `mapped` exists.
  const media::FramePtr mapped = media::new_frame();
  mapped->format = AV_PIX_FMT_DRM_PRIME;
  if (const int code = av_hwframe_map(mapped.get(), &frame, AV_HWFRAME_MAP_READ); code < 0) {
    return media::av_failure(ErrorCode::Failed, "The VAAPI driver cannot export its frames.", code);
  }
  const auto& descriptor = *reinterpret_cast<const AVDRMFrameDescriptor*>(mapped->data[0]);
  return drm_->import_frame(descriptor, frame, view, DrmImport::Unknown::Refused);
}

}  // namespace glyphreel::interop
