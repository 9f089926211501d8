#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/io/log.h"
#include "interop/gpu_hw_device_provider.h"
#include "player/output/video_output.h"
#include "player/output/window_placement.h"
#include "present/terminal/launch_terminal.h"
#include "present/window/display.h"
#include "present/window/screen_saver.h"
#include "present/window/shm_images.h"
#include "present/window/window.h"
#include "session/setup.h"

namespace glyphreel::player {
namespace {

using present::Window;
using Clock = std::chrono::steady_clock;

constexpr double DefaultWindowShare = 0.85;             // maximum size, as a fraction of the screen size
constexpr int DefaultWindowHeight = 720;                // pixels; smaller videos are scaled up to this height
constexpr std::chrono::milliseconds CoveredPause{250};  // between attempts to draw in a covered window

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A window, and the objects that show frames in it.
struct WindowParts {
  std::unique_ptr<Window> window;
  std::shared_ptr<gpu::Device> device;
  media::HwDecodeContext hardware;
  std::shared_ptr<present::WindowImages> images;  // images and display are destroyed before the window
  std::unique_ptr<present::Display> display;
  std::string description;  ///< logged by open_for()
};

PresentMode present_mode(PresentMode wanted) {
  if (wanted != PresentMode::Auto) return wanted;
  const std::vector<std::string> extensions = Window::vulkan_extensions();
  const bool is_wayland = std::ranges::count(extensions, "VK_KHR_wayland_surface") > 0;
  return is_wayland ? PresentMode::Mailbox : PresentMode::Fifo;
}

using Images = std::shared_ptr<present::WindowImages>;

/// Returns images in shared memory. They do not need Vulkan, and need fewer copies than a swapchain.
Result<Images> shm_images(const WindowParts& parts, StageTimes& times) {
  TRY_ASSIGN(auto images, present::ShmImages::make(*parts.window, times));
  return Images(std::move(images));
}

/// Creates the swapchain for the device and the window. Call it only once, even if it fails.
Result<std::shared_ptr<present::SwapchainImages>> make_swapchain(const cli::Settings& settings,
                                                                 const WindowParts& parts,
                                                                 StageTimes& times) {
  return present::SwapchainImages::make(*parts.window, times, parts.device,
                                        present_mode(settings.window.vsync));
}

Result<Images> swapchain_images(const cli::Settings& settings, const WindowParts& parts, StageTimes& times) {
  TRY_ASSIGN(auto images, make_swapchain(settings, parts, times));
  return Images(std::move(images));
}

/// Returns the images for frames that the CPU draws. Prefers the swapchain of a GPU. Without a GPU, prefers
/// shared memory, or the swapchain of a software Vulkan device if --vsync is set, because --vsync selects one
/// of the swapchain's present modes. If the preferred kind cannot be created, tries the other kind.
Result<Images> make_images(const cli::Settings& settings, const WindowParts& parts,
                           const Result<std::shared_ptr<gpu::Device>>& device, StageTimes& times) {
  const bool prefers_swapchain =
      device && (!(*device)->is_software() || settings.window.vsync != PresentMode::Auto);
  Result<Images> images =
      prefers_swapchain ? swapchain_images(settings, parts, times) : shm_images(parts, times);
  if (images) return images;
  log::debug("{}", full_text(images.error()));
  if (prefers_swapchain) {
    Result<Images> shared = shm_images(parts, times);
    return shared ? std::move(shared) : std::move(images);
  }
  if (device) return swapchain_images(settings, parts, times);
  return Error{ErrorCode::NoDevice,
               "The window cannot be opened because no usable Vulkan device can draw to it; install a Vulkan "
               "driver for your GPU, or check --device.",
               device.error().message};
}

/// Adds the display and the images for frames that the GPU draws. On failure, changes nothing.
Result<void> add_gpu_display(const cli::Settings& settings, WindowParts& parts, StageTimes& times) {
  TRY_ASSIGN(auto images, make_swapchain(settings, parts, times));
  TRY_ASSIGN(parts.display, make_gpu_display(images, times));
  parts.images = std::move(images);
  parts.hardware = interop::make_hw_decode_context(parts.device);
  return {};
}

/// Opens the device that draws to the window.
Result<std::shared_ptr<gpu::Device>> open_device(const cli::Settings& settings, Window& window) {
  return gpu::Device::make(
      {.selector = settings.engine.device,
       .instance_extensions = Window::vulkan_extensions(),
       .make_surface = [&](VkInstance_T* instance) { return window.make_vulkan_surface(instance); }});
}

/// Returns images in shared memory if there is certainly no GPU, or if the GPU is to be avoided. In these
/// cases, loading a Vulkan driver would only delay the first frame. Otherwise returns null.
std::shared_ptr<present::ShmImages> images_without_vulkan(const cli::Settings& settings, const Window& window,
                                                          StageTimes& times, GpuUse gpu_use) {
  const bool may_need_vulkan =
      settings.window.vsync != PresentMode::Auto || !settings.engine.device.empty() || gpu::may_have_gpu();
  if (settings.engine.renderer == cli::RendererChoice::Gpu || (gpu_use == GpuUse::Allowed && may_need_vulkan))
    return nullptr;
  Result<std::shared_ptr<present::ShmImages>> images = present::ShmImages::make(window, times);
  return images ? *std::move(images) : nullptr;
}

/// Creates the hidden window and the objects that show frames in it.
Result<WindowParts> open_window(const cli::Settings& settings, StageTimes& times,
                                session::Statistics& statistics, GpuUse gpu_use) {
  WindowParts parts;
  TRY_ASSIGN(parts.window, Window::open("glyphreel"));
  const auto device_start = Clock::now();
  parts.images = images_without_vulkan(settings, *parts.window, times, gpu_use);
  const char* const why_no_gpu =
      gpu_use == GpuUse::Allowed ? "This machine has no GPU." : "The GPU stopped responding.";
  Result<std::shared_ptr<gpu::Device>> device = Error{ErrorCode::NoDevice, why_no_gpu, {}};
  if (!parts.images) device = open_device(settings, *parts.window);
  statistics.device_ms = milliseconds_since(device_start);
  if (!device && settings.engine.renderer == cli::RendererChoice::Gpu) return std::move(device.error());
  TRY_ASSIGN(session::RendererDecision decision, session::decide_renderer(settings, device));

  const auto display_start = Clock::now();
  if (device) parts.device = *device;
  if (decision.use_gpu) {
    if (Result<void> added = add_gpu_display(settings, parts, times); !added) {
      if (settings.engine.renderer == cli::RendererChoice::Gpu) return std::move(added.error());
      decision = {false, added.error().message};
      device = std::move(added.error());
      parts.device.reset();
    }
  }
  if (!decision.use_gpu) {
    if (!parts.images) {
      TRY_ASSIGN(parts.images, make_images(settings, parts, device, times));
    }
    parts.display =
        make_picture_display(parts.images, render::make_cpu_renderer(settings.engine.threads, times));
  }
  if (parts.device) {
    statistics.gpu = parts.device->name();
    statistics.driver = parts.device->listing().driver;
  }
  statistics.renderer_reason = decision.reason;
  statistics.pipelines_ms = milliseconds_since(display_start);
  statistics.renderer = parts.display->renderer().description();
  parts.description = fmt::format("Renderer: {} ({}).", statistics.renderer, decision.reason);
  return parts;
}

struct Placing {
  Extent size;
  std::optional<Window::Position> position;
};

/// Returns the size of a new window, and its position if --geometry sets one. The first of --geometry, --size
/// and --grid that is set determines the size. If none is set, the video and the screen determine the size.
Placing place_window(const cli::Settings& settings, const Window& window, double aspect, int picture_lines) {
  Placing placing;
  int x = 0;
  int y = 0;
  const int fields = std::sscanf(settings.window.geometry.c_str(), "%dx%d%d%d", &placing.size.width,
                                 &placing.size.height, &x, &y);
  if (fields >= 2) {
    if (fields == 4) placing.position = Window::Position{x, y};
    return placing;
  }
  if (settings.layout.size) {
    placing.size = *settings.layout.size;
    return placing;
  }
  const Extent available = window.available_size();
  if (settings.layout.grid) {
    placing.size = {settings.layout.grid->columns * settings.layout.cell.width,
                    settings.layout.grid->rows * settings.layout.cell.height};
    const double scale = std::min({1.0, static_cast<double>(available.width) / placing.size.width,
                                   static_cast<double>(available.height) / placing.size.height});
    placing.size = {static_cast<int>(placing.size.width * scale),
                    static_cast<int>(placing.size.height * scale)};
    return placing;
  }
  double height = std::max(picture_lines, DefaultWindowHeight);
  height = std::min(
      {height, available.height * DefaultWindowShare, available.width * DefaultWindowShare / aspect});
  placing.size = {static_cast<int>(std::lround(height * aspect)), static_cast<int>(std::lround(height))};
  return placing;
}

Error lost_display() {
  return {ErrorCode::NoDevice,
          "The connection to the display was lost; start glyphreel again on a running display.",
          {}};
}

class WindowOutput final : public VideoOutput {
 public:
  WindowOutput(const cli::Settings& settings, WindowParts parts)
      : VideoOutput(parts.display->renderer()),
        settings_(settings),
        parts_(std::move(parts)),
        display_(parts_.display.get()) {}

