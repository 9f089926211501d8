#pragma once

namespace glyphreel {

/// From now on SIGINT, SIGTERM and SIGHUP ask the program to stop in order instead of ending it; a SIGHUP
/// that the caller had ignored (nohup) stays so. A second SIGINT or SIGTERM ends it. Called once, before any
/// thread starts.
void install_interrupt_handler();

/// True once the user asked to stop. Cheap; any thread.
[[nodiscard]] bool interrupted();

/// What a signal does besides; null: nothing. Called in the handler, so async-signal-safe.
struct InterruptHooks {
  void (*asked)() = nullptr;  ///< the program is to stop: wakes who waits
  void (*dying)() = nullptr;  ///< the signal ends the program now
};
void set_interrupt_hooks(const InterruptHooks& hooks);

}  // namespace glyphreel
