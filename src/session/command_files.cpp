#include "session/command_files.h"

#include <fmt/format.h>
#include <glob.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/io/read_file.h"
#include "base/io/user_folders.h"
#include "cli/assets.h"
#include "media/still/image_sequence.h"

namespace glyphreel::session {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ImageSequence = "mf://";
constexpr std::size_t MaxFolderFiles = 100'000;  // the maximum number of files played from one folder

void add_folder(const std::string& folder, InputFiles& files) {
  std::error_code failed;
  std::size_t count = 0;
  constexpr auto Options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(folder, Options, failed), end;
       !failed && entry != end && count < MaxFolderFiles; entry.increment(failed), ++count) {
    files.add(entry->path().string());
  }
}

/// Adds the pictures that "mf://PATTERN" matches. The pattern may contain a number ("%03d").
void add_sequence(std::string pattern, InputFiles& files) {
  if (const std::optional<media::NumberField> number = media::find_number_field(pattern)) {
    pattern.replace(number->at, number->length, "*");
  }
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.add(found.gl_pathv[i]);
  }
  ::globfree(&found);
}

/// If `path` is a playlist, a local HLS or DASH file, or a file in FFmpeg's ffconcat format, adds the files
/// that it names. Treats each line, and each part of a line between quotes, whitespace, "=", "<" or ">", as a
/// possible file name.
void add_list(const std::string& path, InputFiles& files) {
  constexpr std::size_t MaxListBytes = 8U << 20U;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) > MaxListBytes) return;
  const Result<std::string> text =
      read_file(path, {.max_bytes = MaxListBytes, .explain = [](FileProblem) { return std::string(); }});
  constexpr std::array Heads = {"#EXTM3U", "ffconcat", "[playlist]", "<?xml", "<MPD"};
  const std::string extension = fs::path(path).extension().string();
  const bool is_list = ::strncasecmp(extension.c_str(), ".m3u", 4) == 0 ||
                       std::any_of(Heads.begin(), Heads.end(),
                                   [&](const char* head) { return text && text->starts_with(head); });
  if (!text || !is_list) return;
  const fs::path folder = fs::path(path).parent_path();
  const auto add_names = [&](std::string_view separators) {
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find_first_of(separators, at), text->size());
      if (end > at) files.add((folder / text->substr(at, end - at)).string());
      at = end + 1;
    }
  };
  add_names("\r\n");
  add_names("\r\n=\"'<>");
  add_names("\r\n=\"'<> \t");
}

void add_input(const std::string& input, InputFiles& files) {
  std::error_code ignored;
  if (input == "-") {
    files.add_descriptor(STDIN_FILENO);
  } else if (fs::is_directory(input, ignored)) {
    add_folder(input, files);
  } else if (input == "demo:") {
    if (const Result<std::string> demo = cli::find_asset("demo.mp4")) files.add(*demo);
  } else {
    files.add(input);
    add_list(input, files);
    add_sequence(input.starts_with(ImageSequence) ? input.substr(ImageSequence.size()) : input, files);
    // Characters that separate file names in URLs of FFmpeg's protocols and in filter graphs.
    constexpr std::string_view Separators = ":|,;='\"[]";
    for (std::size_t at = 0; at < input.size();) {
      const std::size_t end = std::min(input.find_first_of(Separators, at), input.size());
      if (end > at) files.add(input.substr(at, end - at));
      at = end + 1;
    }
    if (constexpr std::string_view FileUrl = "file://"; input.starts_with(FileUrl))
      files.add(input.substr(FileUrl.size()));
  }
}

/// Whether `path` is a device or FIFO, which several outputs may share.
bool is_stream(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code problem;
  if (fs::equivalent(a, b, problem)) return true;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(resolve_links(a), problem), problem);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(resolve_links(b), problem), problem);
  return !problem && whole_a == whole_b;
}

}  // namespace

InputFiles input_files(const cli::Settings& settings) {
  InputFiles files;
  for (const std::string& input : settings.inputs) add_input(input, files);
  for (const std::string* file : {&settings.subtitles.file, &settings.picture.palette_file,
                                  &settings.layout.font, &settings.config.file}) {
    if (!file->empty()) files.add(*file);
  }
  if (settings.glyphs.charset.starts_with('@')) files.add(settings.glyphs.charset.substr(1));
  if (const fs::path folder = config_folder(); !folder.empty()) {
    for (const char* name : {"config.toml", "input.conf"}) files.add((folder / name).string());
  }
  return files;
}

AtomicFile::Options statistics_file(const cli::Settings& settings) {
  return {.path = settings.report.stats_file,
          .existing = AtomicFile::Existing::Replace,
          .inputs = input_files(settings)};
}

Result<void> check_outputs(const cli::Settings& settings) {
  std::vector<std::string> outputs;
  for (const std::string* output :
       {&settings.recording.output, &settings.report.stats_file, &settings.report.log_file}) {
    if (!output->empty()) outputs.push_back(*output);
  }
  if (outputs.empty()) return {};
  const InputFiles inputs = input_files(settings);
  for (const std::string& output : outputs) {
    if (!inputs.contains(output)) continue;
    return Error{
        ErrorCode::Usage,
        fmt::format("The output {} is an input of the same command: choose a different output.", output)};
  }
  if (!settings.recording.output.empty())
    outputs.push_back(part_path(resolve_links(settings.recording.output)));
  if (!settings.report.directory.empty()) outputs.push_back(settings.report.directory + "/index.html");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (is_stream(outputs[i]) || !is_same_file(outputs[i], outputs[j])) continue;
      return Error{ErrorCode::Usage,
                   fmt::format("The outputs {} and {} are the same file: choose two different files.",
                               outputs[j], outputs[i])};
    }
  }
  return settings.report.stats_file.empty() ? Result<void>() : AtomicFile::check(statistics_file(settings));
}

}  // namespace glyphreel::session
