#pragma once

namespace glyphreel {

/// Makes SIGINT, SIGTERM and SIGHUP request an orderly stop instead of ending the program. If SIGHUP is
/// ignored when this function is called, as under nohup, it remains ignored. A second SIGINT or SIGTERM ends
/// the program. Call once, before any thread starts.
void install_interrupt_handler();

/// Lets work in progress finish. From now on, the first SIGINT makes stop_asked() true, but does not request
/// a stop. SIGUSR1, which schedulers can send before a job's time limit, does the same. After either signal,
/// the next SIGINT requests the stop, and the SIGINT after that ends the program. SIGTERM and SIGHUP still
/// request the stop at once.
void let_work_finish();

/// Requests a stop, as SIGTERM would, after `seconds` seconds. A later call restarts the countdown.
void stop_after(unsigned seconds);

/// Returns true once SIGUSR1 has arrived or a stop has been requested, or after the first SIGINT: new work
/// should not begin. Thread-safety: any thread.
[[nodiscard]] bool stop_asked();

/// Returns true once a stop has been requested: running work should end. Cheap. Thread-safety: any thread.
[[nodiscard]] bool interrupted();

/// Additional actions on a signal; null: none. They are called in the signal handler, so they must be
/// async-signal-safe.
struct InterruptHooks {
  void (*on_stop)() = nullptr;  ///< called when a stop is requested; wakes waiting threads
  void (*on_exit)() = nullptr;  ///< called before a second SIGINT or SIGTERM ends the program
};
void set_interrupt_hooks(const InterruptHooks& hooks);

}  // namespace glyphreel
