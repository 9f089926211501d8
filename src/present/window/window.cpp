#include "present/window/window.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <vulkan/vulkan.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/io/log.h"
#include "present/window/wayland_outputs.h"
#include "present/window/x_connection.h"
#include "text/code_points/unicode.h"

namespace glyphreel::present {

struct Window::State {
  GLFWwindow* window = nullptr;
  std::vector<WindowEvent> events;
  double last_press_seconds = 0;    ///< time of the left button's last press, to detect double clicks
  double wheel_x = 0, wheel_y = 0;  ///< partial notches from touchpads and high-resolution wheels
  Extent pixels;                    ///< framebuffer size at the last query
  GLFWcursor* transparent_cursor = nullptr;  ///< null before the pointer is hidden for the first time
  bool pointer_inside = false, pointer_hidden = false;
  double pointer_seconds = 0;         ///< when the pointer last moved
  bool starts_in_fullscreen = false;  ///< see start_in_fullscreen()
  Window::Area before_fullscreen;
};

namespace {

constexpr double DoubleClickSeconds = 0.3;  // as in mpv
constexpr double PointerRestSeconds = 1;

int open_windows = 0;  // including leaked windows

/// Closes the connection to the display, unless a window exists: a driver may be using a leaked window.
void terminate_if_unused() {
  if (open_windows == 0) glfwTerminate();
}

Window::State& state_of(GLFWwindow* window) {
  return *static_cast<Window::State*>(glfwGetWindowUserPointer(window));
}

std::vector<WindowEvent>& events_of(GLFWwindow* window) {
  return state_of(window).events;
}

/// Returns mpv's name of a key without its modifiers. Returns an empty name if the program does not use the
/// key, or if on_character() reports the key.
std::string key_name(int key, int scancode, int modifiers) {
  static constexpr std::pair<int, const char*> Named[] = {
      {GLFW_KEY_SPACE, "SPACE"},   {GLFW_KEY_ESCAPE, "ESC"},      {GLFW_KEY_ENTER, "ENTER"},
      {GLFW_KEY_TAB, "TAB"},       {GLFW_KEY_BACKSPACE, "BS"},    {GLFW_KEY_DELETE, "DEL"},
      {GLFW_KEY_LEFT, "LEFT"},     {GLFW_KEY_RIGHT, "RIGHT"},     {GLFW_KEY_UP, "UP"},
      {GLFW_KEY_DOWN, "DOWN"},     {GLFW_KEY_HOME, "HOME"},       {GLFW_KEY_END, "END"},
      {GLFW_KEY_PAGE_UP, "PGUP"},  {GLFW_KEY_PAGE_DOWN, "PGDWN"}, {GLFW_KEY_INSERT, "INS"},
      {GLFW_KEY_KP_ENTER, "ENTER"}};
  for (const auto& [code, name] : Named) {
    if (code == key) return name;
  }
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F25) return fmt::format("F{}", key - GLFW_KEY_F1 + 1);
  if ((modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) == 0) return "";
  const char* printable = glfwGetKeyName(key, scancode);
  return printable != nullptr ? printable : "";
}

void add_key(GLFWwindow* window, std::string name, int modifiers) {
  if ((modifiers & GLFW_MOD_SHIFT) != 0) name.insert(0, "Shift+");
  if ((modifiers & GLFW_MOD_ALT) != 0) name.insert(0, "Alt+");
  if ((modifiers & GLFW_MOD_CONTROL) != 0) name.insert(0, "Ctrl+");
  events_of(window).emplace_back(KeyPressed{std::move(name)});
}

void on_key(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
  if (action == GLFW_RELEASE) return;
  std::string name = key_name(key, scancode, modifiers);
  if (!name.empty()) add_key(window, std::move(name), modifiers);
}

void on_mouse_button(GLFWwindow* window, int button, int action, int modifiers) {
  if (action == GLFW_RELEASE) {
    if (button == GLFW_MOUSE_BUTTON_LEFT) events_of(window).emplace_back(MouseReleased{});
    return;
  }
  static constexpr std::array<const char*, 5> Names = {"MBTN_LEFT", "MBTN_RIGHT", "MBTN_MID", "MBTN_BACK",
                                                       "MBTN_FORWARD"};
  if (button < 0 || button >= static_cast<int>(Names.size())) return;
  add_key(window, Names[static_cast<std::size_t>(button)], modifiers);
  if (button != GLFW_MOUSE_BUTTON_LEFT) return;
  Window::State& state = state_of(window);
  const double now = glfwGetTime();
  if (now - std::exchange(state.last_press_seconds, now) < DoubleClickSeconds) {
    state.last_press_seconds = 0;
    add_key(window, "MBTN_LEFT_DBL", modifiers);
  }
}

void on_wheel(GLFWwindow* window, double x, double y) {
  Window::State& state = state_of(window);
  const auto scroll = [&](double& waiting, double by, const char* forward, const char* backward) {
    if (waiting * by < 0) waiting = 0;  // direction reversed
    waiting += by;
    for (; std::abs(waiting) >= 1; waiting -= std::copysign(1, waiting))
      add_key(window, waiting > 0 ? forward : backward, 0);
  };
  scroll(state.wheel_y, y, "WHEEL_UP", "WHEEL_DOWN");
  scroll(state.wheel_x, x, "WHEEL_LEFT", "WHEEL_RIGHT");
}

/// Returns a pointer image of one transparent pixel; null if GLFW cannot create it. glfwTerminate() destroys
/// it.
GLFWcursor* make_transparent_cursor() {
  std::array<unsigned char, 4> rgba{};
  const GLFWimage image{.width = 1, .height = 1, .pixels = rgba.data()};
  return glfwCreateCursor(&image, 0, 0);
}

/// Shows the pointer, or replaces it with a transparent image. Does not hide it with glfwSetInputMode(),
/// because that function gets the current position of the pointer from the server. GLFW would then ignore a
/// queued motion event with this position.
void show_pointer(GLFWwindow* window, bool visible) {
  Window::State& state = state_of(window);
  if (state.pointer_hidden != visible) return;
  state.pointer_hidden = !visible;
  if (!visible && state.transparent_cursor == nullptr) state.transparent_cursor = make_transparent_cursor();
  glfwSetCursor(window, visible ? nullptr : state.transparent_cursor);
}

void note_pointer(GLFWwindow* window, bool inside) {
  Window::State& state = state_of(window);
  state.pointer_inside = inside;
  state.pointer_seconds = glfwGetTime();
  show_pointer(window, true);
}

void on_mouse_move(GLFWwindow* window, double x, double y) {
  note_pointer(window, true);
  // Positions are in screen coordinates, whose unit is one or more pixels.
  int width = 0, height = 0, pixel_width = 0, pixel_height = 0;
  glfwGetWindowSize(window, &width, &height);
  glfwGetFramebufferSize(window, &pixel_width, &pixel_height);
  if (width <= 0 || height <= 0) return;
  std::vector<WindowEvent>& events = events_of(window);
  // Of consecutive moves, only the last is reported.
  if (!events.empty() && std::holds_alternative<MouseMoved>(events.back())) events.pop_back();
  events.emplace_back(MouseMoved{true, x * pixel_width / width, y * pixel_height / height});
}

void add_resize(GLFWwindow* window) {
  Extent pixels;
  glfwGetFramebufferSize(window, &pixels.width, &pixels.height);
  events_of(window).emplace_back(Resized{pixels});
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
  events_of(window).emplace_back(FilesDropped{std::vector<std::string>(paths, paths + count)});
}

/// Reports a typed character as a key that is named after it, as mpv does: "+" on any keyboard layout, "L"
/// for Shift and l. GLFW also calls this function for key repeats, but not while Ctrl or Alt is pressed.
void on_character(GLFWwindow* window, unsigned code_point) {
  if (code_point == ' ') return;  // reported by on_key()
  events_of(window).emplace_back(KeyPressed{text::encode_utf8(static_cast<char32_t>(code_point))});
}

std::string last_glfw_error() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description != nullptr ? description : "";
}

