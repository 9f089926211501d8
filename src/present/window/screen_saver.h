#pragma once

#include <stop_token>
#include <thread>

#include "base/mutex.h"

namespace glyphreel::present {

/// Keeps the screen on and the screen saver off while a video plays: through the desktop, over D-Bus
/// (org.freedesktop.ScreenSaver), and through the X server. Where neither answers, the screen saver behaves
/// as usual. Never blocks: its own thread waits for the answers. Thread-safety: one thread.
class ScreenSaver {
 public:
  /// Starts or stops keeping the screen saver off. Its effect ends with the object, and with the process.
  void set_inhibited(bool on);

 private:
  void work(const std::stop_token& stop);

  Mutex mutex_;
  ConditionVariable changed_;
  bool wanted_ GUARDED_BY(mutex_) = false;
  std::jthread worker_;  ///< started on first use
};

}  // namespace glyphreel::present
