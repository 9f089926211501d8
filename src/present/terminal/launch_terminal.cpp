#include "present/terminal/launch_terminal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "base/interrupt.h"
#include "base/threads/thread.h"

namespace glyphreel::present {
namespace {

constexpr int Forever = -1;
// While the program is in the background, it checks at this interval whether the shell has moved it to the
// foreground, because the shell sends a signal only to a stopped program.
constexpr int BackgroundCheckMs = 1000;

/// Whether the program may read from the terminal. The system stops a background process that reads from it.
bool is_in_foreground() {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

}  // namespace

std::unique_ptr<LaunchTerminal> LaunchTerminal::open(std::function<void()> on_event) {
  if (isatty(STDIN_FILENO) == 0) return nullptr;
  std::unique_ptr<LaunchTerminal> terminal(new LaunchTerminal(std::move(on_event)));
  Result<std::jthread> thread =
      start_thread("typed keys", [self = terminal.get()](const std::stop_token& stop) { self->work(stop); });
  if (!thread) return nullptr;  // the window's own keys still work
  terminal->thread_ = *std::move(thread);
  return terminal;
}

LaunchTerminal::LaunchTerminal(std::function<void()> on_event)
    : on_event_(std::move(on_event)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      guard_({.input = STDIN_FILENO, .leave = {}, .wake = wake_.number()}) {}

LaunchTerminal::~LaunchTerminal() {
  thread_.request_stop();
  eventfd_write(wake_.number(), 1);
}

std::vector<LaunchTerminalEvent> LaunchTerminal::take_events() {
  const MutexLock lock(mutex_);
  return std::exchange(events_, {});
}

void LaunchTerminal::add(LaunchTerminalEvent event) {
  {
    const MutexLock lock(mutex_);
    events_.push_back(std::move(event));
  }
  on_event_();
}

void LaunchTerminal::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    handle_signals();
    if (!is_reading_ && is_in_foreground()) enter();
    if (is_reading_ && !read_keys()) break;
    wait();
  }
  leave();
}

void LaunchTerminal::handle_signals() {
  if (interrupted()) on_event_();
  const bool stops = TerminalGuard::stop_asked();
  if (stops) {
    leave();
    TerminalGuard::stop();
    before_.reset();  // the user may change the settings meanwhile
  }
  if (!TerminalGuard::continued() && !stops) return;
  // SIGSTOP suspends the program without leave(). The shell has then restored its own settings.
  if (std::exchange(is_reading_, false)) guard_.disarm();
  add(ProgramContinued{});
}

void LaunchTerminal::enter() {
  if (!before_) {
    termios now{};
    if (tcgetattr(STDIN_FILENO, &now) != 0) return;
    before_ = now;
  }
  guard_.arm(*before_);
  const termios settings = unbuffered(*before_);
  tcsetattr(STDIN_FILENO, TCSANOW, &settings);
  is_reading_ = true;
}

/// Restores the terminal's settings if the program is in the foreground. While the program is in the
/// background, the terminal has the shell's settings, which must not be changed.
void LaunchTerminal::leave() {
  if (!std::exchange(is_reading_, false)) return;
  if (is_in_foreground()) tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
  guard_.disarm();
}

/// Reads what has been typed. Returns false if the terminal is gone.
bool LaunchTerminal::read_keys() {
  std::vector<TerminalInput> inputs;
  pollfd source{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&source, 1, 0) > 0) {
    char buffer[512];
    const ssize_t count = (source.revents & POLLIN) != 0 ? read(STDIN_FILENO, buffer, sizeof buffer) : 0;
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return (source.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
    keys_.feed(std::string_view(buffer, static_cast<std::size_t>(count)), inputs);
  } else if (keys_.pending()) {
    keys_.time_out(inputs);
  }
  for (TerminalInput& input : inputs) {
    if (auto* key = std::get_if<TerminalKey>(&input)) add(std::move(*key));
  }
  return true;
}

/// Waits for a key, a signal, or a request to stop the thread. The wait has a time limit while a key is
/// incomplete or the program is in the background.
void LaunchTerminal::wait() {
  pollfd sources[2] = {{.fd = wake_.number(), .events = POLLIN, .revents = 0},
                       {.fd = is_reading_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}};
  const int key_ms = static_cast<int>(std::ceil(keys_.timeout_seconds() * 1000));
  const int timeout = !is_reading_ ? BackgroundCheckMs : keys_.pending() ? key_ms : Forever;
  poll(sources, 2, timeout);
  eventfd_t ignored = 0;
  eventfd_read(wake_.number(), &ignored);
}

}  // namespace glyphreel::present