Window::Area area_of(GLFWwindow* window) {
  Window::Area area;
  glfwGetWindowPos(window, &area.x, &area.y);
  glfwGetWindowSize(window, &area.width, &area.height);
  return area;
}

/// Returns the monitor that shows most of the window.
GLFWmonitor* monitor_of(GLFWwindow* window) {
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  const auto [x, y, width, height] = area_of(window);
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  int best_area = 0;
  for (int i = 0; i < count; ++i) {
    const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
    if (mode == nullptr) continue;
    int mx = 0, my = 0;
    glfwGetMonitorPos(monitors[i], &mx, &my);
    const int area = std::max(0, std::min(x + width, mx + mode->width) - std::max(x, mx)) *
                     std::max(0, std::min(y + height, my + mode->height) - std::max(y, my));
    if (area > best_area) {
      best_area = area;
      best = monitors[i];
    }
  }
  return best;
}

/// Returns GLFW's X display; null if GLFW does not use X11.
void* x_display() {
  auto* get = reinterpret_cast<void* (*)()>(::dlsym(RTLD_DEFAULT, "glfwGetX11Display"));
  return get != nullptr ? get() : nullptr;
}

/// Whether GLFW uses Wayland.
bool has_wayland_display() {
  auto* get = reinterpret_cast<void* (*)()>(::dlsym(RTLD_DEFAULT, "glfwGetWaylandDisplay"));
  return get != nullptr && get() != nullptr;
}

