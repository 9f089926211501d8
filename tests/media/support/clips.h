#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace glyphreel::test {

/// A temporary folder, deleted with this object.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  /// Returns the path of `name` in the folder.
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs a shell command and returns its standard output; fails the test if the command fails.
[[nodiscard]] std::string capture(const std::string& command);
/// Runs the ffmpeg program with these arguments, the last of which is the output file. Replaces an existing
/// file. If this process has already made a clip with the same arguments except for the file's name, copies
/// that clip. The caller may modify the output file.
void ffmpeg(const std::string& arguments);

[[nodiscard]] std::vector<std::uint8_t> read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes);

/// Returns ffprobe's CSV output, one entry per line, without empty lines and trailing commas.
[[nodiscard]] std::vector<std::string> probe(const std::string& path, const std::string& arguments);
/// Returns the presentation times of all video frames, in ticks, as reported by ffprobe.
[[nodiscard]] std::vector<std::int64_t> probed_frame_pts(const std::string& path);
/// Returns the MD5 of each packet's payload in the first audio stream.
[[nodiscard]] std::vector<std::string> audio_packet_hashes(const std::string& path);

}  // namespace glyphreel::test
