#pragma once

#include <stop_token>
#include <thread>

#include "base/mutex.h"

namespace glyphreel::present {

/// Inhibits the screen saver and monitor power saving while a video plays: through the desktop over D-Bus
/// (org.freedesktop.ScreenSaver) and through the X server. Does nothing if neither responds. set_inhibited()
/// does not block, because another thread waits for the replies. The destructor waits until a request in
/// progress is answered; a request to the desktop times out after 0.5 s. Thread-safety: one thread.
class ScreenSaver {
 public:
  /// Inhibits the screen saver, or allows it again. The inhibition also ends when this object is destroyed or
  /// the process ends.
  void set_inhibited(bool on);

 private:
  void work(const std::stop_token& stop);

  Mutex mutex_;
  ConditionVariable changed_;
  bool wanted_ GUARDED_BY(mutex_) = false;
  std::jthread worker_;  ///< started on first use
};

}  // namespace glyphreel::present
