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
#include "render/renderer.h"
#include "render/split_renderer.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// A key or mouse button was pressed, or repeats. `key`: mpv's name for it.
struct KeyInput {
  std::string key;
};
/// The mouse is over a cell of the grid; empty: it has left.
struct MouseInput {
  std::optional<MousePosition> position;
};
/// The left mouse button was released.
struct MouseReleased {};
/// The grid may have a new size.
struct SizeChanged {};
/// What was drawn is lost or was covered.
struct WindowExposed {};
/// The program was suspended for a while: playback continues from where it was.
struct ProgramResumed {};
struct FilesDropped {
  std::vector<std::string> paths;
};
struct CloseInput {};
using UiEvent = std::variant<KeyInput, MouseInput, MouseReleased, SizeChanged, WindowExposed, ProgramResumed,
                             FilesDropped, CloseInput>;

/// Where a video is shown as text: a window or a terminal.
/// Thread-safety: the player's thread only, except wake() and warm_up().
class VideoOutput {
 public:
  virtual ~VideoOutput() = default;

  /// Returns what happened since the last call; if nothing did, waits for an event, `timeout_seconds` or
  /// wake().
  [[nodiscard]] virtual Result<std::vector<UiEvent>> wait(double timeout_seconds) = 0;
  virtual void wake() = 0;
  /// Whether the display is gone, after an error of wait() or show(). Then call only wake(), and leak the
  /// object: its destructor would talk to the lost server.
  [[nodiscard]] virtual bool is_lost() const { return false; }

  /// Opens the output on the desktop, or takes over the terminal, before the first input is shown. `facts`:
  /// of that input.
  [[nodiscard]] virtual Result<void> open_for(const media::VideoFacts& facts) = 0;
  /// Returns the cell to draw glyphs for, under these settings and at the current size of the screen.
  [[nodiscard]] virtual CellSize cell_for(const cli::Settings& settings) const = 0;
  /// Returns the cell as shown, in nominal pixels; empty if cells have no pixels.
  [[nodiscard]] virtual std::optional<CellSize> shown_cell(CellSize cell) const = 0;
  [[nodiscard]] virtual GridSize grid_for(const LoadedGlyphs& glyphs) const = 0;

  /// Adapts to a new size of the screen; configure() follows if the grid changes with it.
  [[nodiscard]] virtual Result<void> sync_size() = 0;
  /// Sets up for new glyphs or another grid. `split`: draws from now on; null: the output's own renderer
  /// does. There is one split view in an output's lifetime. Errors: those of Renderer::configure(), after
  /// which configure() must be called again.
  [[nodiscard]] virtual Result<void> configure(const LoadedGlyphs& glyphs, const render::RenderSetup& setup,
                                               const std::shared_ptr<render::SplitRenderer>& split) = 0;

  [[nodiscard]] virtual Playback::Visibility visibility() = 0;
  /// See Playback::set_refresh_interval().
  [[nodiscard]] virtual double refresh_interval() const { return 0; }
  /// Shows a frame; null: redraws the last one with these options, without mapping it. Returns false if it
  /// could not be seen. Call it after configure().
  [[nodiscard]] virtual Result<bool> show(const Frame* frame, const render::FrameOptions& options) = 0;

  /// Returns the device that presents the frames; null: not a GPU.
  [[nodiscard]] virtual std::shared_ptr<gpu::Device> device() const = 0;

  virtual void set_title(const std::string& title) = 0;
  virtual void set_fullscreen(bool on) = 0;
  [[nodiscard]] virtual bool is_fullscreen() const = 0;

  /// Reports at each step whether a video is playing, so that the screen stays on. Does nothing by default.
  virtual void set_playing(bool /*playing*/) {}

  /// Returns the hardware that may decode for this output.
  [[nodiscard]] virtual media::HwDecodeContext hardware() const { return {}; }

  /// See Renderer::warm_up(). Thread-safety: any thread.
  void warm_up(const render::RenderSetup& setup) { renderer().warm_up(setup); }
  /// Returns where decoders should put frames; null: anywhere.
  [[nodiscard]] HostMemory* frame_memory() const { return own_.frame_memory(); }
  /// Returns the split view if it draws; null: the output's own renderer does.
  [[nodiscard]] const render::SplitRenderer* split() const {
    return &renderer() == split_ ? split_ : nullptr;
  }
  /// See Renderer::bytes_copied().
  [[nodiscard]] std::uint64_t bytes_copied() const {
    return own_.bytes_copied() + (split_ != nullptr ? split_->bytes_copied() : 0);
  }

 protected:
  /// `own`: draws unless configure() gets a split view. The derived object keeps both.
  explicit VideoOutput(render::Renderer& own) : own_(own), drawing_(&own) {}
  /// The renderer that draws.
  [[nodiscard]] render::Renderer& renderer() const { return *drawing_; }
  void draw_with(render::SplitRenderer* split) {
    if (split != nullptr) split_ = split;
    drawing_ = split != nullptr ? split : &own_;
  }

 private:
  render::Renderer& own_;
  render::SplitRenderer* split_ = nullptr;  ///< the last one; null until there was one
  std::atomic<render::Renderer*> drawing_;  ///< `own_` or `split_`
};

/// Creates a window in which the GPU, or the CPU presented through Vulkan, shows frames. It is hidden until
/// open_for(). All arguments outlive it. Errors: NoDevice if there is no display or no Vulkan device.
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_window_output(const cli::Settings& settings,
                                                                      StageTimes& times,
                                                                      session::Statistics& statistics);

/// Creates the output to the terminal on standard output, which it does not take over until open_for().
/// Errors: NoDevice if there is no terminal.
[[nodiscard]] Result<std::unique_ptr<VideoOutput>> make_terminal_output(const cli::Settings& settings,
                                                                        StageTimes& times,
                                                                        session::Statistics& statistics);

}  // namespace glyphreel::player
