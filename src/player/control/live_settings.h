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
#include "text/charset.h"

namespace glyphreel::player {

/// A render setup with its glyphs. Slow to create.
struct LoadedGlyphs {
  cli::Settings settings;     ///< the settings that the glyphs were made for
  render::RenderSetup setup;  ///< its grid is not set
};

/// The settings that keys change while the player runs. If a change needs new glyphs, a background thread
/// makes the glyphs. Until these are ready, playback continues with the old glyphs.
/// Thread-safety: the player's thread only.
class LiveSettings {
 public:
  struct Options {
    cli::Settings initial;
    /// Returns the cell size for these settings at the current window size.
    std::function<CellSize(const cli::Settings&)> cell_for;
    /// Calls Renderer::warm_up() with a setup that has no grid. Called on a background thread; may be empty.
    std::function<void(const render::RenderSetup&)> warm_up = {};
    /// Called on a background thread when poll() has a result. Must do nothing except wake the player.
    std::function<void()> on_loaded;
    std::function<void(const std::string&)> announce;  ///< shows the user one short line
  };

  /// Makes the first glyphs and returns when they are ready. Errors: Usage if the charset, ramp or font is
  /// invalid.
  [[nodiscard]] static Result<std::unique_ptr<LiveSettings>> make(Options options);

  /// Applies a command's step. `shown_cell`: see apply_step().
  void press(PictureStep step, std::optional<CellSize> shown_cell);
  /// Sets a property to a value, see set_value(). Errors: Usage if the property's option does not accept the
  /// value, or if there is no palette, font or charset with this name.
  [[nodiscard]] Result<void> set(PictureProperty property, std::string_view value);
  /// Sets the characters that the output cannot show. From now on, no glyphs are made for them. If the
  /// current charset contains any of them, replaces the current glyphs before returning, and announces what
  /// is drawn instead. Errors: as for make().
  [[nodiscard]] Result<void> leave_out(std::vector<text::CharacterRange> missing);
  /// Call this when the window size changes. Requests new glyphs if the cell size changes as a result.
  void sync_cell();
  /// Returns whether new glyphs are ready. If so, call VideoOutput::configure() with setup(). If the
  /// requested glyphs could not be made, announces the error, keeps the old glyphs, and changes the settings
  /// as follows. If a step selected the failed charset, requests the next charset, until all charsets have
  /// failed. Otherwise, returns to the mode, charset, font, cell and palette of the newest pending request
  /// whose settings differ from the failed ones. If there is no such request, returns to the settings of the
  /// old glyphs.
  [[nodiscard]] bool poll();

  /// Returns the settings with all changes so far. glyphs() may still return the glyphs of earlier settings.
  [[nodiscard]] const cli::Settings& wanted() const { return wanted_; }
  /// Returns the glyphs on screen.
  [[nodiscard]] const LoadedGlyphs& glyphs() const { return shown_; }
  /// Returns the options for drawing the next frames. Their overlay is not set.
  [[nodiscard]] render::FrameOptions frame_options() const;
  [[nodiscard]] render::RenderSetup setup(GridSize grid) const;
  [[nodiscard]] CellSize cell() const { return shown_.setup.glyphs->cell(); }

 private:
  LiveSettings(Options options, LoadedGlyphs first);
  void apply(const PictureChange& change);
  [[nodiscard]] std::string fallback_of(const cli::Settings& settings) const;
  void request();
  void start_loading();

  Options options_;
  cli::Settings wanted_;
  LoadedGlyphs shown_;
  CellSize requested_cell_;
  std::vector<cli::Settings> requests_;  ///< settings whose glyphs are not loaded yet, oldest first
  std::vector<text::CharacterRange> missing_;
  /// The last step that changed the charset; empty if there was no such step, or if set() requested new
  /// glyphs after the step.
  std::optional<PictureStep> charset_step_;
  int failed_charsets_ = 0;   ///< number of consecutive charsets that could not be loaded
  bool is_outdated_ = false;  ///< whether there is a newer request than the one being loaded
  std::unique_ptr<BackgroundCall<LoadedGlyphs>> loading_;  ///< null: nothing is being loaded
};

}  // namespace glyphreel::player
