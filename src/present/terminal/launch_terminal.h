#pragma once

#include <termios.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include "base/io/file_descriptor.h"
#include "base/mutex.h"
#include "present/terminal/terminal_guard.h"
#include "present/terminal/terminal_keys.h"

namespace glyphreel::present {

/// The program was suspended and continued: its clock must be reset.
struct ProgramContinued {};
using LaunchTerminalEvent = std::variant<TerminalKey, ProgramContinued>;

/// While a window shows the video, reads the keys that are typed in the terminal that the program was started
/// from. Reads them unbuffered and without echo, whenever the program is in the foreground of the terminal.
/// Restores the terminal's settings when the program ends, crashes or is suspended. Thread-safety: one
/// thread. The object reads keys on its own thread.
class LaunchTerminal {
 public:
  /// Starts reading. Calls `on_event` on the reading thread when there are events. Returns null if standard
  /// input is not a terminal, or if the thread cannot be started.
  [[nodiscard]] static std::unique_ptr<LaunchTerminal> open(std::function<void()> on_event);
  ~LaunchTerminal();
  LaunchTerminal(const LaunchTerminal&) = delete;
  LaunchTerminal& operator=(const LaunchTerminal&) = delete;

  /// Returns the events since the last call.
  [[nodiscard]] std::vector<LaunchTerminalEvent> take_events() EXCLUDES(mutex_);

 private:
  explicit LaunchTerminal(std::function<void()> on_event);
  void work(const std::stop_token& stop);
  void handle_signals();
  void enter();
  void leave();
  [[nodiscard]] bool read_keys();
  void wait();
  void add(LaunchTerminalEvent event) EXCLUDES(mutex_);

  const std::function<void()> on_event_;
  const FileDescriptor wake_;
  TerminalGuard guard_;

  // Used only by the reading thread:
  /// The settings to restore. Empty before the first enter(), and from a SIGTSTP until the next enter().
  std::optional<termios> before_;
  bool is_reading_ = false;
  TerminalKeys keys_;

  Mutex mutex_;
  std::vector<LaunchTerminalEvent> events_ GUARDED_BY(mutex_);
  std::jthread thread_;  // declared last, because it uses the other members
};

}  // namespace glyphreel::present
