#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "gpu/device/device.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/stream/video_facts.h"
#include "player/control/live_settings.h"
#include "player/osd/progress_bar.h"
#include "player/playback/playback.h"
#include "present/terminal/graphics_support.h"
#include "render/renderer.h"
#include "render/split_renderer.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// A key or mouse button was pressed, or a key that is held down repeats. `key`: mpv's name of the key or
/// button.
struct KeyInput {
  std::string key;
};
/// The mouse moved. An empty position: the mouse has left the grid.
struct MouseInput {
  std::optional<MousePosition> position;
};
/// The left mouse button was released.
struct MouseRelease {};
/// The grid may have a new size.
struct SizeChanged {};
/// The window must be redrawn because it was covered or its content was lost.
struct WindowExposed {};
/// The program runs again after it was suspended. Playback continues where it was suspended.
struct ProgramResumed {};
struct FileDrop {
  std::vector<std::string> paths;
};
struct CloseRequest {};
using UiEvent = std::variant<KeyInput, MouseInput, MouseRelease, SizeChanged, WindowExposed, ProgramResumed,
                             FileDrop, CloseRequest>;

/// Shows a video as text in a window or a terminal.
/// Thread-safety: the player's thread only, except wake() and warm_up().
class VideoOutput {
 public:
  virtual ~VideoOutput() = default;

  /// Returns the events since the last call. If there are none, first waits for an event, a call of wake() or
  /// the timeout.
  [[nodiscard]] virtual Result<std::vector<UiEvent>> wait(double timeout_seconds) = 0;
  virtual void wake() = 0;
  /// Whether the connection to the display was lost; call this after an error of wait() or show(). If it was
  /// lost, call only wake() and can_be_destroyed().
  [[nodiscard]] virtual bool is_lost() const { return false; }
  /// Returns false if the object must be leaked, because its destructor would access a lost display, or wait
  /// for a driver that is blocked.
  [[nodiscard]] virtual bool can_be_destroyed() const { return true; }
  /// Hides the output, and frees what a blocked driver does not use. Call this before the object is leaked,
  /// unless is_lost(). After this call, call nothing else. Does not block.
  virtual void abandon() {}

  /// Shows the window, or switches the terminal to the alternate screen. Call it before the first input is
  /// shown. `facts`: the facts of the first input.
  [[nodiscard]] virtual Result<void> open_for(const media::VideoFacts& facts) = 0;
  /// Returns the characters that the output cannot show in one cell, or in two cells if they are wide. Call
  /// it after open_for().
  [[nodiscard]] virtual std::vector<text::CharacterRange> missing_characters() const { return {}; }
  /// Returns the cell size at which to draw glyphs, for these settings and the output's current size.
  [[nodiscard]] virtual CellSize cell_for(const cli::Settings& settings) const = 0;
  /// Returns the size of the cell on screen, in device pixels divided by the display scale; empty for a
  /// terminal that shows characters instead of images.
  [[nodiscard]] virtual std::optional<CellSize> shown_cell(CellSize cell) const = 0;
  [[nodiscard]] virtual GridSize grid_for(const LoadedGlyphs& glyphs) const = 0;

  /// Adapts to a new size of the output. If the grid changes, configure() must follow.
  [[nodiscard]] virtual Result<void> sync_size() = 0;
  /// Sets up the output for new glyphs or a new grid. `split`: the split view that draws from now on; null:
  /// the output's own renderer draws. Only one split view may be used in an output's lifetime. Errors: those
  /// of Renderer::configure(). After an error, call configure() again.
  [[nodiscard]] virtual Result<void> configure(const LoadedGlyphs& glyphs, const render::RenderSetup& setup,
                                               const std::shared_ptr<render::SplitRenderer>& split) = 0;

