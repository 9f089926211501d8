#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::session {

// The files that were played with --save-position, and where to resume them, in state_folder().

/// A file that was played.
struct RecentFile {
  std::string path;    ///< absolute, without links
  double seconds = 0;  ///< where to resume; 0: at the start
  bool operator==(const RecentFile&) const = default;
};

inline constexpr std::size_t MaxRecentFiles = 100;

/// Parses one file per line, "SECONDS PATH". Skips lines that have another form.
[[nodiscard]] std::vector<RecentFile> parse_recent_files(std::string_view text);
[[nodiscard]] std::string recent_files_text(std::span<const RecentFile> files);

/// Puts `file` first and removes its earlier entry, and the last entries if there are more than
/// MaxRecentFiles.
void put_first(std::vector<RecentFile>& files, RecentFile file);

/// Returns `seconds` if resuming there is useful; 0 if that is within the first or last seconds of the input.
[[nodiscard]] double resume_seconds(double seconds, std::optional<double> duration);

/// Returns the saved files, the last one played first; none if the list is missing or unreadable.
[[nodiscard]] std::vector<RecentFile> load_recent_files();

/// Returns where to resume this input; 0 if it has no saved position.
[[nodiscard]] double saved_position(const std::string& url);
/// Saves where to resume this input; 0: at the start. Does nothing for inputs other than files. Best effort:
/// a failure is only logged.
void save_position(const std::string& url, double seconds);

}  // namespace glyphreel::session
