#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "mapping/sample_plan.h"
#include "player/decode_thread.h"
#include "player/keys.h"
#include "player/live_settings.h"
#include "player/pacing.h"
#include "player/play.h"
#include "player/presentation_clock.h"
#include "player/setup.h"
#include "player/statistics.h"
#include "present/display.h"

namespace glyphreel::player {
namespace {

using present::Window;
using Clock = std::chrono::steady_clock;

constexpr double IdleWaitSeconds = 0.1;      // how soon ctrl-C is seen while nothing else happens
constexpr double DefaultWindowShare = 0.85;  // of the screen
constexpr Extent DefaultWindow{1280, 720};   // pixels, for pictures smaller than this

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A window and what shows frames in it.
struct Screen {
  std::unique_ptr<Window> window;
  std::unique_ptr<present::Display> display;  // destroyed before its window
};

gpu::PresentMode present_mode(cli::VsyncChoice choice) {
  return choice == cli::VsyncChoice::Mailbox     ? gpu::PresentMode::Mailbox
         : choice == cli::VsyncChoice::Immediate ? gpu::PresentMode::Immediate
                                                 : gpu::PresentMode::Fifo;
}

/// Opens the window with the best way of showing that there is: the GPU, the CPU shown through Vulkan, or the CPU
/// shown through OpenGL. The window is hidden yet.
Result<Screen> open_screen(const cli::Settings& settings, StageTimes& times, Statistics& statistics) {
  Screen screen;
  TRY_ASSIGN(screen.window, Window::open("glyphreel", Window::Api::Vulkan));
  const auto device_start = Clock::now();
  Result<std::shared_ptr<gpu::Device>> device = gpu::Device::make(
      {.selector = settings.device,
       .instance_extensions = Window::vulkan_extensions(),
       .make_surface = [&](VkInstance_T* instance) { return screen.window->make_vulkan_surface(instance); }});
  statistics.device_ms = milliseconds_since(device_start);
  TRY_ASSIGN(const RendererDecision decision,
             decide_renderer(settings, device ? device->get() : nullptr, device ? nullptr : &device.error()));
  statistics.renderer_reason = decision.reason;

  const auto display_start = Clock::now();
  const present::DisplayOptions options{.window = screen.window.get(),
                                        .times = &times,
                                        .threads = settings.threads,
                                        .mode = present_mode(settings.vsync)};
  if (device) {
    statistics.gpu = (*device)->name();
    statistics.driver = (*device)->listing().driver;
    if (decision.use_gpu) {
      TRY_ASSIGN(screen.display, make_gpu_display(options, *device));
    } else {
      TRY_ASSIGN(screen.display, make_cpu_display(options, *device));
    }
  } else {
    // A window made for Vulkan cannot show OpenGL.
    screen.window.reset();
    TRY_ASSIGN(screen.window, Window::open("glyphreel", Window::Api::OpenGl));
    present::DisplayOptions opengl = options;
    opengl.window = screen.window.get();
    TRY_ASSIGN(screen.display, make_opengl_display(opengl));
  }
  statistics.pipelines_ms = milliseconds_since(display_start);
  statistics.renderer = screen.display->renderer_description();
  times.set_engine(Stage::Present, screen.display->presenter_description());
  log::info("Renderer: {} ({}).", statistics.renderer, decision.reason);
  return screen;
}

struct Placing {
  Extent size;
  std::optional<Window::Position> position;
};

/// Size and place of a new window: --geometry, --size, --grid at the cell size, or what suits picture and screen.
Placing place_window(const cli::Settings& settings, const Window& window, double aspect, int picture_lines) {
  Placing placing;
  int x = 0;
  int y = 0;
  const int fields = std::sscanf(settings.geometry.c_str(), "%dx%d%d%d", &placing.size.width, &placing.size.height, &x, &y);
  if (fields >= 2) {
    if (fields == 4) placing.position = Window::Position{x, y};
    return placing;
  }
  if (settings.size) {
    placing.size = *settings.size;
    return placing;
  }
  const Extent available = window.available_size();
  if (settings.grid) {
    placing.size = {settings.grid->columns * settings.cell.width, settings.grid->rows * settings.cell.height};
    const double scale = std::min({1.0, static_cast<double>(available.width) / placing.size.width,
                                   static_cast<double>(available.height) / placing.size.height});
    placing.size = {static_cast<int>(placing.size.width * scale), static_cast<int>(placing.size.height * scale)};
    return placing;
  }
  double height = std::max(picture_lines, DefaultWindow.height);
  height = std::min({height, available.height * DefaultWindowShare, available.width * DefaultWindowShare / aspect});
  placing.size = {static_cast<int>(std::lround(height * aspect)), static_cast<int>(std::lround(height))};
  return placing;
}

/// One input played in a window that may have shown others before.
class WindowPlayer {
 public:
  WindowPlayer(const cli::Settings& settings, Screen& screen, LiveSettings& live, Statistics& statistics)
      : settings_(settings), screen_(screen), live_(live), statistics_(statistics) {}

