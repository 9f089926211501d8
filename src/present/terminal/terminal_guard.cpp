#include "present/terminal/terminal_guard.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/interrupt.h"

namespace glyphreel::present {
namespace {

constexpr std::array Signals = {SIGTSTP, SIGCONT, SIGWINCH, SIGSEGV, SIGBUS,
                                SIGFPE,  SIGILL,  SIGSYS,   SIGABRT, SIGQUIT};
constexpr std::size_t FirstFatal = 3;
constexpr std::size_t AlternateStackBytes = 64 * 1024;  // after a stack overflow, handlers need another stack
constexpr int AnswerTries = 15;                         // each waits for up to 20 ms

/// What the signal handlers need to restore the terminal. Written before `armed` is set; the handlers read it
/// only while `armed` is set.
struct SavedTerminal {
  int output = -1;
  int input = -1;  ///< -1: no settings to restore
  termios settings{};
  std::string_view leave;
};
SavedTerminal saved_terminal;
std::atomic<bool> armed{false};
std::atomic<int> wake{-1};
std::atomic<int> pending_queries{0};  ///< queries that the terminal has not answered
std::atomic<bool> stop_requested{false};
std::atomic<bool> was_continued{false};
std::array<struct sigaction, Signals.size()> previous_actions;

void wake_waiter() {
  const int saved = errno;
  const std::uint64_t one = 1;
  if (const int descriptor = wake.load(); descriptor >= 0) [[maybe_unused]]
    const auto ignored = write(descriptor, &one, sizeof one);
  errno = saved;
}

/// Reads the outstanding answers to queries, since the shell would otherwise read them as typed input.
/// Async-signal-safe.
void drop_answers() {
  int open = pending_queries.load();
  for (int tries = 0; open > 0 && tries < AnswerTries; ++tries) {
    pollfd source{.fd = saved_terminal.input, .events = POLLIN, .revents = 0};
    char bytes[64];
    if (poll(&source, 1, 20) <= 0 || (source.revents & POLLIN) == 0) continue;
    const ssize_t count = read(saved_terminal.input, bytes, sizeof bytes);
    for (ssize_t i = 0; i < count; ++i) {
      if (bytes[i] == 'n') --open;  // the last letter of an answer, CSI 0 n
    }
  }
}

/// Restores the terminal. Waits at most one second if the terminal accepts no bytes. Async-signal-safe.
void restore_now() {
  if (!armed.exchange(false)) return;
  const int saved = errno;
  if (saved_terminal.input >= 0) drop_answers();
  std::string_view rest = saved_terminal.leave;
  for (int tries = 0; !rest.empty() && tries < 10;) {
    const ssize_t count = write(saved_terminal.output, rest.data(), rest.size());
    if (count > 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd output{.fd = saved_terminal.output, .events = POLLOUT, .revents = 0};
      poll(&output, 1, 100);
      ++tries;
    } else if (errno != EINTR) {
      break;
    }
  }
  if (saved_terminal.input >= 0) {
    // Without blocking SIGTTOU, a background process would be stopped when it changes the settings.
    sigset_t mask;
    sigset_t old;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &mask, &old);
    tcsetattr(saved_terminal.input, TCSANOW, &saved_terminal.settings);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }
  errno = saved;
}

extern "C" void on_fatal(int signal, siginfo_t* info, void*) {
  restore_now();
  for (std::size_t i = FirstFatal; i < Signals.size(); ++i) {
    if (Signals[i] == signal) sigaction(signal, &previous_actions[i], nullptr);
  }
  // After this handler returns, the instruction that caused a hardware fault runs again and faults again,
  // which runs the previous action. Any other signal must be raised again to run the previous action. This
  // includes a SIGSEGV that a process sent.
  const bool fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  if (!fault || info == nullptr || info->si_code <= 0) raise(signal);
}

extern "C" void on_terminal_signal(int signal) {
  if (signal == SIGTSTP) stop_requested = true;
  if (signal == SIGCONT) was_continued = true;
  wake_waiter();
}

/// Gives this thread an alternate signal stack, so that handlers can run after a stack overflow. The stack is
/// never freed, since the thread may crash at any time.
void give_alternate_stack() {
  static std::vector<char> memory(AlternateStackBytes);
  stack_t now{};
  if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0) {
    const stack_t stack{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
    sigaltstack(&stack, nullptr);
  }
}

}  // namespace

termios unbuffered(termios settings) {
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  settings.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 0;
  return settings;
}

TerminalGuard::TerminalGuard(const Options& options) {
  // If a video output cannot be destroyed (VideoOutput::can_be_destroyed), its guard may leak; quick_exit()
  // then restores the terminal.
  [[maybe_unused]] static const bool restores_at_exit =
      std::atexit(restore_now) == 0 && std::at_quick_exit(restore_now) == 0;
  saved_terminal.output = options.output;
  saved_terminal.input = options.input.value_or(-1);
  saved_terminal.leave = options.leave;
  wake = options.wake;
  stop_requested = false;
  was_continued = false;

  give_alternate_stack();
  struct sigaction fatal = {};
  fatal.sa_sigaction = on_fatal;
  fatal.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&fatal.sa_mask);
  struct sigaction reported = {};
  reported.sa_handler = on_terminal_signal;
  reported.sa_flags = SA_RESTART;
  sigemptyset(&reported.sa_mask);
  for (std::size_t i = 0; i < Signals.size(); ++i) {
    sigaction(Signals[i], nullptr, &previous_actions[i]);
    // A shell without job control starts its children with SIGTSTP ignored, and would never continue a
    // stopped child, so an ignored SIGTSTP stays ignored.
    const bool may_stay_ignored = i >= FirstFatal || Signals[i] == SIGTSTP;
    if (may_stay_ignored && previous_actions[i].sa_handler == SIG_IGN) continue;
    sigaction(Signals[i], i >= FirstFatal ? &fatal : &reported, nullptr);
  }
  set_interrupt_hooks({.on_stop = wake_waiter, .on_exit = restore_now});
}

TerminalGuard::~TerminalGuard() {
  set_interrupt_hooks({});
  for (std::size_t i = 0; i < Signals.size(); ++i) sigaction(Signals[i], &previous_actions[i], nullptr);
  armed = false;
  wake = -1;
}

void TerminalGuard::arm(const termios& settings) {
  saved_terminal.settings = settings;
  pending_queries = 0;
  armed = true;
}

void TerminalGuard::set_pending_queries(int count) {
  pending_queries = count;
}

void TerminalGuard::disarm() {
  armed = false;
}

bool TerminalGuard::stop_asked() {
  return stop_requested.exchange(false);
}

bool TerminalGuard::continued() {
  return was_continued.exchange(false);
}

void TerminalGuard::stop() {
  struct sigaction ours = {};
  sigaction(SIGTSTP, nullptr, &ours);
  std::signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &ours, nullptr);
  stop_requested = false;
}

}  // namespace glyphreel::present
