#include "media/hwdec/shared_hw_devices.h"

#include <utility>

namespace glyphreel::media {

Result<BufferRef> SharedHwDevices::device(HwDecodeApi decoder) {
  const MutexLock lock(mutex_);
  BufferRef& device = devices_[decoder];
  if (!device) {
    TRY_ASSIGN(device, source_->device(decoder));
  }
  return BufferRef(checked(av_buffer_ref(device.get())));
}

void SharedHwDevices::discard(HwDecodeApi decoder) {
  BufferRef discarded;  // declared before `lock`, so that it is destroyed after `lock` is released
  const MutexLock lock(mutex_);
  discarded = std::exchange(devices_[decoder], nullptr);
}

}  // namespace glyphreel::media
