#pragma once

#include <termios.h>

#include <optional>
#include <string_view>

namespace glyphreel::present {

/// Restores a terminal however the program ends: by a second signal that asks it to stop, a crash (SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL, SIGSYS), abort() and hence an uncaught exception, or SIGQUIT. Also reports signals
/// about the terminal. The previous action of a signal runs after the guard's. Only one guard may exist at a
/// time; arm() and disarm() may alternate any number of times. Thread-safety: one thread.
class TerminalGuard {
 public:
  struct Options {
    int output = -1;                ///< the terminal, non-blocking or not
    std::optional<int> input = {};  ///< the terminal, if input is read from it
    /// The control sequences that restore it, beginning with CAN, which ends a truncated sequence; static.
    std::string_view leave;
    int wake = -1;  ///< an eventfd, incremented when a signal arrives
  };
  explicit TerminalGuard(const Options& options);
  ~TerminalGuard();  ///< restores the signal actions, but not the terminal
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

  /// Arms the guard: from now on the terminal has to be restored, including its `settings` if input is read
  /// from it. Call before changing the terminal.
  void arm(const termios& settings);
  /// Sets how many answers of the terminal are outstanding; if the program dies, they are read and dropped.
  static void set_pending_queries(int count);
  /// Disarms the guard: the terminal was restored in the normal way.
  void disarm();

  /// Returns whether the signal arrived since the last call.
  [[nodiscard]] static bool stop_asked();  ///< SIGTSTP
  [[nodiscard]] static bool continued();   ///< SIGCONT
  /// Stops the program as SIGTSTP does, until it is continued.
  static void stop();
};

}  // namespace glyphreel::present
