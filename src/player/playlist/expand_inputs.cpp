#include "player/playlist/expand_inputs.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/natural_order.h"
#include "base/io/read_file.h"
#include "media/still/image_sequence.h"
#include "media/input/protocols.h"
#include "player/playlist/playlist_file.h"

namespace glyphreel::player {
namespace {

namespace fs = std::filesystem;

constexpr int MaxPlaylistDepth = 8;
constexpr int MaxFolderDepth = 16;           // also ends loops of symbolic links
constexpr std::size_t MaxEntries = 100'000;  // of one expansion
constexpr std::size_t MaxPlaylistBytes = 16U << 20U;

constexpr std::array<std::string_view, 34> VideoEndings = {
    "mp4", "m4v", "mkv",  "webm", "mov",   "avi",  "mpg",  "mpeg", "m2v", "m2ts", "mts", "ts",
    "vob", "wmv", "asf",  "flv",  "f4v",   "ogv",  "ogm",  "3gp",  "3g2", "mxf",  "nut", "y4m",
    "dv",  "rm",  "rmvb", "divx", "mjpeg", "mjpg", "h264", "hevc", "gif", "apng"};
constexpr std::array<std::string_view, 20> ImageEndings = {"png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff",
                                                           "ppm", "pgm", "pbm",  "pnm",  "pam", "tga", "exr",
                                                           "dpx", "jp2", "avif", "heic", "jxl", "qoi"};

template <std::size_t N>
bool has_ending(const fs::path& path, const std::array<std::string_view, N>& endings) {
  std::string ending = path.extension().string();
  if (ending.empty()) return false;
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::find(endings.begin(), endings.end(), std::string_view(ending).substr(1)) != endings.end();
}

Error problem(std::string message, std::string cause = {}) {
  return {ErrorCode::BadInput, std::move(message), std::move(cause)};
}

bool path_exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

void sort_naturally(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end(), natural_less);
}

/// What a folder and its subfolders contain.
struct FolderContents {
  std::vector<std::string> videos;
  std::vector<std::string> images;
};

/// Returns the error of reading `folder` itself; subfolders that cannot be read are skipped.
std::error_code scan_folder(const fs::path& folder, int depth, FolderContents& contents) {
  std::error_code failed;
  std::vector<std::string> files;
  std::vector<std::string> folders;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const fs::path& path = entry->path();
    if (path.filename().string().starts_with('.')) continue;
    (is_folder(path.string()) ? folders : files).push_back(path.string());
  }
  if (failed) return failed;
  sort_naturally(files);
  sort_naturally(folders);
  for (std::string& file : files) {
    if (contents.videos.size() + contents.images.size() >= MaxEntries) return {};
    if (has_ending(file, VideoEndings)) {
      contents.videos.push_back(std::move(file));
    } else if (has_ending(file, ImageEndings)) {
      contents.images.push_back(std::move(file));
    }
  }
  if (depth >= MaxFolderDepth) return {};
  for (const std::string& below : folders) scan_folder(below, depth + 1, contents);
  return {};
}

std::vector<std::string> matching_files(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  sort_naturally(paths);
  return paths;
}

/// Puts a folder before a relative path, so that "camera:" or "a:b" in a playlist can only be a file.
std::string in_folder(const fs::path& folder, const std::string& location) {
  const fs::path path(location);
  if (path.is_absolute()) return location;
  return ((folder.empty() ? fs::path(".") : folder) / path).string();
}

class Expander {
 public:
  void add(const std::string& input);
  [[nodiscard]] ExpandedInputs take() { return std::move(expanded_); }

 private:
  void add_entry(std::string url, std::string title = {});
  void add_path(const std::string& path, std::string title, int depth);
  void add_folder(const std::string& folder);
  void add_glob(const std::string& pattern);
  void add_playlist(const std::string& path, int depth);

  ExpandedInputs expanded_;
};

void Expander::add(const std::string& input) {
  const auto path = path_of_file_url(input);
  if (path) {
    add_path(*path, {}, 0);
  } else if (path_exists(input)) {
    add_path(input, {}, 0);
  } else if (media::read_address(input).kind != media::InputKind::File || !media::scheme_of(input).empty()) {
    add_entry(input);
  } else if (input.find_first_of("*?[{") != std::string::npos) {
    add_glob(input);
  } else if (media::find_number_place(input)) {
    add_entry("mf://" + input);
  } else {
    add_entry(input);
  }
}

void Expander::add_entry(std::string url, std::string title) {
  if (expanded_.entries.size() < MaxEntries) expanded_.entries.push_back({std::move(url), std::move(title)});
}

