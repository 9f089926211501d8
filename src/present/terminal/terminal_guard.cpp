#include "present/terminal/terminal_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/result.h"

extern char** environ;

namespace glyphreel::present {
namespace {

constexpr std::array Fatal = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT, SIGQUIT};
constexpr std::array Told = {SIGTSTP, SIGCONT, SIGWINCH};
constexpr std::size_t AlternateStackBytes = 64 * 1024;  // a handler cannot run on the overflowed stack
constexpr int AnswerTries = 15;                         // 20 ms each
constexpr char Cancel = '\x18';                         // ends a truncated sequence

/// State for the signal handlers; written before `taken` is set, read only after `taken` was found set.
struct SavedTerminal {
  int output = -1;
  int input = -1;  ///< -1: no settings to restore
  termios before{};
  char leave[256]{};
  std::size_t leave_bytes = 0;
};
SavedTerminal loan;
std::atomic<bool> taken{false};
std::atomic<int> wake{-1};
std::atomic<int> questions{0};  ///< queries that the terminal has not answered
std::atomic<bool> stop_came{false};
std::atomic<bool> continue_came{false};
std::array<struct sigaction, Fatal.size()> before_fatal;
std::array<struct sigaction, Told.size()> before_told;

/// The guard process reads the terminal's settings from the program: a line each time the terminal is
/// taken, an empty line when it was given back. When the program is gone, the last line says what is left
/// to do.
constexpr const char* GuardScript =
    "trap '' HUP INT TERM QUIT; exec 3<&1; last=; while IFS= read -r line; do last=$line; done; [ -n "
    "\"$last\" ] || "
    "exit 0; "
    "printf '%b' \"$0\"; set -- $last; [ \"$(stty -g <&3)\" = \"$2\" ] && stty \"$1\" <&3";

void wake_waiter() {
  const int saved = errno;
  const std::uint64_t one = 1;
  if (const int descriptor = wake.load(); descriptor >= 0) [[maybe_unused]]
    const auto ignored = write(descriptor, &one, sizeof one);
  errno = saved;
}

/// Reads the answers that are on their way, or the shell would read them as typed input. Async-signal-safe.
void drop_answers() {
  int open = questions.load();
  for (int tries = 0; open > 0 && tries < AnswerTries; ++tries) {
    pollfd source{.fd = loan.input, .events = POLLIN, .revents = 0};
    char bytes[64];
    if (poll(&source, 1, 20) <= 0 || (source.revents & POLLIN) == 0) continue;
    const ssize_t count = read(loan.input, bytes, sizeof bytes);
    for (ssize_t i = 0; i < count; ++i) {
      if (bytes[i] == 'n') --open;  // the last letter of an answer
    }
  }
}

/// Restores the terminal. Async-signal-safe. Waits for one second at most if the line is stuck.
void give_back_now() {
  if (!taken.exchange(false)) return;
  const int saved = errno;
  if (loan.input >= 0) drop_answers();
  std::size_t done = 0;
  for (int tries = 0; done < loan.leave_bytes && tries < 10;) {
    const ssize_t count = write(loan.output, loan.leave + done, loan.leave_bytes - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      pollfd output{.fd = loan.output, .events = POLLOUT, .revents = 0};
      poll(&output, 1, 100);
      ++tries;
    } else if (errno != EINTR) {
      break;
    }
  }
  if (loan.input >= 0) {
    // Without blocking SIGTTOU, a background process would be stopped when it changes the settings.
    sigset_t mask;
    sigset_t old;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &mask, &old);
    tcsetattr(loan.input, TCSANOW, &loan.before);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }
  errno = saved;
}

extern "C" void on_fatal(int signal, siginfo_t* info, void*) {
  give_back_now();
  for (std::size_t i = 0; i < Fatal.size(); ++i) {
    if (Fatal[i] == signal) sigaction(signal, &before_fatal[i], nullptr);
  }
  // A fault recurs once this returns and then reaches the previous action; other signals are raised again.
  const bool fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  if (!fault || info == nullptr || info->si_code <= 0) raise(signal);
}

extern "C" void on_told(int signal) {
  if (signal == SIGTSTP) stop_came = true;
  if (signal == SIGCONT) continue_came = true;
  wake_waiter();
}

/// Formats settings as `stty -g` prints them and stty reads them back.
std::string stty_text(const termios& settings) {
  std::string text = fmt::format("{:x}:{:x}:{:x}:{:x}", settings.c_iflag, settings.c_oflag, settings.c_cflag,
                                 settings.c_lflag);
  for (const cc_t character : settings.c_cc) fmt::format_to(std::back_inserter(text), ":{:x}", character);
  return text;
}

/// Escapes bytes for printf's %b.
std::string octal_text(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes)
    fmt::format_to(std::back_inserter(text), "\\0{:03o}", static_cast<unsigned char>(byte));
  return text;
}

