#include "interop/drm/vaapi_import.h"

#include <fcntl.h>
#include <unistd.h>
#include <va/va.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vaapi.h>
}

namespace glyphreel::interop {

/// A descriptor with duplicates of its dma-buf handles. FFmpeg's own mapping would keep the surface out of
/// its pool as long as it exists.
class VaapiImport::Exported {
 public:
  explicit Exported(const AVDRMFrameDescriptor& descriptor) : descriptor_(descriptor) {
    for (int i = 0; i < descriptor.nb_objects; ++i) {
      descriptor_.objects[i].fd = fcntl(descriptor.objects[i].fd, F_DUPFD_CLOEXEC, 0);
    }
  }
  ~Exported() {
    for (int i = 0; i < descriptor_.nb_objects; ++i) {
      if (descriptor_.objects[i].fd >= 0) close(descriptor_.objects[i].fd);
    }
  }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;
  [[nodiscard]] const AVDRMFrameDescriptor& descriptor() const { return descriptor_; }

 private:
  AVDRMFrameDescriptor descriptor_;
};

std::unique_ptr<VaapiImport> VaapiImport::make(std::shared_ptr<gpu::Device> device) {
  auto drm = DrmImport::make(std::move(device));
  if (!drm) return nullptr;
  return std::unique_ptr<VaapiImport>(new VaapiImport(std::move(drm)));
}

VaapiImport::VaapiImport(std::unique_ptr<DrmImport> drm) : drm_(std::move(drm)) {}

VaapiImport::~VaapiImport() = default;

bool VaapiImport::takes(const AVFrame& frame) const {
  return frame.format == AV_PIX_FMT_VAAPI && frame.hw_frames_ctx != nullptr;
}

Result<gpu::GpuFrame> VaapiImport::import_frame(const AVFrame& frame, const FrameView& view) {
  const auto* frames = reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
  const auto* device = static_cast<const AVVAAPIDeviceContext*>(frames->device_ctx->hwctx);
  const auto surface = static_cast<VASurfaceID>(reinterpret_cast<std::uintptr_t>(frame.data[3]));
  // The decoder may still be writing to the surface, and mapping does not wait for it.
  if (const VAStatus status = vaSyncSurface(device->display, surface); status != VA_STATUS_SUCCESS) {
    return Error{ErrorCode::Failed, "A frame could not be read from the VAAPI decoder.", vaErrorStr(status)};
  }
  if (pool_ == nullptr || pool_->data != frame.hw_frames_ctx->data) {
    exported_.clear();
    pool_.reset(av_buffer_ref(frame.hw_frames_ctx));
  }
  auto known = exported_.find(surface);
  if (known == exported_.end()) {
    const media::FramePtr mapped = media::new_frame();
    mapped->format = AV_PIX_FMT_DRM_PRIME;
    if (const int code = av_hwframe_map(mapped.get(), &frame, AV_HWFRAME_MAP_READ); code < 0) {
      return media::av_failure(ErrorCode::Failed, "The VAAPI driver cannot export its frames.", code);
    }
    const auto& descriptor = *reinterpret_cast<const AVDRMFrameDescriptor*>(mapped->data[0]);
    known = exported_.emplace(surface, std::make_unique<const Exported>(descriptor)).first;
  }
  return drm_->import_frame(known->second->descriptor(), frame, view, DrmImport::Unknown::Refused);
}

}  // namespace glyphreel::interop
