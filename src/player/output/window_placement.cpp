#include "player/output/window_placement.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/read_file.h"
#include "base/io/user_folders.h"

namespace glyphreel::player {
namespace {

using present::Window;

constexpr int MaxCoordinate = 1 << 16;  // X11 limits coordinates to 16 bits

bool is_plausible(const WindowPlacement& placement) {
  const auto coordinate = [](int value) { return value > -MaxCoordinate && value < MaxCoordinate; };
  const auto side = [](int value) { return value > 0 && value < MaxCoordinate; };
  return coordinate(placement.position.x) && coordinate(placement.position.y) &&
         (!placement.size || (side(placement.size->width) && side(placement.size->height)));
}

long long shared_pixels(const Window::Area& a, const Window::Area& b) {
  const long long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const long long height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(0LL, width) * std::max(0LL, height);
}

}  // namespace

std::optional<WindowPlacement> parse_window_placement(std::string_view text) {
  const std::string line(text.substr(0, text.find('\n')));
  WindowPlacement placement;
  Extent size;
  if (std::sscanf(line.c_str(), "%dx%d%d%d", &size.width, &size.height, &placement.position.x,
                  &placement.position.y) == 4) {
    placement.size = size;
  } else if (std::sscanf(line.c_str(), "%d%d", &placement.position.x, &placement.position.y) != 2) {
    return std::nullopt;
  }
  return is_plausible(placement) ? std::optional(placement) : std::nullopt;
}

std::string window_placement_text(const WindowPlacement& placement) {
  const std::string size =
      placement.size ? fmt::format("{}x{}", placement.size->width, placement.size->height) : "";
  return fmt::format("{}{:+}{:+}\n", size, placement.position.x, placement.position.y);
}

std::optional<Window::Area> within_screens(Window::Area area, std::span<const Window::Area> screens) {
  const auto screen =
      std::max_element(screens.begin(), screens.end(), [&](const Window::Area& a, const Window::Area& b) {
        return shared_pixels(a, area) < shared_pixels(b, area);
      });
  if (screen == screens.end() || shared_pixels(*screen, area) == 0) return std::nullopt;
  area.width = std::min(area.width, screen->width);
  area.height = std::min(area.height, screen->height);
  area.x = std::clamp(area.x, screen->x, screen->x + screen->width - area.width);
  area.y = std::clamp(area.y, screen->y, screen->y + screen->height - area.height);
  return area;
}

std::optional<WindowPlacement> load_window_placement() {
  const std::filesystem::path folder = state_folder();
  if (folder.empty()) return std::nullopt;
  const Result<std::string> text =
      read_file((folder / "window").string(),
                {.max_bytes = 4096, .explain = [](FileProblem) { return std::string(); }});
  if (!text) return std::nullopt;
  return parse_window_placement(*text);
}

void save_window_placement(const WindowPlacement& placement) {
  const std::filesystem::path folder = state_folder();
  if (folder.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  const Result<void> written =
      write_file({.path = (folder / "window").string(), .existing = AtomicFile::Existing::Replace},
                 window_placement_text(placement));
  if (!written) log::debug("The window's position could not be saved: {}", written.error().message);
}

}  // namespace glyphreel::player
