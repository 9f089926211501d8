#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"

struct VkInstance_T;
struct VkSurfaceKHR_T;

namespace glyphreel::present {

/// A key press or repeat, or a mouse button or wheel step, with mpv's name, for example "q", "L", "+",
/// "SPACE", "ESC", "Shift+RIGHT", "Ctrl++", "MBTN_LEFT", "MBTN_LEFT_DBL", "WHEEL_UP".
struct KeyPressed {
  std::string key;
};
/// The framebuffer has a new size, 0 x 0 while minimized.
struct Resized {
  Extent pixels;
};
/// The window content is lost or was covered.
struct Exposed {};
struct CloseRequested {};
/// The mouse moved, or left the window.
struct MouseMoved {
  bool inside = true;
  double x = 0, y = 0;  ///< framebuffer pixels
};
/// The mouse's left button was released.
struct MouseReleased {};
/// Files were dropped onto the window.
struct FilesDropped {
  std::vector<std::string> paths;
};
using WindowEvent =
    std::variant<KeyPressed, Resized, Exposed, CloseRequested, MouseMoved, MouseReleased, FilesDropped>;

/// A desktop window for a VkSurfaceKHR, using GLFW.
/// Thread-safety: main thread only, except wake().
class Window {
 public:
  /// Opens a hidden window. Errors: NoDevice if there is no display.
  [[nodiscard]] static Result<std::unique_ptr<Window>> open(const std::string& title);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Returns the size in pixels of the largest window that leaves the desktop's panels visible.
  [[nodiscard]] Extent available_size() const;
  /// Returns the device pixels per nominal pixel (HiDPI), at least 1.
  [[nodiscard]] double content_scale() const;

  /// Returns the refresh interval in seconds of the monitor that the window is on; 0: unknown.
  [[nodiscard]] double refresh_interval() const;

  struct Position {
    int x = 0, y = 0;
    bool operator==(const Position&) const = default;
  };
  /// A part of the desktop in screen coordinates, whose unit is one or more pixels.
  struct Area {
    int x = 0, y = 0, width = 0, height = 0;
    bool operator==(const Area&) const = default;
  };
  /// Returns the area that each monitor offers to windows, the primary one first.
  [[nodiscard]] static std::vector<Area> work_areas();
  /// Returns where the window is, or where it will be when it leaves fullscreen; empty while it is
  /// maximized or minimized.
  [[nodiscard]] std::optional<Area> area() const;

  /// Shows the window with a framebuffer of `size` pixels.
  void show(Extent size, std::optional<Position> position);
  /// Shows the window in this area.
  void show_in(const Area& area);

  [[nodiscard]] Extent framebuffer_size() const;
  void toggle_fullscreen();
  [[nodiscard]] bool is_fullscreen() const;
  void set_title(const std::string& title);

  /// Returns the events since the last call. If there are none, waits for one, for at most
  /// `timeout_seconds` (0: does not wait). Hides a pointer that has rested over the window for a second.
  [[nodiscard]] std::vector<WindowEvent> wait_events(double timeout_seconds);
  /// Returns whether wait_events() found the display gone. Then call only wake(), and leak the window and
  /// everything that draws to it: their destructors would talk to the lost server.
  [[nodiscard]] static bool is_lost();
  /// Ends a wait_events() early. Thread-safety: any thread.
  static void wake();

  [[nodiscard]] static std::vector<std::string> vulkan_extensions();
  [[nodiscard]] Result<VkSurfaceKHR_T*> make_vulkan_surface(VkInstance_T* instance);

  struct State;  ///< GLFW's side of the window

 private:
  explicit Window(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::present
