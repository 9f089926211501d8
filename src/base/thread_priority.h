#pragma once

namespace glyphreel {

/// Lets this thread run before those of other work, where the system grants that (a limit on nice values, or
/// root): for the few that take little time and must not be late, such as sound's. Else nothing changes.
void prefer_this_thread();

/// Lets this thread, and those that it starts from now on, run after those of other work: for what may take
/// its time.
void put_back_this_thread();

}  // namespace glyphreel
