#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace glyphreel::test {

/// A folder that goes with the object.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  /// The path of `name` in the folder.
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs a shell command and returns what it wrote to standard output; fails the test where it fails.
[[nodiscard]] std::string capture(const std::string& command);
/// Runs the ffmpeg program with these arguments, of which the last is the output; an existing output is
/// replaced. What this process made before with the same arguments is copied instead: the caller may change
/// its copy.
void ffmpeg(const std::string& arguments);

[[nodiscard]] std::vector<std::uint8_t> read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes);

/// One entry per line of ffprobe's CSV output, empty lines and trailing commas dropped.
[[nodiscard]] std::vector<std::string> probe(const std::string& path, const std::string& arguments);
/// Presentation times of all video frames, in ticks, as ffprobe tells them.
[[nodiscard]] std::vector<std::int64_t> probed_frame_pts(const std::string& path);
/// MD5 of each packet's payload of the first audio stream.
[[nodiscard]] std::vector<std::string> audio_packet_hashes(const std::string& path);

}  // namespace glyphreel::test