void Expander::add_path(const std::string& path, std::string title, int depth) {
  if (is_folder(path)) {
    add_folder(path);
  } else if (is_playlist_name(path) && path_exists(path)) {
    add_playlist(path, depth);
  } else {
    add_entry(path, std::move(title));
  }
}

void Expander::add_folder(const std::string& folder) {
  FolderContents contents;
  if (const std::error_code failed = scan_folder(folder, 0, contents)) {
    expanded_.problems.push_back(problem(
        fmt::format("The directory {} cannot be read: check its permissions.", folder), failed.message()));
    return;
  }
  // Pictures next to videos are their covers and thumbnails.
  std::vector<std::string>& found = contents.videos.empty() ? contents.images : contents.videos;
  if (found.empty()) {
    expanded_.problems.push_back(
        problem(fmt::format("The directory {} contains no videos or pictures.", folder)));
  }
  for (std::string& path : found) add_entry(std::move(path));
}

void Expander::add_glob(const std::string& pattern) {
  const std::vector<std::string> paths = matching_files(pattern);
  if (paths.empty()) {
    expanded_.problems.push_back(problem(fmt::format("No file matches {}: check the pattern.", pattern)));
    return;
  }
  const bool are_images = std::all_of(paths.begin(), paths.end(),
                                      [](const std::string& path) { return has_ending(path, ImageEndings); });
  if (are_images && paths.size() > 1) {
    add_entry("mf://" + pattern);
    return;
  }
  for (const std::string& path : paths) add_path(in_folder({}, path), {}, 0);
}

void Expander::add_playlist(const std::string& path, int depth) {
  if (depth >= MaxPlaylistDepth) {
    expanded_.problems.push_back(problem(fmt::format(
        "{} is skipped: playlists may be nested at most {} levels deep.", path, MaxPlaylistDepth)));
    return;
  }
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? fmt::format("The playlist {} is larger than 16 MiB: it is damaged or endless.", path)
               : fmt::format("The playlist {} cannot be read: check its permissions.", path);
  };
  Result<std::string> read =
      read_file(path, {.max_bytes = MaxPlaylistBytes, .code = ErrorCode::BadInput, .explain = explain});
  if (!read) {
    expanded_.problems.push_back(std::move(read.error()));
    return;
  }
  const std::string& text = *read;
  std::vector<PlaylistLine> lines;
  if (is_pls_name(path)) {
    lines = read_pls(text);
  } else if (auto listed = read_m3u(text)) {
    lines = *std::move(listed);
  } else {
    add_entry(path);  // HLS on disk
    return;
  }
  if (lines.empty()) expanded_.problems.push_back(problem(fmt::format("The playlist {} is empty.", path)));
  const fs::path folder = fs::path(path).parent_path();
  for (PlaylistLine& line : lines) {
    if (media::is_network_url(line.location)) {
      add_entry(std::move(line.location), std::move(line.title));
    } else {
      const auto named = path_of_file_url(line.location);
      add_path(named ? *named : in_folder(folder, line.location), std::move(line.title), depth + 1);
    }
  }
}

}  // namespace

std::string PlaylistEntry::name() const {
  if (!title.empty()) return title;
  if (media::is_network_url(url)) return media::shown_url(url);
  const std::string file = fs::path(url).filename().string();
  return media::read_address(url).kind != media::InputKind::File || file.empty() ? url : file;
}

ExpandedInputs expand_inputs(const std::vector<std::string>& inputs) {
  Expander expander;
  for (const std::string& input : inputs) expander.add(input);
  return expander.take();
}

ExpandedInputs expand_network_playlist(const std::string& url, std::string_view text) {
  ExpandedInputs expanded;
  std::vector<PlaylistLine> lines;
  if (is_pls_name(url)) {
    lines = read_pls(text);
  } else if (auto listed = read_m3u(text)) {
    lines = *std::move(listed);
  } else {
    expanded.entries.push_back({url, {}});
    return expanded;
  }
  for (PlaylistLine& line : lines) {
    if (expanded.entries.size() >= MaxEntries) break;
    if (auto address = resolve_on_network(url, line.location)) {
      expanded.entries.push_back({*std::move(address), std::move(line.title)});
    } else {
      expanded.problems.push_back(
          problem(fmt::format("{} is skipped: a playlist from the web may contain only http and https "
                              "addresses; open it directly instead.",
                              line.location)));
    }
  }
  if (expanded.entries.empty() && expanded.problems.empty()) {
    expanded.problems.push_back(problem(fmt::format("The playlist {} is empty.", media::shown_url(url))));
  }
  return expanded;
}

}  // namespace glyphreel::player
