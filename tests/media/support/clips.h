#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace glyphreel::test {

/// A temporary folder, deleted with the object.
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

/// Runs a shell command and returns its standard output; fails the test if the command fails.
[[nodiscard]] std::string capture(const std::string& command);
/// Runs the ffmpeg program with these arguments, of which the last is the output; an existing output is
/// replaced. If this process ran the same arguments before, the earlier output is copied: the caller may
/// modify its copy.
void ffmpeg(const std::string& arguments);

[[nodiscard]] std::vector<std::uint8_t> read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::vector<std::uint8_t>& bytes);

/// One entry per line of ffprobe's CSV output, without empty lines and trailing commas.
[[nodiscard]] std::vector<std::string> probe(const std::string& path, const std::string& arguments);
/// Presentation times of all video frames, in ticks, as reported by ffprobe.
[[nodiscard]] std::vector<std::int64_t> probed_frame_pts(const std::string& path);
/// MD5 of the payload of each packet of the first audio stream.
[[nodiscard]] std::vector<std::string> audio_packet_hashes(const std::string& path);

}  // namespace glyphreel::test