/// Selects X11 if the environment rules out a Wayland server. GLFW 3.4 would try Wayland first, and Wayland's
/// library prints errors if there is no server.
void choose_platform() {
#ifdef GLFW_PLATFORM
  const char* name = std::getenv("WAYLAND_DISPLAY");
  const bool is_found = std::getenv("XDG_RUNTIME_DIR") != nullptr ||
                        std::getenv("WAYLAND_SOCKET") != nullptr || (name != nullptr && *name == '/');
  glfwInitHint(GLFW_PLATFORM, is_found ? GLFW_ANY_PLATFORM : GLFW_PLATFORM_X11);
#endif
}

}  // namespace

void Window::skip_compose_table() {
  ::setenv("XCOMPOSEFILE", "/dev/null", 0);
}

Result<std::unique_ptr<Window>> Window::open(const std::string& title) {
  glfwSetErrorCallback([](int code, const char* text) { log::debug("GLFW: {} ({})", text, code); });
  choose_platform();
  if (glfwInit() != GLFW_TRUE) {
    return Error{ErrorCode::NoDevice,
                 "No display is available for a window; start a desktop session, or play in a terminal.",
                 last_glfw_error()};
  }
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
  // Keeps a fullscreen video visible while the user works on another monitor.
  glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "glyphreel");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "glyphreel");
  auto state = std::make_unique<State>();
  state->window = glfwCreateWindow(640, 360, title.c_str(), nullptr, nullptr);
  if (state->window == nullptr) {
    Error error{ErrorCode::NoDevice,
                "No window could be opened on this display; check DISPLAY and WAYLAND_DISPLAY.",
                last_glfw_error()};
    terminate_if_unused();
    return error;
  }
  watch_x_connection(x_display());
  glfwSetWindowUserPointer(state->window, state.get());
  glfwSetKeyCallback(state->window, on_key);
  glfwSetCharCallback(state->window, on_character);
  glfwSetMouseButtonCallback(state->window, on_mouse_button);
  glfwSetScrollCallback(state->window, on_wheel);
  glfwSetCursorPosCallback(state->window, on_mouse_move);
  glfwSetCursorEnterCallback(state->window, [](GLFWwindow* window, int entered) {
    note_pointer(window, entered == GLFW_TRUE);
    if (entered == GLFW_FALSE) events_of(window).emplace_back(MouseMoved{.inside = false});
  });
  glfwSetDropCallback(state->window, on_drop);
  glfwSetFramebufferSizeCallback(state->window, [](GLFWwindow* window, int width, int height) {
    events_of(window).emplace_back(Resized{{width, height}});
  });
  // A new content scale needs a new cell size even if the window size is unchanged.
  glfwSetWindowContentScaleCallback(state->window,
                                    [](GLFWwindow* window, float, float) { add_resize(window); });
  // X11 windows keep their size while minimized, so only this callback reports that a window is minimized.
  glfwSetWindowIconifyCallback(state->window, [](GLFWwindow* window, int iconified) {
    if (iconified == GLFW_FALSE) return add_resize(window);
    events_of(window).emplace_back(Resized{});
  });
  glfwSetWindowRefreshCallback(state->window,
                               [](GLFWwindow* window) { events_of(window).emplace_back(Exposed{}); });
  glfwSetWindowCloseCallback(state->window,
                             [](GLFWwindow* window) { events_of(window).emplace_back(CloseRequested{}); });
  return std::unique_ptr<Window>(new Window(std::move(state)));
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {
  ++open_windows;
}