  enum class End { InputEnded, Quit };

  Result<End> play(media::Source& source) {
    TRY(follow_window());
    Window& window = *screen_.window;
    DecodeThread decoder({.source = &source,
                          .loop = settings_.loop_file,
                          .loop_from_seconds = settings_.start_seconds.value_or(0),
                          .on_frame = Window::wake});
    std::optional<std::uint32_t> epoch;
    double wait = 0;
    while (true) {
      for (const present::WindowEvent& event : window.wait_events(wait)) {
        TRY_ASSIGN(const bool going, handle(event));
        if (!going) return End::Quit;
      }
      if (interrupted()) return End::Quit;
      if (std::exchange(resized_, false)) {
        TRY(follow_window());
        stale_ = true;
      }
      if (live_.poll()) {
        grid_.reset();
        TRY(configure());
        stale_ = true;
      }
      if (std::exchange(stale_, false) && last_ && grid_ && !minimised_) {
        // The last frame anew: a paused picture follows its window and the keys too.
        TRY(screen_.display->show(*last_));
      }
      decoder.fetch();
      std::deque<Frame>& waiting = decoder.waiting();
      const bool due_check = clock_.running() && !minimised_ && grid_ && !waiting.empty();
      if (due_check && (!epoch || waiting.front().epoch != *epoch)) {
        epoch = waiting.front().epoch;  // the first frame, or the first after a seek: the clock starts with it
        clock_.anchor(waiting.front().pts_seconds(), Clock::now());
        clock_is_new_ = true;
      }
      wait = IdleWaitSeconds;
      if (minimised_ && clock_.running()) {
        // Time goes on unseen: frames that pass are let go without work.
        drop_passed(waiting, clock_.seconds(Clock::now()));
      } else if (due_check) {
        TRY_ASSIGN(wait, show_due(waiting, *epoch));
      }
      if (exposed_ && !minimised_) {
        exposed_ = false;
        TRY(screen_.display->show_again());
      }
      if (decoder.finished()) {
        if (decoder.error()) return *decoder.error();
        if (settings_.frames && statistics_.presented >= *settings_.frames) return End::InputEnded;
        // The last frame stays for as long as it lasts.
        if (clock_.seconds(Clock::now()) >= end_seconds_ || minimised_) return End::InputEnded;
        wait = std::min(wait, std::max(0.001, end_seconds_ - clock_.seconds(Clock::now())));
      }
      if (settings_.frames && statistics_.presented >= *settings_.frames) return End::InputEnded;
    }
  }

