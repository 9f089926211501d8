#pragma once

#include <termios.h>

#include <optional>
#include <string_view>

namespace glyphreel::present {

/// Returns the settings with which a terminal sends each key at once, without echo. Ctrl-C and Ctrl-Z remain
/// signals.
[[nodiscard]] termios unbuffered(termios settings);

/// Restores a terminal if the program ends abnormally: by a second SIGINT or SIGTERM, a crash (SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL, SIGSYS), abort(), an uncaught exception, SIGQUIT, or exit() or quick_exit() while
/// armed. Also reports SIGTSTP, SIGCONT and SIGWINCH. After a fatal signal, the action that was set before
/// the guard was created also runs. Only one guard may exist at a time; arm() and disarm() may alternate any
/// number of times. Thread-safety: one thread.
class TerminalGuard {
 public:
  struct Options {
    int output = -1;  ///< descriptor of the terminal, blocking or non-blocking; unused without `leave`
    std::optional<int> input = {};  ///< descriptor of the terminal, if input is read from it
    /// Control sequences that restore the terminal, beginning with CAN, which ends a truncated sequence; may
    /// be empty. Must outlive the guard.
    std::string_view leave;
    int wake = -1;  ///< an eventfd, incremented when a signal arrives
  };
  explicit TerminalGuard(const Options& options);
  ~TerminalGuard();  ///< restores the signal actions, but not the terminal
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

  /// Arms the guard: from now on, an abnormal end sends Options::leave to the terminal and, if input is read
  /// from the terminal, restores these settings. Call before changing the terminal.
  void arm(const termios& settings);
  /// Sets how many queries the terminal has not answered. At an abnormal end, the guard reads and drops the
  /// answers.
  static void set_pending_queries(int count);
  /// Disarms the guard. Call after restoring the terminal.
  void disarm();

  /// Each of these two functions returns whether its signal has arrived since the function was last called.
  [[nodiscard]] static bool stop_asked();  ///< SIGTSTP
  [[nodiscard]] static bool continued();   ///< SIGCONT
  /// Stops the program as SIGTSTP does by default. Returns when the program is continued.
  static void stop();
};

}  // namespace glyphreel::present