Window::~Window() {
  glfwDestroyWindow(state_->window);
  --open_windows;
  terminate_if_unused();
}

Extent Window::available_size() const {
  const std::vector<Area> areas = work_areas();
  if (areas.empty()) return {1280, 720};
  // On Wayland, a scaled screen has more pixels than screen coordinates.
  const Extent pixels = framebuffer_size();
  Extent units;
  glfwGetWindowSize(state_->window, &units.width, &units.height);
  const auto to_pixels = [](int length, int pixel_count, int unit_count) {
    return unit_count > 0 && pixel_count > 0 ? length * pixel_count / unit_count : length;
  };
  return {to_pixels(areas.front().width, pixels.width, units.width),
          to_pixels(areas.front().height, pixels.height, units.height)};
}

Extent Window::screen_size() const {
  GLFWmonitor* const monitor = monitor_of(state_->window);
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  return mode != nullptr ? Extent{mode->width, mode->height} : Extent{1280, 720};
}

double Window::content_scale() const {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(state_->window, &x, &y);
  return std::max({1.0F, x, y});
}

std::vector<Window::Area> Window::work_areas() {
  std::vector<Area> areas;
  int count = 0;
  GLFWmonitor** monitors = glfwGetMonitors(&count);
  for (int i = 0; i < count; ++i) {
    Area area;
    glfwGetMonitorWorkarea(monitors[i], &area.x, &area.y, &area.width, &area.height);
    if (area.width > 0 && area.height > 0) areas.push_back(area);
  }
  return areas;
}

std::optional<Window::Area> Window::area() const {
  if (is_fullscreen()) return state_->before_fullscreen;
  if (glfwGetWindowAttrib(state_->window, GLFW_MAXIMIZED) == GLFW_TRUE ||
      glfwGetWindowAttrib(state_->window, GLFW_ICONIFIED) == GLFW_TRUE) {
    return std::nullopt;
  }
  return area_of(state_->window);
}

void Window::show_in(const Area& area) {
  glfwSetWindowSize(state_->window, area.width, area.height);
  glfwSetWindowPos(state_->window, area.x, area.y);
  map(Position{area.x, area.y});
}

void Window::hide() {
  if (is_fullscreen()) toggle_fullscreen();  // GLFW inhibits the screen saver in fullscreen
  glfwHideWindow(state_->window);
}

double Window::refresh_interval() const {
  // On Wayland, windows do not know their position, except in fullscreen.
  GLFWmonitor* const fullscreen = glfwGetWindowMonitor(state_->window);
  GLFWmonitor* const monitor = fullscreen != nullptr ? fullscreen : monitor_of(state_->window);
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  auto* get_crtc =
      reinterpret_cast<unsigned long (*)(GLFWmonitor*)>(::dlsym(RTLD_DEFAULT, "glfwGetX11Adapter"));
  if (monitor != nullptr && get_crtc != nullptr && x_display() != nullptr) {
    if (const double exact = x_refresh_interval(x_display(), get_crtc(monitor)); exact > 0) return exact;
  }
  if (mode == nullptr || mode->refreshRate <= 0) return 0;
  if (has_wayland_display()) {
    WaylandOutput shown{.pixels = {mode->width, mode->height}, .millihertz = mode->refreshRate * 1000};
    glfwGetMonitorPos(monitor, &shown.x, &shown.y);
    if (const double exact = present::refresh_interval(wayland_outputs(), shown); exact > 0) return exact;
  }
  return 1.0 / mode->refreshRate;
}

void Window::show(Extent size, std::optional<Position> position) {
  // GLFW takes window sizes in screen coordinates; one unit is one or more pixels.
  int window_width = 0, window_height = 0, pixel_width = 0, pixel_height = 0;
  glfwGetWindowSize(state_->window, &window_width, &window_height);
  glfwGetFramebufferSize(state_->window, &pixel_width, &pixel_height);
  const double ratio = pixel_width > 0 ? static_cast<double>(window_width) / pixel_width : 1.0;
  glfwSetWindowSize(state_->window, std::max(1, static_cast<int>(size.width * ratio)),
                    std::max(1, static_cast<int>(size.height * ratio)));
  if (position) glfwSetWindowPos(state_->window, position->x, position->y);
  map(position);
}

