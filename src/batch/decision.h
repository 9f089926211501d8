#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "batch/item.h"

namespace glyphreel::batch {

/// Why an item is or is not converted.
enum class Reason {
  Done,          ///< not converted: the output is finished and up to date
  OutputExists,  ///< not converted: the output exists, and no run is recorded for it
  New,
  Forced,
  Unfinished,  ///< an earlier run was stopped
  FailedBefore,
  InputChanged,
  SettingsChanged,  ///< the settings, the font or the program changed
  OutputMissing,
  OutputChanged,  ///< the output's size differs from the recorded size
};
/// Returns the reason as a clause to print after the item's name: "the input has changed".
[[nodiscard]] std::string_view reason_text(Reason reason);
[[nodiscard]] constexpr bool is_converted(Reason reason) {
  return reason != Reason::Done && reason != Reason::OutputExists;
}

/// What decide() compares with the record of an item.
struct Circumstances {
  bool is_forced = false;
  bool input_changed = false;                ///< whether the input changed since the recorded run
  bool settings_changed = false;             ///< whether the settings, the font or the program changed
  std::optional<std::int64_t> output_bytes;  ///< size of the existing output; empty: there is none
};
/// Decides whether to convert an item. `known`: the item that an earlier run recorded for the same output;
/// null: none. Without --force, an existing output is overwritten only if an earlier run recorded it.
[[nodiscard]] Reason decide(const Item* known, const Circumstances& now);

}  // namespace glyphreel::batch
