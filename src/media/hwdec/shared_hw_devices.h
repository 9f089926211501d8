#pragma once

#include <map>
#include <memory>

#include "base/mutex.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::media {

/// Shares each API's device between successive decoders, such as those of a playlist's inputs, because
/// creating a device is expensive: a CUDA context takes 150 ms and 300 MB. A device that may have failed is
/// not used again, since a lost device never recovers.
class SharedHwDevices final : public HwDeviceProvider {
 public:
  explicit SharedHwDevices(std::shared_ptr<HwDeviceProvider> source) : source_(std::move(source)) {}

  [[nodiscard]] Result<BufferRef> device(HwDecodeApi decoder) override EXCLUDES(mutex_);
  void discard(HwDecodeApi decoder) override EXCLUDES(mutex_);
  void adjust_frames(HwDecodeApi decoder, AVHWFramesContext& frames) override {
    source_->adjust_frames(decoder, frames);
  }
  void finish_frame(HwDecodeApi decoder, const AVFrame& frame) override {
    source_->finish_frame(decoder, frame);
  }

 private:
  const std::shared_ptr<HwDeviceProvider> source_;
  Mutex mutex_;
  std::map<HwDecodeApi, BufferRef> devices_ GUARDED_BY(mutex_);
};

}  // namespace glyphreel::media