void Window::start_in_fullscreen() {
  state_->starts_in_fullscreen = true;
}

/// Shows the window at its current size. `position`: the window's position, if the caller has set one.
void Window::map(std::optional<Position> position) {
  State& s = *state_;
  const bool starts_in_fullscreen = std::exchange(s.starts_in_fullscreen, false);
  Area windowed = area_of(s.window);
  if (starts_in_fullscreen && x_id() != 0) x_show_in_fullscreen(x_display(), x_id());
  glfwShowWindow(s.window);
  glfwPollEvents();
  if (!starts_in_fullscreen) return;
  toggle_fullscreen();
  const Area shown = s.before_fullscreen;
  if (shown.width == windowed.width && shown.height == windowed.height) return;
  // The window manager has shown the window directly in fullscreen, so its windowed position is unknown.
  windowed.x = position ? position->x : shown.x + (shown.width - windowed.width) / 2;
  windowed.y = position ? position->y : shown.y + (shown.height - windowed.height) / 2;
  s.before_fullscreen = windowed;
}

Extent Window::framebuffer_size() const {
  Extent size;
  glfwGetFramebufferSize(state_->window, &size.width, &size.height);
  // After the connection to the display was lost, Xlib returns uninitialized values.
  if (!is_lost()) state_->pixels = size;
  return state_->pixels;
}

bool Window::is_fullscreen() const {
  return glfwGetWindowMonitor(state_->window) != nullptr;
}

void Window::toggle_fullscreen() {
  State& s = *state_;
  if (is_fullscreen()) {
    const auto [x, y, width, height] = s.before_fullscreen;
    glfwSetWindowMonitor(s.window, nullptr, x, y, width, height, GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor* monitor = monitor_of(s.window);
  const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
  if (mode == nullptr) return;
  s.before_fullscreen = area_of(s.window);
  glfwSetWindowMonitor(s.window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void Window::set_title(const std::string& title) {
  glfwSetWindowTitle(state_->window, title.c_str());
}

void Window::copy_to_clipboard(const std::string& text) {
  glfwSetClipboardString(state_->window, text.c_str());
}

std::vector<WindowEvent> Window::wait_events(double timeout_seconds) {
  State& s = *state_;
  const bool pointer_rests = s.pointer_inside && !s.pointer_hidden;
  const double until_hidden = s.pointer_seconds + PointerRestSeconds - glfwGetTime();
  if (pointer_rests) timeout_seconds = std::min(timeout_seconds, until_hidden);
  if (is_lost()) return {};
  if (timeout_seconds > 0 && s.events.empty()) {
    glfwWaitEventsTimeout(timeout_seconds);
  } else {
    glfwPollEvents();
  }
  if (is_lost()) return {};
  if (s.pointer_inside && glfwGetTime() - s.pointer_seconds >= PointerRestSeconds)
    show_pointer(s.window, false);
  return std::exchange(state_->events, {});
}

bool Window::is_lost() {
  return x_connection_is_lost();
}

unsigned long Window::x_id() const {
  if (x_display() == nullptr) return 0;
  auto* get = reinterpret_cast<unsigned long (*)(GLFWwindow*)>(::dlsym(RTLD_DEFAULT, "glfwGetX11Window"));
  return get != nullptr ? get(state_->window) : 0;
}

void Window::wake() {
  glfwPostEmptyEvent();
}

std::vector<std::string> Window::vulkan_extensions() {
  std::uint32_t count = 0;
  const char** names = glfwGetRequiredInstanceExtensions(&count);
  return names != nullptr ? std::vector<std::string>(names, names + count) : std::vector<std::string>{};
}

Result<VkSurfaceKHR_T*> Window::make_vulkan_surface(VkInstance_T* instance) {
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  if (glfwCreateWindowSurface(instance, state_->window, nullptr, &surface) != VK_SUCCESS) {
    return Error{ErrorCode::NoDevice, "Vulkan cannot draw to the window; update the GPU driver.",
                 last_glfw_error()};
  }
  return surface;
}

}  // namespace glyphreel::present