 private:
  /// Shows the frame whose time has come, if there is one; seconds until the next look.
  Result<double> show_due(std::deque<Frame>& waiting, std::uint32_t epoch) {
    times_seconds_.clear();
    for (const Frame& frame : waiting) {
      if (frame.epoch != epoch) break;
      times_seconds_.push_back(frame.pts_seconds());
    }
    if (settings_.untimed) clock_.anchor(times_seconds_.front(), Clock::now());
    const double now = clock_.seconds(Clock::now());
    const PacingDecision decision = decide(now, times_seconds_);
    for (int i = 0; i < decision.drop; ++i) {
      waiting.pop_front();
      ++statistics_.decoded;
      ++statistics_.dropped;
    }
    if (!decision.show) return std::min(decision.wait_seconds, IdleWaitSeconds);
    last_ = std::move(waiting.front());
    const Frame& frame = *last_;
    waiting.pop_front();
    ++statistics_.decoded;
    statistics_.host_bytes_copied += frame.bytes_copied;
    const double duration = frame.duration > 0 ? static_cast<double>(frame.duration) * frame.time_base.value() : 0;
    end_seconds_ = frame.pts_seconds() + duration;
    TRY_ASSIGN(const present::ShowOutcome outcome, screen_.display->show(frame));
    if (std::exchange(clock_is_new_, false)) {
      // The first picture may wait for the driver to compile shaders: time begins once it is there, so that the
      // frames after it are not late.
      clock_.anchor(frame.pts_seconds(), Clock::now());
    }
    ++statistics_.mapped;
    ++statistics_.drawn;
    if (outcome == present::ShowOutcome::Shown) {
      ++statistics_.presented;
      statistics_.note_frame_shown();
      statistics_.pacing_errors_ms.push_back(static_cast<float>((now - frame.pts_seconds()) * 1000));
      if (duration > 0 && now - frame.pts_seconds() > duration) ++statistics_.late;
    }
    return 0.0;
  }

  void drop_passed(std::deque<Frame>& waiting, double now) {
    while (!waiting.empty() && waiting.front().pts_seconds() <= now) {
      waiting.pop_front();
      ++statistics_.decoded;
      ++statistics_.dropped;
    }
  }

  /// False: the user wants to leave.
  Result<bool> handle(const present::WindowEvent& event) {
    if (std::holds_alternative<present::CloseAsked>(event)) return false;
    if (const auto* resized = std::get_if<present::Resized>(&event)) {
      minimised_ = resized->pixels.width <= 0 || resized->pixels.height <= 0;
      resized_ = !minimised_;
    } else if (std::holds_alternative<present::Exposed>(event)) {
      exposed_ = true;
    } else if (const auto* pressed = std::get_if<present::KeyPressed>(&event)) {
      return press(action_of(pressed->key));
    }
    return true;
  }

  /// False: the user wants to leave.
  bool press(KeyAction action) {
    switch (action) {
      case KeyAction::Quit: return false;
      case KeyAction::Pause: toggle_pause(); break;
      case KeyAction::Fullscreen: screen_.window->toggle_fullscreen(); break;
      case KeyAction::LeaveFullscreen:
        if (screen_.window->is_fullscreen()) screen_.window->toggle_fullscreen();
        break;
      default:
        if (live_.press(action, shown_cell()) == Change::Tone && grid_) {
          screen_.display->adjust(live_.adjustments());
          stale_ = true;
        }
    }
    return true;
  }

  /// The cell as drawn, in nominal pixels.
  CellSize shown_cell() const {
    const CellSize cell = live_.glyphs().glyphs->cell();
    const double scale = screen_.window->content_scale();
    return {std::max(1, static_cast<int>(std::lround(cell.width / scale))),
            std::max(1, static_cast<int>(std::lround(cell.height / scale)))};
  }

  void toggle_pause() {
    if (clock_.running()) {
      clock_.pause(Clock::now());
    } else {
      clock_.resume(Clock::now());
    }
  }

  /// Takes over the window's size; where the cells have to change with it, the old ones are shown until then.
  Result<void> follow_window() {
    const Extent pixels = screen_.window->framebuffer_size();
    if (pixels.width <= 0 || pixels.height <= 0) return {};
    TRY(screen_.display->resize(pixels));
    live_.follow_cell();
    return configure();
  }

