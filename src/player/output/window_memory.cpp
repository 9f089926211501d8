#include "player/output/window_memory.h"

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

constexpr int MaxCoordinate = 1 << 16;  // X11's

bool is_plausible(const WindowMemory& memory) {
  const auto coordinate = [](int value) { return value > -MaxCoordinate && value < MaxCoordinate; };
  const auto side = [](int value) { return value > 0 && value < MaxCoordinate; };
  return coordinate(memory.position.x) && coordinate(memory.position.y) &&
         (!memory.size || (side(memory.size->width) && side(memory.size->height)));
}

long long shared_pixels(const Window::Area& a, const Window::Area& b) {
  const long long width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const long long height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(0LL, width) * std::max(0LL, height);
}

}  // namespace

std::optional<WindowMemory> parse_window_memory(std::string_view text) {
  const std::string line(text.substr(0, text.find('\n')));
  WindowMemory memory;
  Extent size;
  if (std::sscanf(line.c_str(), "%dx%d%d%d", &size.width, &size.height, &memory.position.x,
                  &memory.position.y) == 4) {
    memory.size = size;
  } else if (std::sscanf(line.c_str(), "%d%d", &memory.position.x, &memory.position.y) != 2) {
    return std::nullopt;
  }
  return is_plausible(memory) ? std::optional(memory) : std::nullopt;
}

std::string window_memory_text(const WindowMemory& memory) {
  const std::string size = memory.size ? fmt::format("{}x{}", memory.size->width, memory.size->height) : "";
  return fmt::format("{}{:+}{:+}\n", size, memory.position.x, memory.position.y);
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

std::optional<WindowMemory> load_window_memory() {
  const std::filesystem::path folder = state_folder();
  if (folder.empty()) return std::nullopt;
  const Result<std::string> text =
      read_file((folder / "window").string(),
                {.max_bytes = 4096, .explain = [](FileProblem) { return std::string(); }});
  if (!text) return std::nullopt;
  return parse_window_memory(*text);
}

void save_window_memory(const WindowMemory& memory) {
  const std::filesystem::path folder = state_folder();
  if (folder.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  const Result<void> written =
      write_file({.path = (folder / "window").string(), .existing = AtomicFile::Existing::Replace},
                 window_memory_text(memory));
  if (!written) log::debug("The window's position could not be saved: {}", written.error().message);
}

}  // namespace glyphreel::player
