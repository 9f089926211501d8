#include "session/recent_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/read_file.h"
#include "base/io/user_folders.h"

namespace glyphreel::session {
namespace {

// Playback does not resume at positions this close to the start or the end. The last few percent of a video
// are usually credits.
constexpr double MinSeconds = 5;
constexpr double MinRemainingShare = 0.02;

std::filesystem::path list_path() {
  const std::filesystem::path folder = state_folder();
  return folder.empty() ? folder : folder / "recent";
}

/// Returns the absolute path of a file, with symbolic links resolved; empty for other inputs, and for names
/// with a line break, which the list cannot hold.
std::string path_of(const std::string& url) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(url, problem)) return {};
  const std::string path = std::filesystem::canonical(url, problem).string();
  return problem || path.find('\n') != std::string::npos ? std::string() : path;
}

}  // namespace

std::vector<RecentFile> parse_recent_files(std::string_view text) {
  std::vector<RecentFile> files;
  while (!text.empty() && files.size() < MaxRecentFiles) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    RecentFile file;
    const char* const end = line.data() + line.size();
    const auto [after, problem] = std::from_chars(line.data(), end, file.seconds);
    const bool is_valid = problem == std::errc() && std::isfinite(file.seconds) && file.seconds >= 0 &&
                          end - after > 1 && after[0] == ' ' && after[1] == '/';
    if (!is_valid) continue;
    file.path.assign(after + 1, end);
    files.push_back(std::move(file));
  }
  return files;
}

std::string recent_files_text(std::span<const RecentFile> files) {
  std::string text;
  for (const RecentFile& file : files) text += fmt::format("{:.3f} {}\n", file.seconds, file.path);
  return text;
}

void put_first(std::vector<RecentFile>& files, RecentFile file) {
  std::erase_if(files, [&](const RecentFile& other) { return other.path == file.path; });
  files.insert(files.begin(), std::move(file));
  if (files.size() > MaxRecentFiles) files.resize(MaxRecentFiles);
}

double resume_seconds(double seconds, std::optional<double> duration) {
  const double last = duration ? *duration - std::max(MinSeconds, *duration * MinRemainingShare) : HUGE_VAL;
  return seconds >= MinSeconds && seconds <= last ? seconds : 0;
}

std::vector<RecentFile> load_recent_files() {
  const std::filesystem::path path = list_path();
  if (path.empty()) return {};
  const Result<std::string> text =
      read_file(path.string(), {.max_bytes = 1U << 20, .explain = [](FileProblem) { return std::string(); }});
  return text ? parse_recent_files(*text) : std::vector<RecentFile>();
}

double saved_position(const std::string& url) {
  const std::string path = path_of(url);
  const std::vector<RecentFile> files = load_recent_files();
  const auto found = std::ranges::find(files, path, &RecentFile::path);
  return found == files.end() ? 0 : found->seconds;
}

void save_position(const std::string& url, double seconds) {
  const std::filesystem::path list = list_path();
  const std::string path = path_of(url);
  if (list.empty() || path.empty()) return;
  std::vector<RecentFile> files = load_recent_files();
  put_first(files, {path, seconds});
  std::error_code ignored;
  std::filesystem::create_directories(list.parent_path(), ignored);
  const Result<void> written = write_file({.path = list.string(),
                                           .existing = AtomicFile::Existing::Replace,
                                           .temporary = AtomicFile::Temporary::Hidden},
                                          recent_files_text(files));
  if (!written) log::warn("The playback position could not be saved: {}", full_text(written.error()));
}

}  // namespace glyphreel::session
