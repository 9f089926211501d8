#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "gpu/device/device.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/stream/video_facts.h"
#include "player/control/glyph_loader.h"
#include "player/osd/progress_bar.h"
#include "player/playback/playback.h"
#include "render/overlay.h"
#include "render/renderer.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// A key or mouse button was pressed, or repeats. `key`: mpv's name for it.
struct KeyInput {
  std::string key;
};
/// The mouse is over a cell of the grid; empty: it has left.
struct MouseInput {
  std::optional<MousePlace> place;
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
  [[nodiscard]] virtual Result<void> configure(const LoadedGlyphs& glyphs,
                                               const render::RenderSetup& setup) = 0;
  virtual void warm_up(const render::RenderSetup& setup) = 0;
  virtual void adjust(const mapping::Adjustments& adjustments) = 0;
  virtual void set_effect(render::Effect effect) = 0;
  virtual void set_overlay(std::shared_ptr<const render::Overlay> overlay) = 0;

  [[nodiscard]] virtual Playback::Visibility visibility() = 0;
  /// See Playback::set_refresh_interval().
  [[nodiscard]] virtual double refresh_interval() const { return 0; }
  /// Shows a frame; returns false if it could not be seen.
  [[nodiscard]] virtual Result<bool> show(const Frame& frame) = 0;
  /// Redraws the last frame with the current effect and overlay.
  [[nodiscard]] virtual Result<void> show_again() = 0;

  /// Switches to two renderers side by side; null: back to its own one. configure() and set_overlay() must
  /// follow. There is one `split` in an output's lifetime. Errors: Failed; then nothing has changed.
  [[nodiscard]] virtual Result<void> set_split(const std::shared_ptr<render::SplitRenderer>& split) = 0;
  /// Returns the two renderers; null: there is one renderer.
  [[nodiscard]] virtual const render::SplitRenderer* split() const = 0;
  /// Returns the device that presents the frames; null: not a GPU.
  [[nodiscard]] virtual std::shared_ptr<gpu::Device> device() const = 0;

  virtual void set_title(const std::string& title) = 0;
  virtual void set_fullscreen(bool on) = 0;
  [[nodiscard]] virtual bool is_fullscreen() const = 0;

  /// Reports at each step whether a video is playing, so that the screen stays on. Does nothing by default.
  virtual void set_playing(bool /*playing*/) {}

  /// Returns where decoders should put frames; null: anywhere.
  [[nodiscard]] virtual HostMemory* frame_memory() = 0;
  /// Returns the hardware that may decode for this output.
  [[nodiscard]] virtual media::HwDecodeContext hardware() const { return {}; }
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
};

/// Shows a frame like VideoOutput::show(). A frame that can no longer be read is left out, as if nobody could
/// have seen it: its decoder was replaced, and playback continues.
[[nodiscard]] inline Result<bool> show_unless_lost(VideoOutput& screen, const Frame& frame) {
  Result<bool> seen = screen.show(frame);
  const bool is_lost = !seen && frame.surface && frame.surface->is_lost();
  return is_lost ? Result<bool>(false) : seen;
}

}  // namespace glyphreel::player
