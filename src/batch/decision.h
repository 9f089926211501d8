#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "batch/item.h"

namespace glyphreel::batch {

/// Why an item is converted, or not.
enum class Reason {
  Done,          ///< not converted: the output is finished and up to date
  OutputExists,  ///< not converted: the output is a file that no run has made
  New,
  Forced,
  Unfinished,  ///< an earlier run was stopped
  FailedBefore,
  InputChanged,
  SettingsChanged,  ///< or the font or the program
  OutputMissing,
  OutputChanged,  ///< its size is not the one recorded
};
/// Returns the reason in words that follow the name of the item: "the input has changed".
[[nodiscard]] std::string_view reason_text(Reason reason);
[[nodiscard]] constexpr bool is_converted(Reason reason) {
  return reason != Reason::Done && reason != Reason::OutputExists;
}

/// What is there before an item runs.
struct Circumstances {
  bool is_forced = false;
  bool input_changed = false;  ///< since the recorded run
  bool settings_changed = false;
  std::optional<std::int64_t> output_bytes;  ///< size of the existing output; empty: there is none
};
/// Decides about an item. `known`: what an earlier run recorded for this output; null: nothing. Without
/// --force, an existing output is overwritten only if an earlier run recorded it.
[[nodiscard]] Reason decide(const Item* known, const Circumstances& now);

}  // namespace glyphreel::batch
