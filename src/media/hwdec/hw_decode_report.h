#pragma once

#include <string>

#include "base/mutex.h"
#include "media/hwdec/hw_decode_choice.h"

namespace glyphreel::media {

/// A Source's hardware decoding status, kept across its decoders. Thread-safety: any thread.
class HwDecodeReport {
 public:
  void set_decoder(std::string name) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    use_.decoder = std::move(name);
  }
  /// Returns false if the same fallback was reported before.
  bool add_fallback(std::string from, std::string reason) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    for (const HwDecodeStatus::Fallback& told : use_.fallbacks) {
      if (told.from == from && told.reason == reason) return false;
    }
    use_.fallbacks.push_back({std::move(from), std::move(reason)});
    return true;
  }
  [[nodiscard]] HwDecodeStatus use() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return use_;
  }

 private:
  mutable Mutex mutex_;
  HwDecodeStatus use_ GUARDED_BY(mutex_);
};

}  // namespace glyphreel::media
