#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::session {

// A list of the files that were played with --save-position, and of the position at which to resume each
// file. The list is stored in state_folder().

struct RecentFile {
  std::string path;    ///< absolute, with symbolic links resolved
  double seconds = 0;  ///< where to resume; 0: at the start
  bool operator==(const RecentFile&) const = default;
};

inline constexpr std::size_t MaxRecentFiles = 100;

/// Parses one file per line, "SECONDS PATH". Skips malformed lines.
[[nodiscard]] std::vector<RecentFile> parse_recent_files(std::string_view text);
[[nodiscard]] std::string recent_files_text(std::span<const RecentFile> files);

/// Puts `file` first. Removes the file's earlier entry, and entries at the end if there are more than
/// MaxRecentFiles.
void put_first(std::vector<RecentFile>& files, RecentFile file);

/// Returns `seconds`; 0 if that position is in the first 5 seconds of the input, or in the last 5 seconds or
/// 2 %, whichever is longer.
[[nodiscard]] double resume_seconds(double seconds, std::optional<double> duration);

/// Returns the saved files, most recently played first; none if the list is missing or unreadable.
[[nodiscard]] std::vector<RecentFile> load_recent_files();

/// Returns where to resume this input; 0 if it has no saved position.
[[nodiscard]] double saved_position(const std::string& url);
/// Saves where to resume this input; 0: at the start. Does nothing for inputs other than files. Best effort:
/// a failure is only logged.
void save_position(const std::string& url, double seconds);

}  // namespace glyphreel::session