  ~WindowOutput() override { save_placement(); }

  Result<std::vector<UiEvent>> wait(double timeout_seconds) override {
    std::vector<UiEvent> inputs;
    for (present::WindowEvent& event : parts_.window->wait_events(timeout_seconds)) {
      inputs.push_back(std::visit([&](auto& happened) { return ui_event(happened); }, event));
    }
    if (is_lost()) return lost_display();
    add_typed_keys(inputs);
    if (parts_.images->is_out_of_date()) inputs.emplace_back(WindowExposed{});
    return inputs;
  }
  bool is_lost() const override { return Window::is_lost(); }
  bool can_be_destroyed() const override { return !is_lost() && parts_.images->can_be_destroyed(); }
  void abandon() override {
    save_placement();
    parts_.window->hide();
    launch_terminal_.reset();
    screen_saver_.set_inhibited(false);
  }
  void wake() override { Window::wake(); }

  Result<void> open_for(const media::VideoFacts& facts) override {
    log::info("{}", parts_.description);
    const Placing placing =
        place_window(settings_, *parts_.window, session::display_aspect(facts), facts.size.height);
    saves_placement_ = settings_.window.geometry.empty() && !settings_.layout.size && !settings_.layout.grid;
    if (settings_.window.fullscreen) parts_.window->start_in_fullscreen();
    show_window(placing);
    is_shown_ = true;
    if (std::ranges::find(settings_.inputs, "-") == settings_.inputs.end())
      launch_terminal_ = present::LaunchTerminal::open(Window::wake);
    return {};
  }

