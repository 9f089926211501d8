#include "interop/gpu_hw_device_provider.h"

#include <array>
#include <utility>

#include "base/hw_decode_api.h"
#include "interop/cuda/cuda_device.h"
#include "interop/cuda/cuda_import.h"
#include "interop/drm/drm_import.h"
#include "interop/drm/vaapi_device.h"
#include "interop/drm/vaapi_import.h"
#include "interop/vulkan/vulkan_import.h"
#include "interop/vulkan/vulkan_video_device.h"
#include "media/hwdec/hw_device_provider.h"
#include "media/hwdec/shared_hw_devices.h"

namespace glyphreel::interop {
namespace {

using media::BufferRef;
using DevicePtr = std::shared_ptr<gpu::Device>;

/// The functions that connect an API's decoders to the GPU that renders.
struct ApiInterop {
  HwDecodeApi api;
  /// Creates FFmpeg's device on the GPU that renders. See HwDeviceProvider::device().
  Result<BufferRef> (*make_device)(const DevicePtr& device);
  /// Creates the SurfaceImport for the API's frames; returns null if the GPU cannot import them. The function
  /// pointer itself is null if the API's frames are DRM PRIME frames, which DrmImport imports.
  std::unique_ptr<SurfaceImport> (*make_import)(const DevicePtr& device);
  /// See HwDeviceProvider::adjust_frames(). Null: frames need no adjustment.
  void (*adjust_frames)(const gpu::Device& device, AVHWFramesContext& frames) = nullptr;
  /// See HwDeviceProvider::finish_frame(). Null: the GPU, not the CPU, waits until frames are decoded.
  void (*finish_frame)(const AVFrame& frame) = nullptr;
};

template <typename Import>
std::unique_ptr<SurfaceImport> make_import(const DevicePtr& device) {
  if constexpr (requires { Import::make(device); }) {
    return Import::make(device);
  } else {
    return std::make_unique<Import>(device);
  }
}

constexpr auto ApiInterops = std::to_array<ApiInterop>({
    {.api = HwDecodeApi::Vaapi,
     .make_device = [](const DevicePtr& device) { return make_vaapi_device(*device); },
     .make_import = make_import<VaapiImport>,
     .adjust_frames = adjust_vaapi_frames,
     .finish_frame = finish_vaapi_frame},
    {.api = HwDecodeApi::Cuda,
     .make_device = [](const DevicePtr& device) { return make_cuda_device(*device); },
     .make_import = make_import<CudaImport>},
    {.api = HwDecodeApi::Vulkan,
     .make_device = [](const DevicePtr& device) { return make_vulkan_device(device); },
     .make_import = make_import<VulkanImport>,
     .adjust_frames = [](const gpu::Device&, AVHWFramesContext& frames) { adjust_vulkan_frames(frames); }},
});
static_assert(has_every_api(ApiInterops));

const ApiInterop& interop_of(HwDecodeApi api) {
  return *std::ranges::find(ApiInterops, api, &ApiInterop::api);
}

/// Creates a new device at each call of device().
class GpuHwDeviceProvider final : public media::HwDeviceProvider {
 public:
  explicit GpuHwDeviceProvider(DevicePtr device) : device_(std::move(device)) {}

  Result<BufferRef> device(HwDecodeApi decoder) override { return interop_of(decoder).make_device(device_); }

  void adjust_frames(HwDecodeApi decoder, AVHWFramesContext& frames) override {
    if (const auto adjust = interop_of(decoder).adjust_frames) adjust(*device_, frames);
  }

  void finish_frame(HwDecodeApi decoder, const AVFrame& frame) override {
    if (const auto finish = interop_of(decoder).finish_frame) finish(frame);
  }

 private:
  DevicePtr device_;
};

}  // namespace

std::vector<std::unique_ptr<SurfaceImport>> make_surface_imports(const DevicePtr& device) {
  std::vector<std::unique_ptr<SurfaceImport>> imports;
  for (const ApiInterop& api : ApiInterops) {
    if (api.make_import == nullptr) continue;
    if (auto made = api.make_import(device)) imports.push_back(std::move(made));
  }
  if (auto drm = DrmImport::make(device)) imports.push_back(std::move(drm));
  return imports;
}

std::vector<HardwareListing> list_hardware(DevicePtr device) {
  GpuHwDeviceProvider devices(std::move(device));
  std::vector<HardwareListing> listings;
  for (const HwDecodeApiSpec& spec : HwDecodeApis) {
    const Result<BufferRef> made = devices.device(spec.api);
    listings.push_back({std::string(spec.name), made ? "" : made.error().message});
  }
  return listings;
}

media::HwDecodeContext make_hw_decode_context(DevicePtr device) {
  const bool is_software = device->is_software();
  auto devices = std::make_shared<GpuHwDeviceProvider>(std::move(device));
  return {std::make_shared<media::SharedHwDevices>(std::move(devices)),
          is_software ? media::RenderedBy::Cpu : media::RenderedBy::Gpu};
}

}  // namespace glyphreel::interop
