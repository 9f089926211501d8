#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/geometry.h"
#include "base/result.h"
#include "base/threads/background_call.h"
#include "cli/options/settings.h"
#include "player/control/picture_settings.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// The results of the slow part of changing glyphs.
struct LoadedGlyphs {
  cli::Settings settings;     ///< that they were made for
  render::RenderSetup setup;  ///< without a grid
};

/// The settings of a running player. Keys change them. The glyphs that a change needs are made on another
/// thread; until they are ready, playback continues with the old ones.
/// Thread-safety: the player's thread only.
class LiveSettings {
 public:
  struct Options {
    cli::Settings initial;
    /// The cell size for these settings now: the window may have a different size at each call.
    std::function<CellSize(const cli::Settings&)> cell_for;
    /// Renderer::warm_up(), called on another thread; may be empty. The setup has no grid yet.
    std::function<void(const render::RenderSetup&)> warm_up = {};
    std::function<void()> on_loaded;                   ///< called on another thread; only wakes the player
    std::function<void(const std::string&)> announce;  ///< shows the user one short line
  };

  /// Makes the first glyphs and returns when they are ready. Errors: Usage: charset, ramp, font.
  [[nodiscard]] static Result<std::unique_ptr<LiveSettings>> make(Options options);

  /// Applies a key's step. `shown_cell`: see apply_step().
  void press(PictureStep step, std::optional<CellSize> shown_cell);
  /// Sets a property to a value that set_value() accepts.
  void set(PictureProperty property, std::string_view value);
  /// Call this when the window size changes: requests new glyphs if the cell size has to change with it.
  void sync_cell();
  /// Whether new glyphs are ready: then call configure() with setup(). If they could not be made, the old
  /// ones and their settings stay, and the user gets a message.
  [[nodiscard]] bool poll();

  /// The settings as the keys left them; glyphs() may lag behind.
  [[nodiscard]] const cli::Settings& wanted() const { return wanted_; }
  /// The glyphs on screen.
  [[nodiscard]] const LoadedGlyphs& glyphs() const { return shown_; }
  /// How frames are drawn from now on, without text.
  [[nodiscard]] render::FrameOptions frame_options() const;
  [[nodiscard]] render::RenderSetup setup(GridSize grid) const;
  [[nodiscard]] CellSize cell() const { return shown_.setup.glyphs->cell(); }

 private:
  LiveSettings(Options options, LoadedGlyphs first);
  void apply(const PictureChange& change);
  void request();
  void start_loading();

  Options options_;
  cli::Settings wanted_;
  LoadedGlyphs shown_;
  CellSize requested_cell_;
  int failed_charsets_ = 0;                                ///< in a row
  bool is_outdated_ = false;                               ///< what is being loaded is no longer wanted
  std::unique_ptr<BackgroundCall<LoadedGlyphs>> loading_;  ///< null: nothing is
};

}  // namespace glyphreel::player
