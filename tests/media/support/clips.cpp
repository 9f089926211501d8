#include "clips.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "media/ffmpeg/log_handler.h"

/// Tells LeakSanitizer to ignore libx265 3.5's leak of its frame filters' row buffers.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libx265\n";
}

namespace glyphreel::test {

namespace {

constexpr const char* FolderName = "glyphreel-media-";

/// Clips that this process made, keyed by ffmpeg arguments and file extension.
struct ClipCache {
  TempDir folder;
  std::map<std::pair<std::string, std::string>, std::string> paths;
};

/// Runs the ffmpeg program; fails the test if ffmpeg fails.
void run_ffmpeg(const std::string& arguments) {
  static_cast<void>(capture("ffmpeg -hide_banner -v error -nostdin -y " + arguments));
}

}  // namespace

TempDir::TempDir() {
  media::install_ffmpeg_log_handler();  // every test that uses FFmpeg has a TempDir
  std::string pattern =
      (std::filesystem::temp_directory_path() / (std::string(FolderName) + "XXXXXX")).string();
  const char* made = ::mkdtemp(pattern.data());
  if (made == nullptr) throw std::runtime_error("no temporary folder");
  path_ = made;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string capture(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  std::string output;
  char buffer[65536];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    output.append(buffer, count);
  const int status = ::pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ADD_FAILURE() << "failed: " << command;
  return output;
}

void ffmpeg(const std::string& arguments) {
  const std::size_t last = arguments.rfind(' ') + 1;
  const std::string options = arguments.substr(0, last);
  const std::string output = arguments.substr(last);
  // A clip is shared only if it is one file whose content depends on the arguments alone. This excludes clips
  // made from a test's own files, whose content may differ, and output names with a pattern, such as %d,
  // which stand for several files.
  const bool may_be_shared = options.find(FolderName) == std::string::npos &&
                             output.find(FolderName) != std::string::npos &&
                             output.find_first_of("%'\"") == std::string::npos;
  if (!may_be_shared) return run_ffmpeg(arguments);

  static ClipCache made;
  const std::string ending = std::filesystem::path(output).extension();
  std::string& path = made.paths[{options, ending}];
  if (path.empty()) {
    const std::string name = made.folder / (std::to_string(made.paths.size()) + ending);
    run_ffmpeg(options + name);
    if (!std::filesystem::exists(name)) return;
    path = name;
  }
  std::filesystem::copy_file(path, output, std::filesystem::copy_options::overwrite_existing);
}

std::vector<std::uint8_t> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::string> probe(const std::string& path, const std::string& arguments) {
  std::istringstream output(capture("ffprobe -v error " + arguments + " -of csv=p=0 '" + path + "'"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(output, line);) {
    while (!line.empty() && line.back() == ',') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::int64_t> probed_frame_pts(const std::string& path) {
  std::vector<std::int64_t> pts;
  for (const auto& line : probe(path, "-select_streams v:0 -show_entries frame=best_effort_timestamp")) {
    if (line.find_first_not_of("-0123456789") != std::string::npos) {
      ADD_FAILURE() << path << ": " << line;
      continue;
    }
    pts.push_back(std::stoll(line));
  }
  return pts;
}

std::vector<std::string> audio_packet_hashes(const std::string& path) {
  const auto lines = probe(path, "-select_streams a:0 -show_data_hash md5 -show_entries packet=data_hash");
  std::vector<std::string> hashes;
  for (const auto& line : lines) {
    const auto at = line.find("MD5:");  // side data of a packet may add lines without a hash
    if (at != std::string::npos) hashes.push_back(line.substr(at));
  }
  return hashes;
}

}  // namespace glyphreel::test
