#pragma once

namespace glyphreel::present {

/// Keeps Xlib from calling exit() when the connection of `display` (an Xlib Display; may be null) breaks.
/// Its calls then return without effect, and x_connection_is_lost() returns true. Thread-safety: any thread.
void watch_x_connection(void* display);

/// Returns whether one of the watched connections has broken and a call has noticed it. Thread-safety: any
/// thread.
[[nodiscard]] bool x_connection_is_lost();

}  // namespace glyphreel::present
