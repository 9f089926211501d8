#include "media/input.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace glyphreel::media {
namespace {

constexpr int StandardInputBuffer = 64 * 1024;
constexpr int PollInterval = 50;  // ms between two looks at the interrupt flag

Error bad_input(std::string message, int averror = 0) {
  return av_failure(ErrorCode::BadInput, std::move(message), averror);
}

Error bad_file(std::string message, int number) {
  return {ErrorCode::BadInput, std::move(message), std::strerror(number)};
}

/// What stat() can already tell. Empty where FFmpeg should try.
std::optional<Error> why_unreadable(const std::string& path, bool is_local) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int number = errno;
    if (!is_local) return {};
    if (number == ENOENT || number == ENOTDIR) {
      return bad_file(fmt::format("There is no file {}: check its name.", path), number);
    }
    return bad_file(fmt::format("{} cannot be reached: check its folder's permissions.", path), number);
  }
  if (S_ISDIR(status.st_mode)) {
    return bad_file(fmt::format("{} is a directory: name a file in it.", path), EISDIR);
  }
  if (::access(path.c_str(), R_OK) != 0) {
    return bad_file(fmt::format("{} may not be read: check its permissions.", path), errno);
  }
  if (S_ISREG(status.st_mode) && status.st_size == 0)
    return Error{ErrorCode::BadInput, path + " is empty.", ""};
  return {};
}

/// FFmpeg takes "a:b" for a protocol, and numbers files by "%03d".
bool may_be_more_than_a_file(const std::string& url) {
  return url.find(':') != std::string::npos || url.find('%') != std::string::npos;
}

/// True where the file starts as ISO media and Matroska files do, so that "not a media file" would be wrong.
bool starts_like_media(const std::string& path) {
  const std::unique_ptr<std::FILE, FreeDirect<std::fclose>> file(std::fopen(path.c_str(), "rb"));
  std::array<char, 8> head{};
  if (file == nullptr || std::fread(head.data(), 1, head.size(), file.get()) != head.size()) return false;
  return std::memcmp(head.data() + 4, "ftyp", 4) == 0 || std::memcmp(head.data(), "\x1A\x45\xDF\xA3", 4) == 0;
}

Error why_not_opened(const std::string& name, const std::string& url, int averror) {
  if (averror == AVERROR_EXIT) return bad_input(fmt::format("Opening {} was interrupted.", name), averror);
  if (averror == AVERROR_EOF) return bad_input(fmt::format("{} is empty.", name), averror);
  if (averror == AVERROR_PROTOCOL_NOT_FOUND) {
    return bad_input(fmt::format("{} names a protocol that this FFmpeg lacks, or no file.", name), averror);
  }
  if (averror != AVERROR_INVALIDDATA) {
    return bad_input(fmt::format("{} cannot be opened: check its name and the connection.", name), averror);
  }
  if (starts_like_media(url)) {
    return bad_input(fmt::format("{} is damaged or was cut short: what tells its streams is missing.", name),
                     averror);
  }
  return bad_input(fmt::format("{} is no media file that FFmpeg knows.", name), averror);
}

}  // namespace

Result<std::unique_ptr<Input>> Input::open(const std::string& url) {
  std::unique_ptr<Input> input(new Input(url == "-" ? "standard input" : url));
  TRY(input->open_format(url));
  return input;
}

Input::~Input() {
  avformat_close_input(&format_);  // leaves a caller's I/O context alone
  if (standard_input_ != nullptr) {
    av_freep(&standard_input_->buffer);
    avio_context_free(&standard_input_);
  }
}

Result<void> Input::open_format(const std::string& url) {
  const bool is_standard_input = url == "-";
  std::string opened = url;
  if (!is_standard_input) {
    if (auto error = why_unreadable(url, !may_be_more_than_a_file(url))) return *std::move(error);
    if (::access(url.c_str(), R_OK) == 0) opened = "file:" + url;
  }

  format_ = avformat_alloc_context();
  CHECK(format_ != nullptr, "out of memory");
  format_->interrupt_callback = {is_interrupted, this};
  if (is_standard_input) TRY(use_standard_input());

  Options options;
  if (url.starts_with("http://") || url.starts_with("https://")) {
    // A server that goes away for two seconds lost 461 of 500 frames without these, none with them.
    options.set("reconnect", "1");
    options.set("reconnect_streamed", "1");
    options.set("reconnect_on_network_error", "1");
    options.set("reconnect_delay_max", "8");
  }
  const char* name = is_standard_input ? nullptr : opened.c_str();
  if (const int code = avformat_open_input(&format_, name, nullptr, options.get()); code < 0) {
    return why_not_opened(name_, url, is_standard_input && standard_input_is_empty_ ? AVERROR_EOF : code);
  }
  if (const int code = avformat_find_stream_info(format_, nullptr); code < 0)
    return why_not_opened(name_, url, code);
  return {};
}

Result<void> Input::use_standard_input() {
  // FFmpeg's own pipe: protocol blocks in read(2), where no interrupt reaches it.
  auto* buffer = static_cast<unsigned char*>(av_malloc(StandardInputBuffer));
  CHECK(buffer != nullptr, "out of memory");
  standard_input_ =
      avio_alloc_context(buffer, StandardInputBuffer, 0, this, read_standard_input, nullptr, nullptr);
  CHECK(standard_input_ != nullptr, "out of memory");
  format_->pb = standard_input_;
  return {};
}

int Input::is_interrupted(void* opaque) {
  return static_cast<const Input*>(opaque)->interrupted() ? 1 : 0;
}

int Input::read_standard_input(void* opaque, std::uint8_t* buffer, int size) {
  auto* self = static_cast<Input*>(opaque);
  while (!self->interrupted()) {
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (::poll(&ready, 1, PollInterval) == 0) continue;
    const ssize_t count = ::read(STDIN_FILENO, buffer, static_cast<std::size_t>(size));
    if (count > 0) {
      self->standard_input_is_empty_ = false;
      return static_cast<int>(count);
    }
    if (count == 0) return AVERROR_EOF;
    if (errno != EINTR && errno != EAGAIN) return AVERROR(errno);
  }
  return AVERROR_EXIT;
}

Result<AVStream*> Input::best_video() const {
  AVStream* best = nullptr;
  const int index = av_find_best_stream(format_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index >= 0) best = format_->streams[index];
  if (best == nullptr || (best->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
    best = nullptr;
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
      AVStream* stream = format_->streams[i];
      if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
      if ((stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) continue;
      if (best == nullptr || stream->codecpar->width > best->codecpar->width) best = stream;
    }
  }
  if (best == nullptr) {
    const bool has_audio = av_find_best_stream(format_, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0) >= 0;
    return bad_input(fmt::format("{} holds no video{}.", name_, has_audio ? ", only sound" : ""));
  }
  if (best->codecpar->width <= 0 || best->codecpar->height <= 0) {
    return bad_input(fmt::format("{} holds a video of no size: it is damaged or was cut short.", name_));
  }
  return best;
}

AVStream* Input::best_audio(const AVStream& video) const {
  const int index = av_find_best_stream(format_, AVMEDIA_TYPE_AUDIO, -1, video.index, nullptr, 0);
  return index < 0 ? nullptr : format_->streams[index];
}

}  // namespace glyphreel::media
