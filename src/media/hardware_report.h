#pragma once

#include <mutex>
#include <string>

#include "base/thread_annotations.h"
#include "media/source.h"

namespace glyphreel::media {

/// What a Source tells of hardware decoding, from one of its decoders to the next. Thread-safety: any thread.
class HardwareReport {
 public:
  void set_decoder(std::string name) EXCLUDES(mutex_) {
    const std::lock_guard lock(mutex_);
    use_.decoder = std::move(name);
  }
  /// False: the same was told before.
  bool add_fallback(std::string from, std::string reason) EXCLUDES(mutex_) {
    const std::lock_guard lock(mutex_);
    for (const HardwareUse::Fallback& told : use_.fallbacks) {
      if (told.from == from && told.reason == reason) return false;
    }
    use_.fallbacks.push_back({std::move(from), std::move(reason)});
    return true;
  }
  [[nodiscard]] HardwareUse use() const EXCLUDES(mutex_) {
    const std::lock_guard lock(mutex_);
    return use_;
  }

 private:
  mutable std::mutex mutex_;
  HardwareUse use_ GUARDED_BY(mutex_);
};

}  // namespace glyphreel::media
