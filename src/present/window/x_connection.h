#pragma once

namespace glyphreel::present {

/// Keeps Xlib from calling exit() when the connection of `display` (an Xlib Display; may be null) is lost.
/// After a loss, Xlib's functions return without effect, and x_connection_is_lost() returns true.
/// Thread-safety: any thread.
void watch_x_connection(void* display);

/// Returns whether an Xlib call has found one of the watched connections lost. Thread-safety: any thread.
[[nodiscard]] bool x_connection_is_lost();

/// Asks the window manager to show a hidden window directly in fullscreen (`display`: an Xlib Display,
/// `window`: the window's ID). Showing the window first and then enlarging it would take twice as long.
void x_show_in_fullscreen(void* display, unsigned long window);

/// The timing of a video mode, as XRandR and X.Org's mode lines describe it.
struct ModeTiming {
  double pixels_per_second = 0;  ///< the dot clock
  int width = 0, height = 0;     ///< including blanking
  bool is_interlaced = false;    ///< each refresh shows half of the lines
  bool is_double_scan = false;   ///< each line is shown twice
};
/// Returns the interval between refreshes in seconds; 0 if the dot clock is unknown.
[[nodiscard]] double refresh_interval(const ModeTiming& timing);

/// Returns the exact interval between refreshes, in seconds, of the CRTC `crtc` (an RRCrtc of XRandR); 0 if
/// unknown. GLFW reports only whole rates: 60 for 59.94 Hz.
[[nodiscard]] double x_refresh_interval(void* display, unsigned long crtc);

}  // namespace glyphreel::present
