#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/thread_annotations.h"

namespace glyphreel::present {

/// Keeps the screen on and the screen saver away while a film plays: by the desktop, over D-Bus
/// (org.freedesktop.ScreenSaver), and by the X server. The libraries of both are loaded when they are first
/// needed; where they are missing, or nobody answers, the screen saver does as it likes. Thread-safety: one
/// thread. Never blocks: a thread of its own waits for the answers.
class ScreenSaver {
 public:
  ScreenSaver() = default;
  ScreenSaver(const ScreenSaver&) = delete;
  ScreenSaver& operator=(const ScreenSaver&) = delete;

  /// Keeps it away from now on, or no longer. What was asked for ends with the object, and with the process.
  void keep_away(bool on);

 private:
  void work(const std::stop_token& stop);

  bool asked_ = false;  ///< by the caller's thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ GUARDED_BY(mutex_) = false;
  std::jthread worker_;  ///< none until it is first asked for
};

}  // namespace glyphreel::present
