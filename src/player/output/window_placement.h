#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "present/window/window.h"

namespace glyphreel::player {

/// Position and size of the last window, in screen coordinates. Saved at exit and restored at the next start.
struct WindowPlacement {
  present::Window::Position position;
  /// Empty: the user did not resize the window, so the video determined its size.
  std::optional<Extent> size;
  bool operator==(const WindowPlacement&) const = default;
};

/// Parses "1280x720+40+60", or "+40+60" without a size. Returns empty if the text is invalid.
[[nodiscard]] std::optional<WindowPlacement> parse_window_placement(std::string_view text);
[[nodiscard]] std::string window_placement_text(const WindowPlacement& placement);

/// Returns `area`, moved and if necessary shrunk to lie within the screen that it overlaps most. Empty if no
/// screen overlaps `area`, for example because a screen was unplugged.
[[nodiscard]] std::optional<present::Window::Area> within_screens(
    present::Window::Area area, std::span<const present::Window::Area> screens);

/// Loads the window placement from state_folder(); empty if the file is missing or unreadable.
[[nodiscard]] std::optional<WindowPlacement> load_window_placement();
/// Saves the window placement in state_folder(). Best effort: a failure is only logged at debug level.
void save_window_placement(const WindowPlacement& placement);

}  // namespace glyphreel::player
