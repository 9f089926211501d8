#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "present/window.h"

namespace glyphreel::player {

/// What is remembered of the last window, in the screen's coordinates.
struct WindowMemory {
  present::Window::Position position;
  std::optional<Extent> size;  ///< that the user gave it; empty: it was as large as its film wanted
  bool operator==(const WindowMemory&) const = default;
};

/// "1280x720+40+60", or "+40+60" without a size. Empty where the text is none.
[[nodiscard]] std::optional<WindowMemory> parse_window_memory(std::string_view text);
[[nodiscard]] std::string window_memory_text(const WindowMemory& memory);

/// `area` moved, and where it must be made smaller, so that all of it lies within the screen that holds most
/// of it. Empty where no screen holds any of it: it has been unplugged.
[[nodiscard]] std::optional<present::Window::Area> within_screens(
    present::Window::Area area, std::span<const present::Window::Area> screens);

/// The file of state_folder(): empty where there is none, or it cannot be read.
[[nodiscard]] std::optional<WindowMemory> recall_window();
/// Writes it; where that fails, nothing is remembered.
void remember_window(const WindowMemory& memory);

}  // namespace glyphreel::player
