#include "media/input/input_errors.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace glyphreel::media {
namespace {

/// Whether FFmpeg might interpret `url` as more than the name of one file: "a:" as a protocol, "%03d" as a
/// sequence of files.
bool may_be_more_than_a_file(const std::string& url) {
  return url.find(':') != std::string::npos || url.find('%') != std::string::npos;
}

/// Whether the file starts like ISO media or Matroska. "Not a media file" would then be a wrong message.
bool starts_like_media(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const std::unique_ptr<std::FILE, FreeDirect<std::fclose>> file(std::fopen(path.c_str(), "rb"));
  std::array<char, 8> head{};
  if (file == nullptr || std::fread(head.data(), 1, head.size(), file.get()) != head.size()) return false;
  return std::memcmp(head.data() + 4, "ftyp", 4) == 0 || std::memcmp(head.data(), "\x1A\x45\xDF\xA3", 4) == 0;
}

/// If `averror` means that the server or the connection to it failed, returns a message that says so, with
/// "{}" for the input's name. Otherwise, returns null.
const char* network_sentence(int averror) {
  switch (averror) {
    case AVERROR_HTTP_NOT_FOUND:
      return "{} was not found on its server; check the address.";
    case AVERROR_HTTP_UNAUTHORIZED:
    case AVERROR_HTTP_FORBIDDEN:
      return "{} cannot be read because its server requires a login or denies access; check the address.";
    case AVERROR_HTTP_BAD_REQUEST:
    case AVERROR_HTTP_OTHER_4XX:
      return "{} was rejected by its server; check the address.";
    case AVERROR_HTTP_SERVER_ERROR:
      return "{} is unavailable because its server failed; try again later.";
    case AVERROR(ECONNREFUSED):
      return "{} cannot be reached because no server responds; check the address and its port.";
    case AVERROR(ETIMEDOUT):
      return "{} did not answer in time; check its name and the connection.";
    default:
      return nullptr;
  }
}

/// Returns a message that says why FFmpeg could not open an input, with "{}" for the input's name.
const char* opening_sentence(InputKind kind, const std::string& url, int averror) {
  switch (kind) {
    case InputKind::Camera:
      return "The camera {} sends no pictures; close other programs that may be using it.";
    case InputKind::Screen:
      return "{} cannot be captured; an X server must be running on the display that DISPLAY names, and the "
             "region must be on its screen.";
    case InputKind::Procedural:
      return "{} is not a filter graph that FFmpeg can run; \"man ffmpeg-filters\" lists the filters, "
             "including sources of video.";
    case InputKind::Network:
      if (const char* sentence = network_sentence(averror); sentence != nullptr) return sentence;
      break;
    default:
      break;
  }
  if (averror == AVERROR_EOF) return "{} is empty; choose a media file.";
  if (averror == AVERROR_PROTOCOL_NOT_FOUND)
    return "{} is neither a file nor an address whose protocol this FFmpeg supports; check its name.";
  if (averror != AVERROR_INVALIDDATA) {
    return kind == InputKind::File
               ? "{} is damaged, or FFmpeg does not support its format; choose a different file."
               : "{} cannot be opened; check its name and the connection.";
  }
  return starts_like_media(url)
             ? "{} lacks stream information: it is damaged or was cut short; copy it again."
             : "{} is not a media file that FFmpeg supports; choose a video or an image.";
}

/// Returns a message that says why reading an opened input failed, with "{}" for the input's name.
const char* reading_sentence(InputKind kind) {
  switch (kind) {
    case InputKind::Camera:
      return "The camera {} was unplugged; connect it and open it again.";
    case InputKind::Screen:
      return "The capture of {} ended because the X server has exited.";
    case InputKind::Network:
      return "The connection to {} was lost; check the network, then open it again.";
    default:
      return "Reading {} failed; check the disk or device that contains it.";
  }
}

}  // namespace

std::optional<Error> find_file_error(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int code = AVERROR(errno);
    if (may_be_more_than_a_file(path)) return {};
    const bool is_missing = code == AVERROR(ENOENT) || code == AVERROR(ENOTDIR);
    if (is_missing) return bad_input(code, "There is no file {}; check its name.", path);
    return bad_input(code, "{} cannot be reached; check its folder's permissions.", path);
  }
  if (S_ISDIR(status.st_mode))
    return bad_input(AVERROR(EISDIR), "{} is a directory; choose a file in it.", path);
  if (::access(path.c_str(), R_OK) != 0)
    return bad_input(AVERROR(errno), "{} cannot be read; check its permissions.", path);
  if (S_ISREG(status.st_mode) && status.st_size == 0)
    return bad_input("{} is empty; choose a media file.", path);
  return {};
}

Error opening_failure(InputKind kind, const std::string& name, const std::string& url, int averror) {
  if (averror == AVERROR_EXIT)
    return av_failure(ErrorCode::Interrupted, fmt::format("Opening {} was interrupted.", name), averror);
  const bool is_device =
      kind == InputKind::Camera || kind == InputKind::Screen || kind == InputKind::Procedural;
  if (averror == AVERROR(ENOMEM) && !is_device)
    return av_failure(ErrorCode::Failed,
                      fmt::format("Memory ran out while opening {}; close other programs.", name), averror);
  return bad_input(averror, fmt::runtime(opening_sentence(kind, url, averror)), name);
}

Error reading_failure(InputKind kind, const std::string& name, int averror) {
  return bad_input(averror, fmt::runtime(reading_sentence(kind)), name);
}

}  // namespace glyphreel::media
