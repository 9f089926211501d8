#pragma once

namespace glyphreel::present {

/// Where a connection to an X server breaks, Xlib calls exit(). From now on it does not for this one (an Xlib
/// Display; may be null): its calls return, doing nothing, and x_connection_is_lost(). No effect before
/// libX11 1.7. Any thread.
void watch_x_connection(void* display);

/// Whether one of the watched connections has broken, as far as calls have met that. Any thread.
[[nodiscard]] bool x_connection_is_lost();

}  // namespace glyphreel::present