  /// Sets the display up for the glyphs that are there, unless it is.
  Result<void> configure() {
    const Extent pixels = screen_.window->framebuffer_size();
    const LoadedGlyphs& shown = live_.glyphs();
    const GridSize grid = window_grid(shown.settings, pixels, shown.glyphs->cell());
    if (grid_ && *grid_ == grid) return {};
    TRY(screen_.display->configure(live_.setup(grid)));
    grid_ = grid;
    return {};
  }

  const cli::Settings& settings_;
  Screen& screen_;
  LiveSettings& live_;
  Statistics& statistics_;
  PresentationClock clock_ = [] {
    PresentationClock clock;
    clock.resume(Clock::now());
    return clock;
  }();
  std::optional<GridSize> grid_;  ///< that the display is set up for
  std::optional<Frame> last_;     ///< shown
  std::vector<double> times_seconds_;
  double end_seconds_ = 0;
  bool clock_is_new_ = false;  ///< started with a frame that was not shown yet
  bool minimised_ = false;
  bool resized_ = false;
  bool exposed_ = false;
  bool stale_ = false;  ///< what is shown of last_ is not what settings and window are now
};

/// The settings that keys change, for cells in this window. `title`: the window's without a message.
Result<std::unique_ptr<LiveSettings>> make_live_settings(const cli::Settings& settings, Screen& screen,
                                                         const std::string& title) {
  Window& window = *screen.window;
  present::Display& display = *screen.display;
  return LiveSettings::make({.asked = settings,
                             .cell_for =
                                 [&window](const cli::Settings& wanted) {
                                   return window_layout(wanted, window.framebuffer_size(), window.content_scale()).cell;
                                 },
                             .warm_up = [&display](const render::RenderSetup& setup) { display.warm_up(setup); },
                             .on_loaded = Window::wake,
                             .announce =
                                 [&window, &title](const std::string& message) {
                                   log::info("{}", message);
                                   window.set_title(fmt::format("{} - {}", title, message));
                                 }});
}

}  // namespace

Result<PlayEnd> play_in_window(const cli::Settings& settings) {
  StageTimes times;
  Statistics statistics;
  std::optional<Screen> screen;
  std::string title;
  std::unique_ptr<LiveSettings> live;  // destroyed before the screen that its thread wakes
  const auto start = Clock::now();
  for (const std::string& url : settings.inputs) {
    LateHostMemory memory;
    TRY_ASSIGN(std::unique_ptr<media::Source> source,
               open_input(settings, {.url = url, .memory = &memory, .times = &times}));
    statistics.input = source->facts();
    statistics.input_url = url;
    if (!screen) {
      Result<Screen> opened = open_screen(settings, times, statistics);
      if (!opened) {
        // A missing display is the caller's business (the terminal, a file); a demanded GPU is not.
        if (opened.error().code == ErrorCode::NoDevice && settings.renderer != cli::RendererChoice::Gpu) {
          log::info("{} {}", opened.error().message, opened.error().cause);
          return PlayEnd::NoDisplay;
        }
        return std::move(opened.error());
      }
      screen = *std::move(opened);
      const Placing placing = place_window(settings, *screen->window, display_aspect(source->facts()),
                                           source->facts().size.height);
      screen->window->show(placing.size, placing.position);
      if (settings.fullscreen) screen->window->toggle_fullscreen();
      TRY_ASSIGN(live, make_live_settings(settings, *screen, title));
    }
    memory.bind(screen->display->frame_memory());
    title = fmt::format("{} - glyphreel", url.substr(url.find_last_of('/') + 1));
    screen->window->set_title(title);
    WindowPlayer player(settings, *screen, *live, statistics);
    TRY_ASSIGN(const WindowPlayer::End end, player.play(*source));
    if (end == WindowPlayer::End::Quit) break;
  }
  if (screen) statistics.host_bytes_copied += screen->display->bytes_copied();
  statistics.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  TRY(write_statistics(statistics, live ? live->wanted() : settings, times));
  return PlayEnd::Finished;
}

}  // namespace glyphreel::player
