#include "player/playlist/expand_inputs.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/io/read_file.h"
#include "base/natural_order.h"
#include "media/input/protocols.h"
#include "media/still/image_sequence.h"
#include "player/playlist/playlist_file.h"

namespace glyphreel::player {
namespace {

namespace fs = std::filesystem;

constexpr int MaxPlaylistDepth = 8;
constexpr int MaxFolderDepth = 16;           // also ends loops of symbolic links
constexpr std::size_t MaxEntries = 100'000;  // maximum number of entries; expand_collection() has no limit
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
  const std::string ending = lower(path.extension().string());
  return !ending.empty() && std::ranges::find(endings, std::string_view(ending).substr(1)) != endings.end();
}

bool path_exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// The videos and images in a folder and its subfolders.
struct FolderContents {
  std::size_t max_files = MaxEntries;
  std::vector<std::string> videos;
  std::vector<std::string> images;
  std::vector<std::string> both;  ///< videos and images, in the order found
};

/// Adds the files in a folder and its subfolders to `contents`. Returns the error of reading `folder` itself;
/// subfolders that cannot be read are skipped.
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
  std::ranges::sort(files, natural_less);
  std::ranges::sort(folders, natural_less);
  for (std::string& file : files) {
    if (contents.both.size() >= contents.max_files) return {};
    const bool is_video = has_ending(file, VideoEndings);
    if (!is_video && !has_ending(file, ImageEndings)) continue;
    contents.both.push_back(file);
    (is_video ? contents.videos : contents.images).push_back(std::move(file));
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
  std::ranges::sort(paths, natural_less);
  return paths;
}

/// Prefixes a relative path with `folder`, or with "." if `folder` is empty. With this prefix, a name such as
/// "camera:" or "a:b" is opened as a file, never as a device or URL.
std::string in_folder(const fs::path& folder, const std::string& location) {
  const fs::path path(location);
  if (path.is_absolute()) return location;
  return ((folder.empty() ? fs::path(".") : folder) / path).string();
}

void add_problem(ExpandedInputs& expanded, std::string message, std::string cause = {}) {
  expanded.problems.push_back({ErrorCode::BadInput, std::move(message), std::move(cause)});
}

void add_entry(ExpandedInputs& expanded, std::string url, std::string title = {}) {
  if (expanded.is_collection || expanded.entries.size() < MaxEntries)
    expanded.entries.push_back({std::move(url), std::move(title)});
}

void add_folder(ExpandedInputs& expanded, const std::string& folder) {
  FolderContents contents;
  if (expanded.is_collection) contents.max_files = std::numeric_limits<std::size_t>::max();
  if (const std::error_code failed = scan_folder(folder, 0, contents)) {
    add_problem(expanded, fmt::format("The directory {} cannot be read; check its permissions.", folder),
                failed.message());
    return;
  }
  // Images in a folder with videos are assumed to be covers and thumbnails, so playback skips them.
  std::vector<std::string>& found = expanded.is_collection    ? contents.both
                                    : contents.videos.empty() ? contents.images
                                                              : contents.videos;
  if (found.empty()) {
    add_problem(expanded,
                fmt::format("The directory {} contains no videos or pictures; choose another one.", folder));
  }
  for (std::string& path : found) add_entry(expanded, std::move(path));
}

void add_path(ExpandedInputs& expanded, const std::string& path, std::string title, int depth);

void add_playlist(ExpandedInputs& expanded, const std::string& path, int depth) {
  if (depth >= MaxPlaylistDepth) {
    add_problem(expanded, fmt::format("The playlist {} is nested more than {} levels deep; open it directly.",
                                      path, MaxPlaylistDepth));
    return;
  }
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? fmt::format(
                     "The playlist {} is larger than 16 MiB; check that it is a playlist, or split it.", path)
               : fmt::format("The playlist {} cannot be read; check its permissions.", path);
  };
  Result<std::string> text =
      read_file(path, {.max_bytes = MaxPlaylistBytes, .code = ErrorCode::BadInput, .explain = explain});
  if (!text) {
    expanded.problems.push_back(std::move(text.error()));
    return;
  }
  std::optional<std::vector<PlaylistEntry>> listed = read_playlist(path, *text);
  if (!listed) {
    add_entry(expanded, path);  // an HLS playlist is one stream
    return;
  }
  if (listed->empty())
    add_problem(expanded, fmt::format("The playlist {} is empty; add videos to it.", path));
  const fs::path folder = fs::path(path).parent_path();
  for (PlaylistEntry& entry : *listed) {
    if (media::is_network_url(entry.url)) {
      add_entry(expanded, std::move(entry.url), std::move(entry.title));
    } else {
      const auto named = path_of_file_url(entry.url);
      add_path(expanded, named ? *named : in_folder(folder, entry.url), std::move(entry.title), depth + 1);
    }
  }
}

