#include "player/command_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/user_folders.h"
#include "cli/assets.h"

namespace glyphreel::player {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t MaxFolderFiles = 100'000;  // as many as are played of one

void add_folder(const std::string& folder, InputFiles& files) {
  std::error_code failed;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end && count < MaxFolderFiles;
       entry.increment(failed), ++count) {
    files.add(entry->path().string());
  }
}

void add_input(const std::string& input, InputFiles& files) {
  std::error_code ignored;
  if (input == "-") {
    files.add_descriptor(STDIN_FILENO);
  } else if (fs::is_directory(input, ignored)) {
    add_folder(input, files);
  } else if (const Result<std::string> demo = cli::find_asset("demo.mp4"); input == "demo:" && demo) {
    files.add(*demo);
  } else {
    files.add(input);
    // What FFmpeg's protocols and filter graphs put around a file's name.
    constexpr std::string_view Separators = ":|,;='\"[]";
    for (std::size_t at = 0; at < input.size();) {
      const std::size_t end = std::min(input.find_first_of(Separators, at), input.size());
      if (end > at) files.add(input.substr(at, end - at));
      at = end + 1;
    }
    if (constexpr std::string_view FileUrl = "file://"; input.starts_with(FileUrl)) files.add(input.substr(FileUrl.size()));
  }
}

/// Devices and FIFOs can be several outputs at once.
bool is_stream(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code problem;
  if (fs::equivalent(a, b, problem)) return true;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a, problem), problem);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b, problem), problem);
  return !problem && whole_a == whole_b;
}

}  // namespace

InputFiles input_files(const cli::Settings& settings) {
  InputFiles files;
  for (const std::string& input : settings.inputs) add_input(input, files);
  for (const std::string* file : {&settings.subtitle_file, &settings.palette_file, &settings.font, &settings.config_file}) {
    if (!file->empty()) files.add(*file);
  }
  if (settings.charset.starts_with('@')) files.add(settings.charset.substr(1));
  if (const fs::path folder = config_folder(); !folder.empty()) {
    for (const char* name : {"config.toml", "input.conf"}) files.add((folder / name).string());
  }
  return files;
}

AtomicFile::Options output_file(const cli::Settings& settings) {
  return {.path = settings.output,
          .existing = settings.overwrite ? AtomicFile::Existing::Replace : AtomicFile::Existing::Refuse,
          .inputs = input_files(settings)};
}

AtomicFile::Options statistics_file(const cli::Settings& settings) {
  return {.path = settings.stats_file, .existing = AtomicFile::Existing::Replace, .inputs = input_files(settings)};
}

Result<void> check_outputs(const cli::Settings& settings) {
  std::vector<std::string> outputs;
  for (const std::string* output : {&settings.output, &settings.stats_file, &settings.log_file}) {
    if (!output->empty()) outputs.push_back(*output);
  }
  if (outputs.empty()) return {};
  const InputFiles inputs = input_files(settings);
  for (const std::string& output : outputs) {
    if (!inputs.contains(output)) continue;
    return Error{ErrorCode::Usage, fmt::format("The output {} is an input of the same command: name another file.", output), {}};
  }
  if (!settings.output.empty()) outputs.push_back(part_path(settings.output));
  if (!settings.report_directory.empty()) outputs.push_back(settings.report_directory + "/index.html");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (is_stream(outputs[i]) || !is_same_file(outputs[i], outputs[j])) continue;
      return Error{ErrorCode::Usage,
                   fmt::format("The outputs {} and {} are the same file: name two.", outputs[j], outputs[i]), {}};
    }
  }
  return settings.stats_file.empty() ? Result<void>() : AtomicFile::check(statistics_file(settings));
}

}  // namespace glyphreel::player
