#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::batch {

/// What a batch has done so far.
struct Progress {
  std::size_t total = 0;  ///< items, without those that were done before
  std::size_t done = 0;   ///< converted in this run
  std::size_t failed = 0;
  std::size_t skipped = 0;  ///< done before
  std::size_t waiting = 0;  ///< items that have not begun
  std::size_t running = 0;
  std::size_t unsaved = 0;                     ///< results that are not in the database yet
  std::int64_t frames = 0;                     ///< of finished items
  std::int64_t bytes_in = 0, bytes_total = 0;  ///< of the inputs: of finished items, and of all
  std::int64_t bytes_out = 0;
  double seconds = 0;  ///< since the beginning
  bool is_stopping = false;
};

/// Returns the remaining time in seconds, by the bytes of the inputs, or by their number if that is unknown;
/// negative while nothing has finished.
[[nodiscard]] double remaining_seconds(const Progress& progress);

/// Returns the progress line: items finished and in total, rates, numbers of waiting, running and unsaved
/// items, time left.
[[nodiscard]] std::string progress_line(const Progress& progress);

/// Returns a line of --json, as restic prints them: an object whose message_type is "status".
[[nodiscard]] std::string status_json(const Progress& progress,
                                      const std::vector<std::string>& current_items);
/// Returns the line that ends the output of --json, whose message_type is "summary".
[[nodiscard]] std::string summary_json(const Progress& progress);
/// Returns the summary in words.
[[nodiscard]] std::string summary_text(const Progress& progress);

}  // namespace glyphreel::batch
