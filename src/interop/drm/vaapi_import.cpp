#include "interop/drm/vaapi_import.h"

#include <va/va.h>

#include <utility>

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vaapi.h>
}

namespace glyphreel::interop {

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
  const auto* frames = reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
  const auto* device = static_cast<const AVVAAPIDeviceContext*>(frames->device_ctx->hwctx);
  const auto surface = static_cast<VASurfaceID>(reinterpret_cast<std::uintptr_t>(frame.data[3]));
  // The decoder may still be writing to the surface, and mapping does not wait for the decoder.
  if (const VAStatus status = vaSyncSurface(device->display, surface); status != VA_STATUS_SUCCESS) {
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