  CellSize cell_for(const cli::Settings& settings) const override {
    const Extent size = is_shown_ ? parts_.window->framebuffer_size() : expected_size();
    return session::window_layout(settings, size, parts_.window->content_scale()).cell;
  }
  std::optional<CellSize> shown_cell(CellSize cell) const override {
    const double scale = parts_.window->content_scale();
    return CellSize{std::max(1, static_cast<int>(std::lround(cell.width / scale))),
                    std::max(1, static_cast<int>(std::lround(cell.height / scale)))};
  }
  GridSize grid_for(const LoadedGlyphs& glyphs) const override {
    return session::window_grid(glyphs.settings, parts_.window->framebuffer_size(),
                                glyphs.setup.glyphs->cell());
  }

  Result<void> sync_size() override {
    const Extent pixels = parts_.window->framebuffer_size();
    const double before = std::exchange(refresh_interval_, settings_.window.vsync == PresentMode::Immediate
                                                               ? 0
                                                               : parts_.window->refresh_interval());
    if (refresh_interval_ != before)
      log::debug("The screen refreshes every {:.4f} ms.", refresh_interval_ * 1e3);
    if (pixels.width <= 0 || pixels.height <= 0) return {};
    return parts_.images->resize(pixels);
  }
  Result<void> configure(const LoadedGlyphs&, const render::RenderSetup& setup,
                         const std::shared_ptr<render::SplitRenderer>& split) override {
    if (split && !split_display_) {
      split_display_ = make_picture_display(parts_.images, split);
    }
    draw_with(split.get());
    display_ = split ? split_display_.get() : parts_.display.get();
    grid_ = setup.grid;
    cell_ = setup.glyphs->cell();
    return display_->configure(setup);
  }

  Playback::Visibility visibility() override {
    const bool is_covered = parts_.images->is_covered() && Clock::now() < next_attempt_;
    return minimized_ || is_covered ? Playback::Visibility::Hidden : Playback::Visibility::Visible;
  }
  ScreenTiming screen_timing() const override { return {refresh_interval_, parts_.images->latency()}; }
  Result<bool> show(const Frame* frame, const render::FrameOptions& options) override {
    if (frame == nullptr && minimized_) return false;
    // Presenting may block while the window is covered. Then do not draw a split view: its GPU half would
    // block, too.
    const bool can_draw = display_ != split_display_.get() || parts_.images->can_show();
    Result<bool> shown = can_draw ? check_display(display_->show(frame, options)) : false;
    next_attempt_ = Clock::now() + CoveredPause;
    return shown;
  }

  std::shared_ptr<gpu::Device> device() const override { return parts_.device; }

  void set_title(const std::string& title) override { parts_.window->set_title(title); }
  void copy_to_clipboard(const std::string& text) override { parts_.window->copy_to_clipboard(text); }
  void set_fullscreen(bool on) override {
    if (on != parts_.window->is_fullscreen()) parts_.window->toggle_fullscreen();
  }
  void set_playing(bool playing) override { screen_saver_.set_inhibited(playing); }
  bool is_fullscreen() const override { return parts_.window->is_fullscreen(); }
  media::HwDecodeContext hardware() const override { return parts_.hardware; }

