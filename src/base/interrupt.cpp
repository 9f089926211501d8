#include "base/interrupt.h"

#include <unistd.h>

#include <csignal>

#include <atomic>

namespace glyphreel {
namespace {

/// Set by let_work_finish(). If it is set, the first SIGINT sets is_asked but not stop_requested.
std::atomic<bool> is_patient{false};
std::atomic<bool> is_asked{false};
std::atomic<bool> stop_requested{false};
std::atomic<void (*)()> stop_hook{nullptr};
std::atomic<void (*)()> exit_hook{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<void (*)()>::is_always_lock_free,
              "a signal handler may use only lock-free atomics");

extern "C" void on_signal(int signal) {
  if (signal == SIGUSR1) {
    is_asked = true;
    return;
  }
  if (!is_asked.exchange(true) && is_patient.load() && signal == SIGINT) return;
  // A second SIGHUP must not end the program: when a terminal closes, the kernel and the shell both send it.
  if (stop_requested.exchange(true) && signal != SIGHUP) {
    if (void (*const hook)() = exit_hook.load()) hook();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  if (void (*const hook)() = stop_hook.load()) hook();
}

void handle(int signal) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void install_interrupt_handler() {
  handle(SIGINT);
  handle(SIGTERM);
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(SIGHUP);
  // A write to a closed pipe, or beyond the file size limit, should fail instead of ending the program.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void let_work_finish() {
  is_patient = true;
  handle(SIGUSR1);
}

void stop_after(unsigned seconds) {
  handle(SIGALRM);
  ::alarm(seconds);
}

bool stop_asked() {
  return is_asked.load(std::memory_order_relaxed);
}

bool interrupted() {
  return stop_requested.load(std::memory_order_relaxed);
}

void set_interrupt_hooks(const InterruptHooks& hooks) {
  stop_hook = hooks.on_stop;
  exit_hook = hooks.on_exit;
}

}  // namespace glyphreel
