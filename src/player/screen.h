#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "cli/settings.h"
#include "gpu/device.h"
#include "media/source.h"
#include "player/glyph_loader.h"
#include "player/osd/progress_bar.h"
#include "player/playback.h"
#include "render/overlay.h"
#include "render/renderer.h"
#include "render/split_renderer.h"

namespace glyphreel::player {

/// A key or a button of the mouse was pressed, or repeats: mpv's name of it.
struct KeyInput {
  std::string key;
};
/// The mouse is over a cell of the grid; empty: it has left.
struct MouseInput {
  std::optional<MousePlace> place;
};
/// The left button was let go.
struct MouseReleased {};
/// The grid may have another size now.
struct SizeChanged {};
/// What was drawn is gone or covered.
struct PictureLost {};
/// The program was stopped for a while: its clock goes on from where it was.
struct ProgramResumed {};
struct FilesDropped {
  std::vector<std::string> paths;
};
struct CloseInput {};
using ScreenInput = std::variant<KeyInput, MouseInput, MouseReleased, SizeChanged, PictureLost,
                                 ProgramResumed, FilesDropped, CloseInput>;

/// Where a film is shown as text: a window or a terminal.
/// Thread-safety: the player's thread alone, but for wake() and warm_up().
class Screen {
 public:
  virtual ~Screen() = default;

  /// What happened since the last call; where nothing did, waits at most `timeout_seconds`, or for wake().
  [[nodiscard]] virtual Result<std::vector<ScreenInput>> wait(double timeout_seconds) = 0;
  virtual void wake() = 0;
  /// Whether the display is gone, after an error of wait() or show(). Then call only wake(), and leak the
  /// object: its destructor would talk to the lost server.
  [[nodiscard]] virtual bool is_lost() const { return false; }

  /// Before the first input is shown, with its facts: takes its place on the desktop.
  [[nodiscard]] virtual Result<void> open_for(const media::VideoFacts& facts) = 0;
  /// The cell that glyphs are to be drawn for, under these settings and the screen's size now.
  [[nodiscard]] virtual CellSize cell_for(const cli::Settings& settings) const = 0;
  /// The cell as shown, in nominal pixels; empty where cells have no pixels.
  [[nodiscard]] virtual std::optional<CellSize> shown_cell(CellSize cell) const = 0;
  [[nodiscard]] virtual GridSize grid_for(const LoadedGlyphs& glyphs) const = 0;

  /// The screen's size has changed: configure() follows where the grid changes with it.
  [[nodiscard]] virtual Result<void> follow_size() = 0;
  [[nodiscard]] virtual Result<void> configure(const LoadedGlyphs& glyphs,
                                               const render::RenderSetup& setup) = 0;
  virtual void warm_up(const render::RenderSetup& setup) = 0;
  virtual void adjust(const mapping::Adjustments& adjustments) = 0;
  virtual void set_effect(render::Effect effect) = 0;
  virtual void set_overlay(std::shared_ptr<const render::Overlay> overlay) = 0;

  [[nodiscard]] virtual Playback::Visibility visibility() = 0;
  /// See Playback::set_refresh_interval().
  [[nodiscard]] virtual double refresh_interval() const { return 0; }
  /// Shows a frame; false: it could not be seen.
  [[nodiscard]] virtual Result<bool> show(const Frame& frame) = 0;
  /// The frame that was shown last, with the effect and under the overlay of now.
  [[nodiscard]] virtual Result<void> show_again() = 0;

  /// Two renderers side by side, or null: its own one again. configure() and set_overlay() must follow. One
  /// `split` in the screen's life. Errors: Failed; then nothing has changed.
  [[nodiscard]] virtual Result<void> set_split(const std::shared_ptr<render::SplitRenderer>& split) = 0;
  /// The two of them; null: one renderer.
  [[nodiscard]] virtual const render::SplitRenderer* split() const = 0;
  /// What it is shown by; null: not by a GPU.
  [[nodiscard]] virtual std::shared_ptr<gpu::Device> device() const = 0;

  virtual void set_title(const std::string& title) = 0;
  virtual void set_fullscreen(bool on) = 0;
  [[nodiscard]] virtual bool is_fullscreen() const = 0;

  /// Whether a film is playing, at each turn: the screen stays on for it. Nothing to do for most.
  virtual void set_playing(bool /*playing*/) {}

  /// Where decoders should put frames; null: anywhere.
  [[nodiscard]] virtual HostMemory* frame_memory() = 0;
  /// What may decode for it.
  [[nodiscard]] virtual media::HardwareOffer hardware() const { return {}; }
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
};

}  // namespace glyphreel::player
