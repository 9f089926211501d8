#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/settings.h"
#include "player/glyph_loader.h"
#include "player/picture_settings.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// The settings of a running player. Keys change them; the glyphs that a change needs are made on another
/// thread, and until they are there the old ones go on playing. Thread-safety: the player's thread alone.
class LiveSettings {
 public:
  struct Options {
    cli::Settings asked;
    /// The cell size that these settings give now: the window may have another size at each call.
    std::function<CellSize(const cli::Settings&)> cell_for;
    /// Renderer::warm_up(), called on another thread; may be empty. The setup has no grid yet.
    std::function<void(const render::RenderSetup&)> warm_up = {};
    std::function<void()> on_loaded;                   ///< called on another thread: a wake-up, no more
    std::function<void(const std::string&)> announce;  ///< tells the user one short line
  };

  /// Makes the first glyphs, and returns when they are there. Errors: Usage: charset, ramp, font.
  [[nodiscard]] static Result<std::unique_ptr<LiveSettings>> make(Options options);

  /// Makes a key's step. After Change::Tone: Renderer::adjust(); after Change::Effect:
  /// Renderer::set_effect(). `shown_cell`: see PictureContext.
  Change press(PictureStep step, std::optional<CellSize> shown_cell);
  /// Gives a property a value that set_value() takes. What follows is as after press().
  Change set(std::string_view property, std::string_view value);
  /// To be called when the window has a new size: new glyphs follow where the cells have to change with it.
  void follow_cell();
  /// Whether new glyphs have come: configure() with setup(). Where they could not be made, the old ones and
  /// their settings stay, and the user is told.
  [[nodiscard]] bool poll();

  /// As the keys left them; glyphs() may be behind.
  [[nodiscard]] const cli::Settings& wanted() const { return wanted_; }
  /// What is shown.
  [[nodiscard]] const LoadedGlyphs& glyphs() const { return shown_; }
  [[nodiscard]] mapping::Adjustments adjustments() const;
  [[nodiscard]] render::Effect effect() const;
  [[nodiscard]] render::RenderSetup setup(GridSize grid) const;

 private:
  LiveSettings(Options options, LoadedGlyphs first);
  Change follow(const PictureChange& change);
  void request();

  Options options_;
  cli::Settings wanted_;
  LoadedGlyphs shown_;
  CellSize requested_cell_;
  int refused_charsets_ = 0;  ///< in a row
  GlyphLoader loader_;
};

}  // namespace glyphreel::player
