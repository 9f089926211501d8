#include "interop/gpu_hw_device_provider.h"

#include <utility>

#include "interop/cuda/cuda_device.h"
#include "interop/drm/vaapi_device.h"
#include "interop/vulkan/vulkan_video_device.h"
#include "media/hwdec/hw_device_provider.h"
#include "media/hwdec/hw_decode_plan.h"

namespace glyphreel::interop {
namespace {

using media::BufferRef;
using media::HwDecodeApi;

/// Creates a device for each decoder that asks, since a lost device never recovers.
class GpuHwDeviceProvider final : public media::HwDeviceProvider {
 public:
  explicit GpuHwDeviceProvider(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  Result<BufferRef> device(HwDecodeApi decoder) override {
    switch (decoder) {
      case HwDecodeApi::Vaapi:
        return make_vaapi_device(*device_);
      case HwDecodeApi::Cuda:
        return make_cuda_device(*device_);
      case HwDecodeApi::Vulkan:
        break;
    }
    return make_vulkan_device(device_);
  }

  void adjust_frames(HwDecodeApi decoder, AVHWFramesContext& frames) override {
    if (decoder == HwDecodeApi::Vulkan) adjust_vulkan_frames(frames);
  }

 private:
  std::shared_ptr<gpu::Device> device_;
};

}  // namespace

std::vector<HardwareListing> list_hardware(std::shared_ptr<gpu::Device> device) {
  GpuHwDeviceProvider devices(std::move(device));
  std::vector<HardwareListing> listings;
  for (const HwDecodeApi decoder : media::HardwareOrder) {
    const Result<BufferRef> made = devices.device(decoder);
    listings.push_back({std::string(media::hardware_name(decoder)), made ? "" : made.error().message});
  }
  return listings;
}

media::HwDecodeContext make_hw_decode_context(std::shared_ptr<gpu::Device> device) {
  const bool is_software = device->is_software();
  return {std::make_shared<GpuHwDeviceProvider>(std::move(device)),
          is_software ? media::RenderedBy::Cpu : media::RenderedBy::Gpu};
}

}  // namespace glyphreel::interop
