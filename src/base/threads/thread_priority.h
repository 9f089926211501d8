#pragma once

namespace glyphreel {

/// Raises the priority of this thread above other work, if the system permits it (a limit on nice values,
/// or root); otherwise changes nothing. For the few threads that need little time and must not be late,
/// such as audio.
void raise_thread_priority();

/// Lowers the priority of this thread, and of those that it starts from now on, below other work. For work
/// that is not urgent.
void lower_thread_priority();

}  // namespace glyphreel
