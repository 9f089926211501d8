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

/// A key was pressed or repeats, or a button of the mouse: mpv's name of it, for example "q", "L", "+",
/// "SPACE", "ESC", "Shift+RIGHT", "Ctrl++", "MBTN_LEFT", "MBTN_LEFT_DBL", "WHEEL_UP".
struct KeyPressed {
  std::string key;
};
/// The framebuffer has a new size, 0 x 0 while minimised.
struct Resized {
  Extent pixels;
};
/// What was drawn is gone or covered.
struct Exposed {};
struct CloseAsked {};
/// The mouse moved, or left the window.
struct MouseMoved {
  bool inside = true;
  double x = 0, y = 0;  ///< framebuffer pixels
};
/// The mouse's left button was released.
struct MouseLetGo {};
/// Files were dropped onto the window.
struct FilesDropped {
  std::vector<std::string> paths;
};
using WindowEvent =
    std::variant<KeyPressed, Resized, Exposed, CloseAsked, MouseMoved, MouseLetGo, FilesDropped>;

/// A window of the desktop, by GLFW.
/// Thread-safety: the main thread alone, but for wake().
class Window {
 public:
  enum class Api {
    Vulkan,  ///< for a VkSurfaceKHR
    OpenGl,  ///< with a context, current on this thread
  };

  /// Opens a hidden window. Errors: NoDevice where there is no display.
  [[nodiscard]] static Result<std::unique_ptr<Window>> open(const std::string& title, Api api);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Largest window that leaves the desktop's bars visible, in pixels.
  [[nodiscard]] Extent available_size() const;
  /// Device pixels per nominal pixel (HiDPI), at least 1.
  [[nodiscard]] double content_scale() const;

  /// Seconds from one refresh of the monitor that the window is on to the next; 0: unknown.
  [[nodiscard]] double refresh_interval() const;

  struct Position {
    int x = 0, y = 0;
    bool operator==(const Position&) const = default;
  };
  /// A part of the desktop, in the screen's coordinates, which are pixels or fewer.
  struct Area {
    int x = 0, y = 0, width = 0, height = 0;
    bool operator==(const Area&) const = default;
  };
  /// What each monitor offers to windows; the main one first.
  [[nodiscard]] static std::vector<Area> work_areas();
  /// Where the window stands, or where it will when it leaves fullscreen; empty while it is maximised or
  /// minimised.
  [[nodiscard]] std::optional<Area> area() const;

  /// Shows the window with a framebuffer of `size` pixels.
  void show(Extent size, std::optional<Position> position);
  /// Shows the window in this area.
  void show_in(const Area& area);

  [[nodiscard]] Extent framebuffer_size() const;
  void toggle_fullscreen();
  [[nodiscard]] bool is_fullscreen() const;
  void set_title(const std::string& title);

  /// Events since the last call; a pointer that has rested over the window for a second is hidden. Where
  /// there are none, waits for one for at most `timeout_seconds` (0: not at all).
  [[nodiscard]] std::vector<WindowEvent> wait_events(double timeout_seconds);
  /// Whether wait_events() found the display gone. Then call only wake(), and leak the window with what draws
  /// to it: their destructors would talk to the lost server.
  [[nodiscard]] static bool is_lost();
  /// Ends a wait_events() early. Any thread.
  static void wake();

  [[nodiscard]] static std::vector<std::string> vulkan_extensions();
  [[nodiscard]] Result<VkSurfaceKHR_T*> make_vulkan_surface(VkInstance_T* instance);
  /// OpenGl: shows what was drawn.
  void swap_buffers();
  /// Address of an OpenGL function, or null.
  [[nodiscard]] static void* gl_function(const char* name);

  struct State;  ///< GLFW's side of the window

 private:
  explicit Window(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::present
