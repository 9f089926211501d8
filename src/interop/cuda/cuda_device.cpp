#include "interop/cuda/cuda_device.h"

#include <cstring>
#include <string>

#include <fmt/format.h>

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace glyphreel::interop {

CUuuid device_uuid(const gpu::Device& device) {
  VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &id;
  vkGetPhysicalDeviceProperties2(device.physical(), &properties);
  CUuuid uuid{};
  static_assert(sizeof uuid.bytes == sizeof id.deviceUUID);
  std::memcpy(uuid.bytes, id.deviceUUID, sizeof uuid.bytes);
  return uuid;
}

namespace {

/// Returns CUDA's index of the GPU with this UUID.
Result<int> find_device(const cuda::Api& api, const CUuuid& wanted, const std::string& name) {
  CUDA_TRY(api, api.cuInit(0));
  int count = 0;
  CUDA_TRY(api, api.cuDeviceGetCount(&count));
  for (int index = 0; index < count; ++index) {
    CUdevice device = 0;
    CUuuid uuid{};
    CUDA_TRY(api, api.cuDeviceGet(&device, index));
    // For a MIG slice of a GPU, cuDeviceGetUuid() returns the UUID of the whole GPU, as Vulkan does.
    // cuDeviceGetUuid_v2() would return the UUID of the slice.
    CUDA_TRY(api, api.cuDeviceGetUuid(&uuid, device));
    if (std::memcmp(uuid.bytes, wanted.bytes, sizeof wanted.bytes) == 0) return index;
  }
  return Error{
      ErrorCode::Failed,
      fmt::format("CUDA does not support {}, which renders the video; try a different --hwdec.", name),
      fmt::format("none of the {} CUDA devices has the UUID of this GPU", count)};
}

}  // namespace

Result<media::BufferRef> make_cuda_device(const gpu::Device& device, const char* library) {
  TRY_ASSIGN(const std::shared_ptr<const cuda::Api> api, cuda::load(library));
  TRY_ASSIGN(const int index, find_device(*api, device_uuid(device), device.name()));
  AVBufferRef* made = nullptr;
  const int code =
      av_hwdevice_ctx_create(&made, AV_HWDEVICE_TYPE_CUDA, std::to_string(index).c_str(), nullptr, 0);
  if (code < 0)
    return media::av_failure(ErrorCode::Failed, "FFmpeg cannot use the CUDA driver; try a different --hwdec.",
                             code);
  return media::BufferRef(made);
}

}  // namespace glyphreel::interop
