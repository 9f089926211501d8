#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::batch {

/// What a batch has done so far.
struct BatchProgress {
  std::size_t total = 0;  ///< items, not counting `skipped`
  std::size_t done = 0;   ///< converted in this run
  std::size_t failed = 0;
  std::size_t skipped = 0;  ///< items that earlier runs have done
  std::size_t waiting = 0;  ///< items that have not begun
  std::size_t running = 0;
  std::size_t unsaved = 0;                     ///< results that are not in the database yet
  std::int64_t frames = 0;                     ///< frames of finished items
  std::int64_t bytes_in = 0, bytes_total = 0;  ///< size of the inputs of finished items, and of all inputs
  std::int64_t bytes_out = 0;                  ///< size of the finished outputs
  double seconds = 0;                          ///< since the run began
  bool is_stopping = false;
};

/// Returns the estimated remaining time in seconds; negative while no item has finished. Estimates from the
/// bytes of the inputs, or, if these are unknown, from the number of items.
[[nodiscard]] double remaining_seconds(const BatchProgress& progress);

/// Returns the progress line: the numbers of finished items and of all items, rates, the numbers of waiting,
/// running and unsaved items, and the remaining time.
[[nodiscard]] std::string progress_line(const BatchProgress& progress);

/// Returns a status line for --json: an object whose message_type is "status", in the style of restic.
[[nodiscard]] std::string status_json(const BatchProgress& progress,
                                      const std::vector<std::string>& current_items);
/// Returns the last line that --json prints: an object whose message_type is "summary".
[[nodiscard]] std::string summary_json(const BatchProgress& progress);
/// Returns the summary as a sentence.
[[nodiscard]] std::string summary_text(const BatchProgress& progress);

}  // namespace glyphreel::batch
