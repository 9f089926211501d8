#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "player/control/property_value.h"

namespace glyphreel::player {

/// A setting that keys and commands change while the player runs. Each setting has the same name as its
/// command-line option.
enum class PictureProperty {
  Mode,
  Color,
  Charset,
  Effect,
  Cell,
  Contrast,
  Brightness,
  Gamma,
  Saturation,
  Legibility,
  Stability,
  Dither,
  Palette,
  Reverse,
  Invert,
  AutoLevels,
  Fg,
  Bg,
  Font,
  Fit,
  ToneMapping,
  Glow,
  Scanlines,
  Look,
};
inline constexpr std::size_t PictureProperties = static_cast<std::size_t>(PictureProperty::Look) + 1;

/// A change of a picture setting relative to its current value: any action except Set.
struct PictureStep {
  PictureProperty property = PictureProperty::Mode;
  PropertyAction action = PropertyAction::Cycle;
  double amount = 1;  ///< 1 or -1 with Cycle
};

struct PictureChange {
  bool needs_glyphs = false;  ///< whether new glyphs or tables are needed; if not, only
                              ///< LiveSettings::frame_options() changes
  std::string message;        ///< shows the user the new value, such as "mode: edge"
};

/// Returns the setting's name, which is also its option's name.
[[nodiscard]] std::string_view picture_name(PictureProperty property);
/// Returns the values that the setting accepts. Charset and cell are Choices without a list, because
/// apply_step() defines their steps.
[[nodiscard]] PropertyDomain picture_domain(PictureProperty property);
[[nodiscard]] PropertyValue picture_value(const cli::Settings& settings, PictureProperty property);

/// Applies the step to the settings. `initial`: the settings of the command line, which provide a custom
/// charset or ramp and the cell's aspect ratio. `shown_cell`: the size of a cell on screen, in device pixels
/// divided by the display scale; empty in a terminal, whose font determines the cell size. If the value is
/// already at its limit, nothing changes and the message reports the limit. A new cell size clears a fixed
/// --grid; the grid is then computed from the cell size.
[[nodiscard]] PictureChange apply_step(cli::Settings& settings, PictureStep step,
                                       const cli::Settings& initial, std::optional<CellSize> shown_cell);

/// Sets a property to a value, which is parsed as for the option of the same name. The palette also accepts
/// "no", and a flag accepts "yes" or "no". Setting the current value again is not an error. Errors: Usage if
/// the value is not accepted.
[[nodiscard]] Result<PictureChange> set_value(cli::Settings& settings, PictureProperty property,
                                              std::string_view value);

/// Returns the number of charsets that a key cycles through.
[[nodiscard]] int charset_count(const cli::Settings& initial);

}  // namespace glyphreel::player