  [[nodiscard]] virtual Playback::Visibility visibility() = 0;
  /// Returns the timing of the screen, for Playback::set_screen_timing().
  [[nodiscard]] virtual ScreenTiming screen_timing() const { return {}; }
  /// Shows a frame. If `frame` is null, redraws the last frame with these options, without mapping it.
  /// Returns false if the frame was not displayed, for example in a minimized window. Call it after
  /// configure().
  [[nodiscard]] virtual Result<bool> show(const Frame* frame, const render::FrameOptions& options) = 0;

  /// Returns the device that presents the frames; null if no GPU does.
  [[nodiscard]] virtual std::shared_ptr<gpu::Device> device() const = 0;

  virtual void set_title(const std::string& title) = 0;
  /// Replaces the content of the desktop's clipboard. Has no effect in a terminal that does not allow it.
  virtual void copy_to_clipboard(const std::string& text) = 0;
  virtual void set_fullscreen(bool on) = 0;
  [[nodiscard]] virtual bool is_fullscreen() const = 0;

  /// Keeps the screen saver off while a video is playing. Call this in each iteration of the player's loop.
  /// Does nothing by default.
  virtual void set_playing(bool /*playing*/) {}

  /// Returns the hardware decoders that may be used for this output.
  [[nodiscard]] virtual media::HwDecodeContext hardware() const { return {}; }

  /// See Renderer::warm_up(). Thread-safety: any thread.
  void warm_up(const render::RenderSetup& setup) { renderer().warm_up(setup); }
  /// Returns the memory that decoders should write frames to; null: any memory.
  [[nodiscard]] HostMemory* frame_memory() const { return own_.frame_memory(); }
  /// Returns the split view if it draws; null if the output's own renderer draws.
  [[nodiscard]] const render::SplitRenderer* split() const {
    return &renderer() == split_ ? split_ : nullptr;
  }
  /// See Renderer::bytes_copied().
  [[nodiscard]] std::uint64_t bytes_copied() const {
    return own_.bytes_copied() + (split_ != nullptr ? split_->bytes_copied() : 0);
  }

 protected:
  /// `own`: the renderer that draws while no split view is in use. The derived class must keep `own` and the
  /// split view alive.
  explicit VideoOutput(render::Renderer& own) : own_(own), drawing_(&own) {}
  /// Returns the renderer that draws.
  [[nodiscard]] render::Renderer& renderer() const { return *drawing_; }
  void draw_with(render::SplitRenderer* split) {
    if (split != nullptr) split_ = split;
    drawing_ = split != nullptr ? split : &own_;
  }

 private:
  render::Renderer& own_;
  render::SplitRenderer* split_ = nullptr;  ///< the last split view; null until first used
  std::atomic<render::Renderer*> drawing_;  ///< `own_` or `split_`
};

/// Whether a new output may use the GPU. After a GPU hang, the next output avoids the GPU, unless
/// `--renderer gpu` is set or nothing else can draw to the window.
enum class GpuUse { Allowed, Avoided };

/// Creates an output that shows frames in a window. The GPU or the CPU draws the frames. Without a GPU,
/// frames are presented through X11 shared memory if possible; otherwise Vulkan presents them. The window is
/// hidden until open_for(). All arguments must outlive the output. Errors: NoDevice if there is no display,
/// or if neither Vulkan nor shared memory works.
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_window_output(const cli::Settings& settings,
                                                                      StageTimes& times,
                                                                      session::Statistics& statistics,
                                                                      GpuUse gpu_use);

/// Creates an output that shows frames in the terminal on standard output. The terminal is unchanged until
/// open_for(), which returns NoDevice if there is no terminal. With `--terminal-graphics kitty` or
/// `--terminal-graphics sixel`, the output sends images to the terminal. `support`: what the terminal reports
/// about image support. In `settings`, --terminal-graphics must not be `auto`: before this call, replace
/// `auto` with the result of present::choose_graphics().
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_terminal_output(
    const cli::Settings& settings, const present::GraphicsSupport& support, StageTimes& times,
    session::Statistics& statistics);

}  // namespace glyphreel::player