 private:
  /// Returns the size that the window will have when it is shown. Only the cell size is computed from it, so
  /// it need not be exact if the cell size does not depend on the window size.
  Extent expected_size() const {
    if (settings_.window.fullscreen) return parts_.window->screen_size();
    // Any aspect ratio will do: place_window() uses it only without --grid, and without --grid, the cell size
    // does not depend on the window size.
    constexpr double AnyAspect = 16.0 / 9;
    return place_window(settings_, *parts_.window, AnyAspect, 0).size;
  }

  void add_typed_keys(std::vector<UiEvent>& inputs) {
    if (!launch_terminal_) return;
    for (present::LaunchTerminalEvent& event : launch_terminal_->take_events()) {
      if (auto* key = std::get_if<present::TerminalKey>(&event)) {
        inputs.emplace_back(KeyInput{std::move(key->name)});
      } else {
        inputs.emplace_back(ProgramResumed{});
      }
    }
  }

  /// Returns `outcome`, or lost_display() if the display was lost. The driver may detect the loss before the
  /// window does, and then `outcome` is the driver's error.
  Result<bool> check_display(Result<bool> outcome) {
    if (!outcome) static_cast<void>(parts_.window->wait_events(0));
    return is_lost() ? Result<bool>(lost_display()) : std::move(outcome);
  }

  /// Shows the window. Uses the saved placement if it exists and lies on a screen.
  void show_window(const Placing& placing) {
    Window& window = *parts_.window;
    const std::optional<WindowPlacement> saved = saves_placement_ ? load_window_placement() : std::nullopt;
    std::optional<Window::Area> area;
    if (saved) {
      const Extent size = saved->size.value_or(placing.size);
      area = within_screens({saved->position.x, saved->position.y, size.width, size.height},
                            Window::work_areas());
    }
    if (area && saved->size) {
      window.show_in(*area);
    } else {
      window.show(placing.size, area ? Window::Position{area->x, area->y} : placing.position);
      if (const auto now = window.area()) default_size_ = {now->width, now->height};
    }
  }

  void save_placement() const {
    if (!saves_placement_) return;
    const std::optional<Window::Area> area = parts_.window->area();
    if (!area) return;
    WindowPlacement placement{.position = {area->x, area->y}, .size = {}};
    const Extent size{area->width, area->height};
    if (size != default_size_) placement.size = size;
    save_window_placement(placement);
  }

  static UiEvent ui_event(present::KeyPressed& event) { return KeyInput{std::move(event.key)}; }
  UiEvent ui_event(const present::Resized& event) {
    minimized_ = event.pixels.width <= 0 || event.pixels.height <= 0;
    return SizeChanged{};
  }
  static UiEvent ui_event(const present::Exposed&) { return WindowExposed{}; }
  static UiEvent ui_event(const present::CloseRequested&) { return CloseRequest{}; }
  UiEvent ui_event(const present::MouseMoved& event) const {
    return MouseInput{event.inside ? std::optional(position_of(event)) : std::nullopt};
  }
  static UiEvent ui_event(const present::MouseReleased&) { return MouseRelease{}; }
  static UiEvent ui_event(present::FilesDropped& event) { return FileDrop{std::move(event.paths)}; }

  /// Returns the mouse position in cells. The grid is centered in the window.
  MousePosition position_of(const present::MouseMoved& event) const {
    const Extent pixels = parts_.window->framebuffer_size();
    const double left = (pixels.width - grid_.columns * cell_.width) / 2;
    const double top = (pixels.height - grid_.rows * cell_.height) / 2;
    return {(event.x - left) / cell_.width, (event.y - top) / cell_.height};
  }

  const cli::Settings& settings_;
  WindowParts parts_;
  std::unique_ptr<present::Display> split_display_;  ///< null until a split view is used
  present::Display* display_;                        ///< the display that shows frames
  GridSize grid_;
  CellSize cell_;
  bool is_shown_ = false;  ///< false until open_for()
  bool minimized_ = false;
  Clock::time_point next_attempt_;  ///< when to try again to draw in a covered window
  bool saves_placement_ = false;    ///< whether to save the placement; false if an option sets the placement
  Extent default_size_;             ///< window size that the video determined, in screen coordinates
  present::ScreenSaver screen_saver_;
  std::unique_ptr<present::LaunchTerminal>
      launch_terminal_;  ///< null: standard input is played, or is not a terminal
  /// Seconds from one refresh of the screen to the next; 0: unknown, or frames do not wait for refreshes.
  /// Queried only when the size changes, because each query is a round trip to the X server.
  double refresh_interval_ = 0;
};

}  // namespace

Result<std::unique_ptr<VideoOutput>> make_window_output(const cli::Settings& settings, StageTimes& times,
                                                        session::Statistics& statistics, GpuUse gpu_use) {
  TRY_ASSIGN(WindowParts parts, open_window(settings, times, statistics, gpu_use));
  return std::unique_ptr<VideoOutput>(std::make_unique<WindowOutput>(settings, std::move(parts)));
}

}  // namespace glyphreel::player
