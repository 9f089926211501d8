#pragma once

namespace glyphreel {

/// From now on SIGINT and SIGTERM ask the program to stop in order instead of ending it. A second signal ends it.
/// Called once, before any thread starts.
void install_interrupt_handler();

/// True once the user asked to stop. Cheap; any thread.
[[nodiscard]] bool interrupted();

}  // namespace glyphreel
