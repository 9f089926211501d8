#include "import/gpu_hardware_devices.h"

#include <utility>

#include "import/cuda_device.h"
#include "import/vaapi_device.h"
#include "import/vulkan_video_device.h"
#include "media/hardware_devices.h"
#include "media/hardware_plan.h"

namespace glyphreel::importer {
namespace {

using media::BufferRef;
using media::HardwareDecoder;

/// A device for each decoder that asks: one that was lost does not come back.
class GpuHardwareDevices final : public media::HardwareDevices {
 public:
  explicit GpuHardwareDevices(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}

  Result<BufferRef> device(HardwareDecoder decoder) override {
    switch (decoder) {
      case HardwareDecoder::Vaapi:
        return make_vaapi_device(*device_);
      case HardwareDecoder::Cuda:
        return make_cuda_device(*device_);
      case HardwareDecoder::Vulkan:
        break;
    }
    return make_vulkan_device(device_);
  }

  void adjust_frames(HardwareDecoder decoder, AVHWFramesContext& frames) override {
    if (decoder == HardwareDecoder::Vulkan) adjust_vulkan_frames(frames);
  }

 private:
  std::shared_ptr<gpu::Device> device_;
};

}  // namespace

std::vector<HardwareListing> list_hardware(std::shared_ptr<gpu::Device> device) {
  GpuHardwareDevices devices(std::move(device));
  std::vector<HardwareListing> listings;
  for (const HardwareDecoder decoder : media::HardwareOrder) {
    const Result<BufferRef> made = devices.device(decoder);
    listings.push_back({std::string(media::hardware_name(decoder)), made ? "" : made.error().message});
  }
  return listings;
}

media::HardwareOffer offer_hardware(std::shared_ptr<gpu::Device> device) {
  const bool is_software = device->is_software();
  return {std::make_shared<GpuHardwareDevices>(std::move(device)),
          is_software ? media::DrawnBy::Processor : media::DrawnBy::Gpu};
}

}  // namespace glyphreel::importer