/// Adds a path. Expands it first if it is a folder or a playlist. `depth`: nesting depth of the
/// playlist that contains the path, from 1; 0 if no playlist contains it.
void add_path(ExpandedInputs& expanded, const std::string& path, std::string title, int depth) {
  if (is_folder(path)) {
    add_folder(expanded, path);
  } else if (is_playlist_name(path) && path_exists(path)) {
    add_playlist(expanded, path, depth);
  } else {
    add_entry(expanded, path, std::move(title));
  }
}

void add_glob(ExpandedInputs& expanded, const std::string& pattern) {
  const std::vector<std::string> paths = matching_files(pattern);
  if (paths.empty()) {
    add_problem(expanded, fmt::format("No file matches {}; check the pattern.", pattern));
    return;
  }
  if (!expanded.is_collection && paths.size() > 1 && std::ranges::all_of(paths, has_picture_name)) {
    add_entry(expanded, "mf://" + pattern);
    return;
  }
  for (const std::string& path : paths) add_path(expanded, in_folder({}, path), {}, 0);
}

void add_input(ExpandedInputs& expanded, const std::string& input) {
  if (const auto path = path_of_file_url(input)) {
    add_path(expanded, *path, {}, 0);
  } else if (path_exists(input)) {
    add_path(expanded, input, {}, 0);
  } else if (media::read_address(input).kind != media::InputKind::File || !media::scheme_of(input).empty()) {
    add_entry(expanded, input);
  } else if (input.find_first_of("*?[{") != std::string::npos) {
    add_glob(expanded, input);
  } else if (media::find_number_field(input)) {
    add_entry(expanded, "mf://" + input);
  } else {
    add_entry(expanded, input);
  }
}

}  // namespace

bool has_picture_name(const std::string& path) {
  return has_ending(path, ImageEndings);
}

ExpandedInputs expand_inputs(const std::vector<std::string>& inputs) {
  ExpandedInputs expanded;
  for (const std::string& input : inputs) add_input(expanded, input);
  return expanded;
}

ExpandedInputs expand_collection(const std::vector<std::string>& inputs) {
  ExpandedInputs expanded{.is_collection = true};
  for (const std::string& input : inputs) add_input(expanded, input);
  return expanded;
}

ExpandedInputs expand_network_playlist(const std::string& url, std::string_view text) {
  ExpandedInputs expanded;
  std::optional<std::vector<PlaylistEntry>> listed = read_playlist(url, text);
  if (!listed) {
    expanded.entries.push_back({url, {}});
    return expanded;
  }
  for (PlaylistEntry& entry : *listed) {
    if (expanded.entries.size() >= MaxEntries) break;
    if (auto address = resolve_on_network(url, entry.url)) {
      expanded.entries.push_back({*std::move(address), std::move(entry.title)});
    } else {
      add_problem(expanded,
                  fmt::format("{} is skipped because playlists from the web may contain only http and https "
                              "addresses; open it directly.",
                              entry.url));
    }
  }
  if (expanded.entries.empty() && expanded.problems.empty()) {
    add_problem(expanded,
                fmt::format("The playlist {} is empty; open a different playlist.", media::shown_url(url)));
  }
  return expanded;
}

}  // namespace glyphreel::player
