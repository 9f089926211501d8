#include "interop/drm/vaapi_device.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "gpu/device/physical_device.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace glyphreel::interop {
namespace {

/// Returns the GPU's render node, or an empty string if there is none.
std::string render_node(const gpu::Device& device) {
  if (!gpu::has_extension(device.physical(), VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME)) return {};
  VkPhysicalDeviceDrmPropertiesEXT drm{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &drm;
  vkGetPhysicalDeviceProperties2(device.physical(), &properties);
  if (drm.hasRender != VK_TRUE) return {};
  const dev_t wanted =
      makedev(static_cast<unsigned>(drm.renderMajor), static_cast<unsigned>(drm.renderMinor));
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", failure)) {
    struct stat status {};
    if (stat(entry.path().c_str(), &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == wanted) {
      return entry.path().string();
    }
  }
  return {};
}

}  // namespace

Result<media::BufferRef> make_vaapi_device(const gpu::Device& device) {
  const std::string node = render_node(device);
  if (node.empty()) {
    return Error{
        ErrorCode::Failed,
        fmt::format("{} cannot decode with VAAPI because it has no DRM render node; try a different --hwdec.",
                    device.name()),
        {}};
  }
  return open_vaapi(node);
}

Result<media::BufferRef> open_vaapi(const std::string& node) {
  AVBufferRef* made = nullptr;
  const int code = av_hwdevice_ctx_create(&made, AV_HWDEVICE_TYPE_VAAPI, node.c_str(), nullptr, 0);
  if (code < 0) {
    return media::av_failure(
        ErrorCode::Failed,
        fmt::format("{} cannot decode with VAAPI; install its VAAPI driver or try a different --hwdec.",
                    node),
        code);
  }
  return media::BufferRef(made);
}

}  // namespace glyphreel::interop
