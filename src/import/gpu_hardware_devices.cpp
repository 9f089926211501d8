#include "import/gpu_hardware_devices.h"

#include <utility>

#include "media/hardware_devices.h"

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
        return cannot("VAAPI");
      case HardwareDecoder::Cuda:
        return cannot("CUDA");
      case HardwareDecoder::Vulkan:
        break;
    }
    return cannot("Vulkan Video");
  }

  void adjust_frames(HardwareDecoder, AVHWFramesContext&) override {}

 private:
  static Error cannot(const char* what) {
    return {ErrorCode::Failed, std::string("This build cannot bring frames of ") + what + " to the GPU.", {}};
  }

  std::shared_ptr<gpu::Device> device_;
};

}  // namespace

media::HardwareOffer offer_hardware(std::shared_ptr<gpu::Device> device) {
  const bool is_software = device->is_software();
  return {std::make_shared<GpuHardwareDevices>(std::move(device)),
          is_software ? media::DrawnBy::Processor : media::DrawnBy::Gpu};
}

}  // namespace glyphreel::importer
