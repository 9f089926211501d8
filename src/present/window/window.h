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

/// A key press or repeat, a mouse button press, or a wheel step, with mpv's name for it, for example "q",
/// "L", "+", "SPACE", "ESC", "Shift+RIGHT", "Ctrl++", "MBTN_LEFT", "MBTN_LEFT_DBL", "WHEEL_UP".
struct KeyPressed {
  std::string key;
};
/// The framebuffer has a new size; 0 x 0 while the window is minimized.
struct Resized {
  Extent pixels;
};
/// The window content was lost or covered, and must be redrawn.
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

/// A desktop window, created with GLFW. A window that is leaked keeps the connection to the display open.
/// Thread-safety: main thread only, except wake().
class Window {
 public:
  /// Makes open() about 10 ms faster on X11: Xlib then does not read its compose table. With this table, a
  /// user can type one character with several keys, such as "é" with a dead accent and "e". Changes the
  /// environment, so call it before threads start. No effect if the user has chosen a table (XCOMPOSEFILE).
  static void skip_compose_table();
  /// Opens a hidden window. Errors: NoDevice if there is no display.
  [[nodiscard]] static Result<std::unique_ptr<Window>> open(const std::string& title);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Returns the size of the primary monitor without the desktop's panels, in pixels; 1280 x 720 if unknown.
  [[nodiscard]] Extent available_size() const;
  /// Returns the size, in pixels, of the monitor that a hidden window will probably be shown on; 1280 x 720
  /// if unknown.
  [[nodiscard]] Extent screen_size() const;
  /// Returns the number of device pixels per nominal pixel (HiDPI), at least 1.
  [[nodiscard]] double content_scale() const;

  /// Returns the refresh interval, in seconds, of the monitor that shows the window; 0 if unknown.
  [[nodiscard]] double refresh_interval() const;

  struct Position {
    int x = 0, y = 0;
    bool operator==(const Position&) const = default;
  };
  /// A rectangle of the desktop in screen coordinates; one unit is one or more pixels.
  struct Area {
    int x = 0, y = 0, width = 0, height = 0;
    bool operator==(const Area&) const = default;
  };
  /// Returns the usable area of each monitor, without panels; the primary monitor first.
  [[nodiscard]] static std::vector<Area> work_areas();
  /// Returns the area of the window. In fullscreen, returns the area to which the window will return. Empty
  /// while the window is maximized or minimized.
  [[nodiscard]] std::optional<Area> area() const;

  /// Makes show() and show_in() show the window in fullscreen, on the monitor where it would otherwise be.
  /// That is faster than toggle_fullscreen() afterwards, because the window manager places the window once.
  void start_in_fullscreen();
  /// Shows the window with a framebuffer of `size` pixels; empty `position`: the window system chooses one.
  void show(Extent size, std::optional<Position> position);
  /// Shows the window in this area.
  void show_in(const Area& area);
  /// Leaves fullscreen and hides the window. Does not wait for the drivers that draw to the window.
  void hide();

  [[nodiscard]] Extent framebuffer_size() const;
  void toggle_fullscreen();
  [[nodiscard]] bool is_fullscreen() const;
  void set_title(const std::string& title);
  /// Replaces the content of the desktop's clipboard. The content is lost when the window closes, unless a
  /// clipboard manager runs.
  void copy_to_clipboard(const std::string& text);

  /// Returns the events since the last call. If there are none, waits up to `timeout_seconds` for an event
  /// (0: does not wait). Hides a pointer that has rested over the window for a second.
  [[nodiscard]] std::vector<WindowEvent> wait_events(double timeout_seconds);
  /// Returns whether the connection to the display was lost. If so, call only wake(), and leak the window and
  /// everything that draws to it: their destructors would use the lost connection.
  [[nodiscard]] static bool is_lost();
  /// Makes the current or the next wait_events() return early. Thread-safety: any thread.
  static void wake();

  [[nodiscard]] static std::vector<std::string> vulkan_extensions();
  [[nodiscard]] Result<VkSurfaceKHR_T*> make_vulkan_surface(VkInstance_T* instance);

  /// Returns the X11 window's ID; 0 on other window systems.
  [[nodiscard]] unsigned long x_id() const;

  struct State;  ///< GLFW's window and the state of its callbacks

 private:
  explicit Window(std::unique_ptr<State> state);
  void map(std::optional<Position> position);

  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::present
