#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/settings.h"
#include "player/control/player_command.h"

namespace glyphreel::player {

/// One step of the picture settings, as made by a key.
enum class PictureStep {
  NextMode,
  NextColor,
  NextCharset,
  NextEffect,
  LargerCells,
  SmallerCells,
  LessContrast,
  MoreContrast,
  LessBrightness,
  MoreBrightness,
  LessGamma,
  MoreGamma,
  LessSaturation,
  MoreSaturation,
};

/// Returns the step that a command makes; empty: the command does not concern the picture settings.
[[nodiscard]] std::optional<PictureStep> picture_step(const Command& command);

/// What the caller must do after a change of the settings.
enum class Change {
  None,
  Tone,    ///< Renderer::adjust(), immediately
  Effect,  ///< Renderer::set_effect(), immediately
  Glyphs,  ///< new glyphs or tables, then configure()
};

struct PictureChange {
  Change change = Change::None;
  std::string message;  ///< the new value for the user, such as "mode: edge"
};

/// What take_step() needs besides the settings.
struct PictureContext {
  const cli::Settings& asked;  ///< the command line's: keys can return to its charset, ramp and cell shape
  /// Cells on screen, in nominal pixels; empty in a terminal, which has its own cells.
  std::optional<CellSize> shown_cell;
};

/// Applies the step to the settings. If a value is at its limit, nothing changes and the message says so. A
/// new cell size drops a fixed --grid: the grid then follows from the cells.
[[nodiscard]] PictureChange take_step(cli::Settings& settings, PictureStep step,
                                      const PictureContext& context);

/// Whether set_value() accepts the property.
[[nodiscard]] bool is_picture_property(std::string_view property);

/// Sets a property to a value, parsed like the option of the same name; the current value is accepted too.
/// Errors: Usage if the option does not accept the value.
[[nodiscard]] Result<PictureChange> set_value(cli::Settings& settings, std::string_view property,
                                              std::string_view value);

/// Returns the number of charsets that NextCharset cycles through.
[[nodiscard]] int charset_count(const cli::Settings& asked);

}  // namespace glyphreel::player
