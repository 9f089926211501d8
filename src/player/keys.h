#pragma once

#include <optional>
#include <string>

#include "base/geometry.h"
#include "cli/settings.h"
#include "player/command.h"

namespace glyphreel::player {

/// One step of the settings of the picture, as a key makes it.
enum class KeyAction {
  NextMode,
  NextColor,
  NextCharset,
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
[[nodiscard]] std::optional<KeyAction> picture_action(const Command& command);

/// What has to follow a change of the settings.
enum class Change {
  None,
  Tone,    ///< Renderer::adjust(), at once
  Glyphs,  ///< new glyphs or tables, then configure()
};

struct KeyEffect {
  Change change = Change::None;
  std::string
      message;  ///< the new value for the user, such as "mode: edge"
};

/// What apply_key() has to know besides the settings.
struct KeyContext {
  const cli::Settings& asked;  ///< the command line's: an own charset, ramp and cell shape stay within reach
  /// Cells as shown, in nominal pixels; empty in a terminal, which has cells of its own.
  std::optional<CellSize> shown_cell;
};

/// Changes the settings as the action says. Where a value is at its end nothing changes, and the message says
/// so. Other cells end a fixed --grid: it follows from them.
[[nodiscard]] KeyEffect apply_key(cli::Settings& settings, KeyAction action, const KeyContext& context);

/// How many charsets NextCharset goes through.
[[nodiscard]] int charset_count(const cli::Settings& asked);

}  // namespace glyphreel::player
