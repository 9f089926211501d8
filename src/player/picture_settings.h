#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/settings.h"
#include "player/command.h"

namespace glyphreel::player {

/// One step of the settings of the picture, as a key makes it.
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

/// The step that a command makes; empty: it is not about the settings of the picture.
[[nodiscard]] std::optional<PictureStep> picture_step(const Command& command);

/// What has to follow a change of the settings.
enum class Change {
  None,
  Tone,    ///< Renderer::adjust(), at once
  Effect,  ///< Renderer::set_effect(), at once
  Glyphs,  ///< new glyphs or tables, then configure()
};

struct PictureChange {
  Change change = Change::None;
  std::string message;  ///< the new value for the user, such as "mode: edge"
};

/// What take_step() has to know besides the settings.
struct PictureContext {
  const cli::Settings& asked;  ///< the command line's: an own charset, ramp and cell shape stay within reach
  /// Cells as shown, in nominal pixels; empty in a terminal, which has cells of its own.
  std::optional<CellSize> shown_cell;
};

/// Changes the settings as the step says. Where a value is at its end nothing changes, and the message says
/// so. Other cells end a fixed --grid: it follows from them.
[[nodiscard]] PictureChange take_step(cli::Settings& settings, PictureStep step,
                                      const PictureContext& context);

/// Whether set_value() knows the property.
[[nodiscard]] bool is_picture_property(std::string_view property);

/// Gives a property a value, as the option of its name takes it; the same one too. Errors: Usage where the
/// option does not take it.
[[nodiscard]] Result<PictureChange> set_value(cli::Settings& settings, std::string_view property,
                                              std::string_view value);

/// How many charsets NextCharset goes through.
[[nodiscard]] int charset_count(const cli::Settings& asked);

}  // namespace glyphreel::player
