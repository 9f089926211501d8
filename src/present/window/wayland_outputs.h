#pragma once

#include <span>
#include <vector>

#include "base/geometry.h"

namespace glyphreel::present {

/// A monitor in its current mode, as a Wayland server describes it.
struct WaylandOutput {
  int x = 0, y = 0;    ///< position on the desktop, in the server's coordinates
  Extent pixels;       ///< size before rotation
  int millihertz = 0;  ///< the refresh rate in 1/1000 Hz; 0: unknown
};

/// Returns the monitors of the Wayland server; empty if the server cannot be reached. Uses a temporary
/// connection: outputs bound on GLFW's connection would appear in the events of GLFW's surface, and GLFW 3.3
/// crashes on an output that it did not bind. Blocks for two round trips.
[[nodiscard]] std::vector<WaylandOutput> wayland_outputs();

/// Returns the exact interval between refreshes, in seconds, of the monitor `shown`. `shown` is as GLFW
/// describes it, with a refresh rate rounded to whole Hz. Returns 0 if none of `outputs` matches `shown`, or
/// if outputs with different rates match equally well.
[[nodiscard]] double refresh_interval(std::span<const WaylandOutput> outputs, const WaylandOutput& shown);

}  // namespace glyphreel::present