/// Starts the guard process. Returns its process ID, or -1 if there is no shell. Reopens the terminal for
/// it, so that its descriptor blocks.
int start_guard(int output, int pipe_end, const std::string& leave) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, pipe_end, 0);
  const std::string terminal = fmt::format("/proc/self/fd/{}", output);
  const int reopened = open(terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  posix_spawn_file_actions_adddup2(&files, reopened >= 0 ? reopened : output, 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
#endif
  // In its own session, it is reached neither by the terminal's keys nor by a kill of the whole job.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK));
  std::string name = "sh";
  std::string option = "-c";
  std::string script = GuardScript;
  std::string sequence = octal_text(std::string(1, Cancel) + leave);
  std::array<char*, 5> words = {name.data(), option.data(), script.data(), sequence.data(), nullptr};
  pid_t process = -1;
  if (posix_spawn(&process, "/bin/sh", &files, &attributes, words.data(), environ) != 0) process = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (reopened >= 0) close(reopened);
  return process;
}

/// Lets a stack overflow on this thread be handled. Never freed, since the thread may crash at any time.
void give_alternate_stack() {
  static std::vector<char> memory(AlternateStackBytes);
  stack_t now{};
  if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0) {
    const stack_t stack{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
    sigaltstack(&stack, nullptr);
  }
}

}  // namespace

TerminalGuard::TerminalGuard(const Options& options) {
  CHECK(options.leave.size() < sizeof loan.leave, "a longer sequence than the rescue holds");
  loan.output = options.output;
  loan.input = options.input.value_or(-1);
  loan.leave[0] = Cancel;
  std::copy(options.leave.begin(), options.leave.end(), loan.leave + 1);
  loan.leave_bytes = options.leave.size() + 1;
  wake = options.wake;
  stop_came = false;
  continue_came = false;

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == 0) {
    guard_process_ = start_guard(options.output, ends[0], options.leave);
    close(ends[0]);
    if (guard_process_ >= 0)
      guard_pipe_ = ends[1];
    else
      close(ends[1]);
  }

  give_alternate_stack();
  struct sigaction fatal = {};
  fatal.sa_sigaction = on_fatal;
  fatal.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&fatal.sa_mask);
  for (std::size_t i = 0; i < Fatal.size(); ++i) {
    sigaction(Fatal[i], nullptr, &before_fatal[i]);
    if (before_fatal[i].sa_handler != SIG_IGN) sigaction(Fatal[i], &fatal, nullptr);
  }
  struct sigaction told = {};
  told.sa_handler = on_told;
  told.sa_flags = SA_RESTART;
  sigemptyset(&told.sa_mask);
  for (std::size_t i = 0; i < Told.size(); ++i) {
    sigaction(Told[i], nullptr, &before_told[i]);
    // A shell without job control ignores SIGTSTP for its children and would never continue us.
    if (Told[i] != SIGTSTP || before_told[i].sa_handler != SIG_IGN) sigaction(Told[i], &told, nullptr);
  }
  set_interrupt_hooks({.asked = wake_waiter, .dying = give_back_now});
}

TerminalGuard::~TerminalGuard() {
  set_interrupt_hooks({});
  for (std::size_t i = 0; i < Told.size(); ++i) sigaction(Told[i], &before_told[i], nullptr);
  for (std::size_t i = 0; i < Fatal.size(); ++i) sigaction(Fatal[i], &before_fatal[i], nullptr);
  taken = false;
  wake = -1;
  if (guard_pipe_ >= 0) close(guard_pipe_);
  if (guard_process_ >= 0) {
    while (waitpid(guard_process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

void TerminalGuard::take(const std::optional<Settings>& settings) {
  if (settings)
    loan.before = settings->before;
  else
    loan.input = -1;
  questions = 0;
  taken = true;
  tell_guard(settings ? stty_text(settings->before) + ' ' + stty_text(settings->now) : "- -");
}

void TerminalGuard::set_pending_queries(int count) {
  questions = count;
}

void TerminalGuard::given_back() {
  taken = false;
  tell_guard("");
}

bool TerminalGuard::stop_asked() {
  return stop_came.exchange(false);
}

bool TerminalGuard::continued() {
  return continue_came.exchange(false);
}

void TerminalGuard::stop() {
  struct sigaction ours = {};
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  sigemptyset(&plain.sa_mask);
  sigaction(SIGTSTP, &plain, &ours);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &ours, nullptr);
  stop_came = false;
}

void TerminalGuard::tell_guard(const std::string& line) const {
  if (guard_pipe_ < 0) return;
  const std::string text = line + '\n';  // far below PIPE_BUF, so written whole or not at all
  [[maybe_unused]] const ssize_t ignored = write(guard_pipe_, text.data(), text.size());
}

}  // namespace glyphreel::present
