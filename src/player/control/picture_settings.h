#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::player {

/// A setting of the picture that keys change: the option of the same name.
enum class PictureProperty { Mode, Color, Charset, Effect, Cell, Contrast, Brightness, Gamma, Saturation };

/// One step of a picture setting, as made by a key.
struct PictureStep {
  PictureProperty property = PictureProperty::Mode;
  int direction = 1;  ///< 1: more, -1: less; a mode, color, charset or effect is followed by the next anyway
};

struct PictureChange {
  bool needs_glyphs = false;  ///< or new tables, then configure(); LiveSettings::frame_options() has the rest
  std::string message;        ///< the new value for the user, such as "mode: edge"
};

/// Applies the step to the settings. `initial`: the command line's: keys can return to its charset, ramp and
/// cell shape. `shown_cell`: on screen, in nominal pixels; empty in a terminal, which has its own cells. If a
/// value is at its limit, nothing changes and the message says so. A new cell size drops a fixed --grid: the
/// grid then follows from the cells.
[[nodiscard]] PictureChange apply_step(cli::Settings& settings, PictureStep step,
                                       const cli::Settings& initial, std::optional<CellSize> shown_cell);

/// Sets a property to a value, parsed like the option of the same name; the current value is accepted too.
/// Errors: Usage if the option does not accept the value.
[[nodiscard]] Result<PictureChange> set_value(cli::Settings& settings, PictureProperty property,
                                              std::string_view value);

/// Returns the number of charsets that a key cycles through.
[[nodiscard]] int charset_count(const cli::Settings& initial);

}  // namespace glyphreel::player
