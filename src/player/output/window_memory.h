#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "present/window/window.h"

namespace glyphreel::player {

/// What is remembered of the last window, in screen coordinates.
struct WindowMemory {
  present::Window::Position position;
  std::optional<Extent> size;  ///< set by the user; empty: the window was as large as its video asked for
  bool operator==(const WindowMemory&) const = default;
};

/// Parses "1280x720+40+60", or "+40+60" without a size. Empty if the text is neither.
[[nodiscard]] std::optional<WindowMemory> parse_window_memory(std::string_view text);
[[nodiscard]] std::string window_memory_text(const WindowMemory& memory);

/// Returns `area` moved, and shrunk if necessary, so that all of it lies within the screen that holds most
/// of it. Empty if no screen holds any of it: it was unplugged.
[[nodiscard]] std::optional<present::Window::Area> within_screens(
    present::Window::Area area, std::span<const present::Window::Area> screens);

/// Reads the memory from state_folder(); empty if there is no file, or it cannot be read.
[[nodiscard]] std::optional<WindowMemory> load_window_memory();
/// Writes the memory there; if that fails, nothing is remembered.
void save_window_memory(const WindowMemory& memory);

}  // namespace glyphreel::player
