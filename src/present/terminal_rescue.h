#pragma once

#include <termios.h>

#include <optional>
#include <string>

namespace glyphreel::present {

/// Gives a terminal back whatever ends the program: signals that ask it to stop twice, crashes (SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL, SIGSYS), abort() and so uncaught exceptions, SIGQUIT; and by a small process of
/// its own that outlives it, SIGKILL. Also tells of signals about the terminal. What a signal did before
/// happens after it. One at a time. Thread-safety: one thread; take and give as often as wanted.
class TerminalRescue {
 public:
  struct Options {
    int output = -1;                ///< the terminal, non-blocking or not
    std::optional<int> input = {};  ///< the terminal, where it is read
    std::string leave;              ///< the escape sequences that bring it back, below 256 bytes
    int wake = -1;                  ///< an eventfd, added to when a signal came
  };
  explicit TerminalRescue(const Options& options);
  ~TerminalRescue();  ///< signals are again as they were; gives nothing back
  TerminalRescue(const TerminalRescue&) = delete;
  TerminalRescue& operator=(const TerminalRescue&) = delete;

  struct Settings {
    termios before{};  ///< to bring back
    termios now{};     ///< as the program makes them
  };
  /// From now on the terminal is to be given back, with settings where it is read. Called before it is
  /// changed.
  void take(const std::optional<Settings>& settings);
  /// How many answers of the terminal are on their way: a death takes them off the line.
  static void note_open_questions(int count);
  /// It has been given back, in order.
  void given_back();

  /// Whether the signal came since the last call.
  [[nodiscard]] static bool stop_asked();  ///< SIGTSTP
  [[nodiscard]] static bool continued();   ///< SIGCONT
  /// Stops the program as SIGTSTP does, until it is continued.
  static void stop();

 private:
  void tell_guard(const std::string& line) const;

  int guard_pipe_ = -1;
  int guard_process_ = -1;
};

}  // namespace glyphreel::present
