#include "media/input/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/interrupt.h"
#include "media/ffmpeg/picture_limits.h"
#include "media/input/devices.h"
#include "media/input/fetch.h"
#include "media/input/index_place.h"
#include "media/input/input_errors.h"
#include "media/input/protocols.h"
#include "media/still/image_sequence.h"
#include "media/still/picture_file.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace glyphreel::media {
namespace {

constexpr int DescriptorBuffer = 64 * 1024;
constexpr int PollInterval = 50;  // ms between two checks of the interrupt flag
constexpr std::int64_t MaxPageBytes = 16 << 20;
constexpr int HasSamplesFirst = AVERROR(ESPIPE);  // what open_io() returns if has_samples_first() is true

Result<DeviceInput> device_input(const InputAddress& address) {
  if (address.kind == InputKind::Camera) return camera_input(address.rest);
  if (address.kind == InputKind::Screen) return screen_input(address.rest);
  return procedural_input(address.rest);
}

/// Whether the input is an HLS playlist with the tag #EXT-X-ENDLIST, which marks a finished stream. FFmpeg
/// cannot seek in a playlist without this tag.
bool has_ended_playlist(const AVFormatContext& format) {
  return std::string_view(format.iformat->name) == "hls" && (format.ctx_flags & AVFMTCTX_UNSEEKABLE) == 0;
}

}  // namespace

Input::Input(std::string url, std::stop_token stop)
    : url_(std::move(url)), name_(url_ == "-" ? "standard input" : shown_url(url_)), stop_(std::move(stop)) {}

Result<std::unique_ptr<Input>> Input::open(const std::string& url, std::stop_token stop) {
  std::unique_ptr<Input> input(new Input(url, std::move(stop)));
  input->is_opening_ = true;
  TRY(input->open_address());
  input->is_opening_ = false;
  input->stop_ = {};  // a request to stop open() must not affect reopen()
  return input;
}

Input::~Input() {
  close();
}

void Input::interrupt() {
  interrupted_.store(true, std::memory_order_relaxed);
  const MutexLock lock(interrupt_mutex_);
  interrupt_there_.notify_all();
}

bool Input::wait_until_interrupted(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(interrupt_mutex_);
  // The signal handler for Ctrl-C cannot notify a condition variable, so poll.
  while (!interrupted() && std::chrono::steady_clock::now() < end) {
    interrupt_there_.wait_for(lock, std::chrono::milliseconds(PollInterval));
  }
  return interrupted();
}

void Input::close() {
  close_format();
  limits_.forget_parts();
  animated_webp_.reset();
  if (descriptor_io_ != nullptr) {
    av_freep(&descriptor_io_->buffer);
    avio_context_free(&descriptor_io_);
  }
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  descriptor_ = -1;
}

/// Closes the demuxer and its I/O context.
void Input::close_format() {
  avformat_close_input(&format_);
  limits_.forget(io_);
  avio_closep(&io_);
}

AVFormatContext& Input::format() {
  CHECK(format_ != nullptr, "the input is not open: reopen() failed");
  return *format_;
}

/// Opens url_ or, if that is a web page, the page's video.
Result<void> Input::open_address() {
  constexpr std::string_view ByYtDlp = "ytdl://";  // the same scheme as in mpv
  if (url_.starts_with(ByYtDlp)) return open_web_page(url_.substr(ByYtDlp.size()));
  if (is_video_site(url_)) return open_web_page(url_);
  Result<void> opened = open_format();
  const bool may_be_page =
      is_web_url(url_) && !opened && opened.error().cause == av_text(AVERROR_INVALIDDATA);
  if (!may_be_page) return opened;
  // Check the length first, because yt-dlp reads the whole page into memory, however long it is.
  if (is_longer_than(MaxPageBytes, url_, [this] { return should_stop(); })) {
    return bad_input(
        "{} is not media that FFmpeg supports, and it was not searched for a video as web pages are, because "
        "it is too long or loads too slowly; check the address.",
        name_);
  }
  return open_web_page(url_);
}

Result<void> Input::open_web_page(const std::string& page) {
  TRY_ASSIGN(web_video_, find_web_video(page, [this] { return should_stop(); }));
  return open_format();
}

Result<void> Input::open_format() {
  const InputAddress address = read_address(url_);
  facts_ = {};
  facts_.kind = web_video_ ? InputKind::Network : address.kind;
  if (web_video_) facts_.title = web_video_->title;
  new_format();
  Options options;
  // If the HLS demuxer reused a connection for the next playlist, limits_ would not count that playlist. Only
  // the HLS demuxer has this option.
  options.set("http_persistent", "0");
  const AVInputFormat* format = nullptr;
  auto chosen = choose_format(options, format);
  if (!chosen) {
    close();
    return std::move(chosen.error());
  }
  if (facts_.is_network() && !waits_for_sender(*chosen)) {
    deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(OpenTimeoutSeconds);
  }
  limits_.begin();
  Result<int> read = read_header(*chosen, format, options);
  limits_.end();
  if (read && *read < 0) {
    read = opening_error(descriptor_ >= 0 && descriptor_bytes_ == 0 && *read != AVERROR_EXIT ? AVERROR_EOF
                                                                                             : *read);
  }
  deadline_.reset();
  if (!read) {
    close();
    return std::move(read.error());
  }
  if (animated_webp_ != nullptr) {
    find_animation_facts();
    return {};
  }
  if (is_manifest(*format_)) av_opt_set(format_->priv_data, "http_persistent", "1", 0);
  find_facts();
  has_broken_on_open_ = has_broken(AVERROR_EOF);
  return {};
}

/// Opens `name`, or the I/O in format_->pb if set, and finds the streams. Returns FFmpeg's result.
Result<int> Input::read_header(const std::string& name, const AVInputFormat* format, Options& options) {
  int code =
      avformat_open_input(&format_, format_->pb != nullptr ? nullptr : name.c_str(), format, options.get());
  if (code >= 0 && holds_animated_webp()) {
    deadline_.reset();  // reading the whole animation may take longer than opening it
    TRY(read_animated_webp());
  }
  if (code == HasSamplesFirst || (code >= 0 && has_index_behind_samples(*format_))) {
    if (!facts_.is_network())
      return bad_input(
          "{} has its index at the end, which a pipe cannot seek to; save it as a file and play the file.",
          name_);
    return bad_input(
        "{} has its index at the end, and its server cannot seek; download it and play the file.", name_);
  }
  if (code >= 0 && animated_webp_ == nullptr) code = find_streams();
  // FFmpeg reports success even if the search for streams was interrupted.
  const bool was_stopped =
      should_stop() || is_late() || limits_.exceeded() != OpeningLimits::Exceeded::Nothing;
  return was_stopped ? AVERROR_EXIT : code;
}

/// Decodes frames until the streams' parameters are known. Does not decode frames with more than
/// PictureLimits::Pixels pixels. Returns an AVERROR, or 0.
int Input::find_streams() {
  declared_sizes_.clear();
  std::vector<AVDictionary*> options(format_->nb_streams, nullptr);
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    const AVCodecParameters& parameters = *format_->streams[i]->codecpar;
    declared_sizes_.push_back({parameters.width, parameters.height});
    av_dict_set_int(&options[i], "max_pixels", PictureLimits::Pixels, 0);
  }
  const int code = avformat_find_stream_info(format_, options.empty() ? nullptr : options.data());
  for (AVDictionary*& entries : options) av_dict_free(&entries);
  return code;
}

void Input::new_format() {
  format_ = checked(avformat_alloc_context());
  format_->interrupt_callback = {is_interrupted, this};
  format_->opaque = this;
  default_open_io_ = std::exchange(format_->io_open, open_io);
  default_close_io_ = std::exchange(format_->io_close2, close_io);
}

/// Whether an input that FFmpeg detected as a WebP image is animated. Reads its first bytes, then seeks
/// back.
bool Input::holds_animated_webp() const {
  if (format_->pb == nullptr || std::string_view(format_->iformat->name) != "webp_pipe") return false;
  std::array<std::uint8_t, WebpHeadBytes> head{};
  const std::int64_t start = avio_tell(format_->pb);
  const int count = avio_read(format_->pb, head.data(), static_cast<int>(head.size()));
  // The start is still in FFmpeg's buffer, so seeking back to it also works for pipes.
  const bool is_back = avio_seek(format_->pb, start, SEEK_SET) == start;
  return is_back && is_animated_webp(std::span(head).first(static_cast<std::size_t>(std::max(count, 0))));
}

/// Reads the whole file. The size in the file's header may be wrong, so memory grows only as bytes arrive.
Result<void> Input::read_animated_webp() {
  constexpr std::size_t ReadStep = 1UL * 1024 * 1024;
  std::vector<std::uint8_t> file;
  std::size_t wanted = WebpHeadBytes;
  while (file.size() < wanted) {
    const std::size_t start = file.size();
    file.resize(std::min(wanted, start + ReadStep));
    const int count = avio_read(format_->pb, file.data() + start, static_cast<int>(file.size() - start));
    if (count == AVERROR_EXIT) return opening_error(count);
    if (count < 0 && count != AVERROR_EOF) return read_failure(count);
    file.resize(start + static_cast<std::size_t>(std::max(count, 0)));
    if (count <= 0) break;
    if (start == 0) {
      TRY_ASSIGN(wanted, webp_file_bytes(file, name_));
    }
  }
  TRY_ASSIGN(animated_webp_, WebpAnimation::parse(std::move(file), name_));
  close_format();
  new_format();  // an empty context, without streams
  return {};
}

/// Returns the name to pass to avformat_open_input(), and sets the `options` and the `format` to pass with
/// it. If `format` remains null, FFmpeg detects the format.
Result<std::string> Input::choose_format(Options& options, const AVInputFormat*& format) {
  const auto allow = [&](std::string_view url) { options.set("protocol_whitelist", allowed_protocols(url)); };
  const InputAddress address = read_address(url_);
  if (web_video_) {
    allow(web_video_->url);
    options.set_all(protocol_options(web_video_->url));
    std::string headers;
    for (const auto& [name, value] : web_video_->headers) headers += fmt::format("{}: {}\r\n", name, value);
    if (!headers.empty()) options.set("headers", headers);
    return web_video_->url;
  }
  switch (address.kind) {
    case InputKind::StandardInput:
      allow(url_);
      TRY(read_from(STDIN_FILENO));
      return url_;
    case InputKind::Camera:
    case InputKind::Screen:
    case InputKind::Procedural: {
      TRY_ASSIGN(const DeviceInput device, device_input(address));
      if (address.kind != InputKind::Procedural) format_->flags |= AVFMT_FLAG_NOBUFFER;
      format = device.format;
      options.set_all(device.options);
      return device.url;
    }
    case InputKind::ImageSequence: {
      TRY_ASSIGN(const ImageSequence sequence, find_image_sequence(address.rest));
      format = av_find_input_format("image2");
      allow("file:");
      options.set("pattern_type", sequence.first_number ? "sequence" : "glob");
      if (sequence.first_number) options.set("start_number", std::to_string(*sequence.first_number));
      return sequence.pattern;
    }
    case InputKind::Network:
      allow(url_);
      options.set_all(protocol_options(url_));
      return url_;
    case InputKind::File:
      break;
  }
  if (auto error = find_file_error(url_)) return *std::move(error);
  if (::access(url_.c_str(), R_OK) != 0) {
    allow(url_);
    return url_;
  }
  if (std::error_code ignored; std::filesystem::is_fifo(url_, ignored)) {
    allow("-");
    TRY(read_from(::open(url_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)));
    return url_;
  }
  allow(av_match_ext(url_.c_str(), "sdp") != 0 ? ".sdp" : "file:");
  return "file:" + url_;
}

/// Makes format_ read from `descriptor` through read_descriptor(). FFmpeg's own protocols for pipes would
/// block in open(2) and read(2), where interrupt() could not stop them.
Result<void> Input::read_from(int descriptor) {
  if (descriptor < 0) return bad_input(AVERROR(errno), "{} cannot be opened; check its permissions.", name_);
  descriptor_ = descriptor;
  descriptor_bytes_ = 0;
  auto* buffer = static_cast<unsigned char*>(checked(av_malloc(DescriptorBuffer)));
  descriptor_io_ =
      checked(avio_alloc_context(buffer, DescriptorBuffer, 0, this, read_descriptor, nullptr, nullptr));
  format_->pb = descriptor_io_;
  return {};
}

bool Input::should_stop() const {
  if (interrupted()) return true;
  // Without end_on_interrupt(), Ctrl-C stops an input only while it is being opened. During playback, the
  // player handles Ctrl-C, so that it can complete a recording.
  return is_opening_ && (stop_.stop_requested() || glyphreel::interrupted());
}

bool Input::is_late() const {
  return deadline_ && std::chrono::steady_clock::now() > *deadline_;
}

int Input::is_interrupted(void* opaque) {
  auto* self = static_cast<Input*>(opaque);
  return self->should_stop() || self->is_late() || !self->limits_.may_continue() ? 1 : 0;
}

int Input::read_descriptor(void* opaque, std::uint8_t* buffer, int size) {
  auto* self = static_cast<Input*>(opaque);
  while (!self->should_stop()) {
    pollfd ready{self->descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, PollInterval) == 0) continue;
    const ssize_t count = ::read(self->descriptor_, buffer, static_cast<std::size_t>(size));
    if (count > 0) {
      self->descriptor_bytes_ += count;
      const std::string_view text(reinterpret_cast<const char*>(buffer), static_cast<std::size_t>(count));
      if (!self->limits_.may_read_on(*self->format_, text, self->descriptor_bytes_)) return AVERROR_EXIT;
      return static_cast<int>(count);
    }
    if (count == 0) return AVERROR_EOF;
    if (errno != EINTR && errno != EAGAIN) return AVERROR(errno);
  }
  return AVERROR_EXIT;
}

/// FFmpeg calls this to open every file: the input itself, then segments and playlists of HLS.
int Input::open_io(AVFormatContext* format, AVIOContext** io, const char* url, int flags,
                   AVDictionary** options) {
  auto* self = static_cast<Input*>(format->opaque);
  if (self->should_stop() || self->is_late()) return AVERROR_EXIT;
  try {
    const int code = self->open_part(*format, io, url, flags, options);
    if (code < 0 || io != &format->pb) return code;
    // With this flag, FFmpeg never closes the I/O context, even if opening the input fails. close_format()
    // closes the context.
    format->flags |= AVFMT_FLAG_CUSTOM_IO;
    self->io_ = *io;
    return is_web_url(url) && has_samples_first(**io) ? HasSamplesFirst : code;
  } catch (const std::bad_alloc&) {  // exceptions must not propagate through FFmpeg
    return AVERROR(ENOMEM);
  }
}

int Input::close_io(AVFormatContext* format, AVIOContext* io) {
  auto* self = static_cast<Input*>(format->opaque);
  self->limits_.forget(io);
  if (self->io_ == io) self->io_ = nullptr;
  return self->default_close_io_(format, io);
}

int Input::open_part(AVFormatContext& format, AVIOContext** io, const char* url, int flags,
                     AVDictionary** options) {
  const auto open_limited = [&](AVDictionary** used) {
    return limits_.open(format, io, [&] { return default_open_io_(&format, io, url, flags, used); });
  };
  if (!is_web_url(url)) return open_limited(options);
  Options own;
  AVDictionary** used = options != nullptr ? options : own.get();
  const bool is_part = io != &format.pb;
  if (is_part) {
    Options reconnecting;
    reconnecting.set_all(protocol_options(url));
    av_dict_copy(used, *reconnecting.get(), AV_DICT_DONT_OVERWRITE);
    av_dict_set(used, "reconnect_on_network_error", "1", 0);
  }
  const int code = open_limited(used);
  // The server has answered, so retry after network errors from now on. Before the first answer, do not
  // retry, because the server's name may be mistyped.
  if (code >= 0) av_opt_set(*io, "reconnect_on_network_error", "1", AV_OPT_SEARCH_CHILDREN);
  return code;
}

Error Input::opening_error(int averror) const {
  switch (limits_.exceeded()) {
    case OpeningLimits::Exceeded::Parts:
      return bad_input(
          "{} opens more than {} other files before its first picture; play these files one by one.", name_,
          OpeningLimits::MaxParts);
    case OpeningLimits::Exceeded::ListBytes:
      return bad_input(
          "A playlist in {} is larger than {} MiB: it is damaged or endless; choose a different input.",
          name_, OpeningLimits::MaxListBytes >> 20);
    case OpeningLimits::Exceeded::Nesting:
      return bad_input(
          "{} cannot be played because its playlists refer to each other endlessly; choose a different "
          "input.",
          name_);
    case OpeningLimits::Exceeded::Nothing:
      break;
  }
  if (averror == AVERROR_EXIT && is_late()) {
    return bad_input(averror,
                     "{} sent no stream information within {} seconds; check its name and the connection.",
                     name_, OpenTimeoutSeconds);
  }
  return opening_failure(facts_.kind, name_, url_, averror);
}

bool Input::has_broken(int averror) const {
  if (averror == AVERROR_EXIT) return false;
  const bool is_error = averror != AVERROR_EOF && averror != AVERROR_INVALIDDATA;
  if (!facts_.is_network()) return is_error;
  if (is_manifest(*format_)) return is_error || (facts_.is_live && !has_ended_playlist(*format_));
  if (!is_web_url(web_video_ ? web_video_->url : url_) || format_->pb == nullptr)
    return is_error || facts_.is_live;
  // Some demuxers report the end of the file when their I/O fails, so check the I/O context's error, too.
  const int io_error = format_->pb->error;
  if (io_error == 0) return is_error;
  // An HTTP body without a length normally ends when the server closes the connection. FFmpeg reports this
  // as EIO, so EIO means a lost connection only if the length is known.
  return io_error != AVERROR(EIO) || avio_size(format_->pb) >= 0;
}

bool Input::may_be_cut_short() const {
  return facts_.may_come_back() && !facts_.is_live && !has_broken_on_open_ && has_broken(AVERROR_EOF);
}

Error Input::read_failure(int averror) const {
  return reading_failure(facts_.kind, name_, averror);
}

bool Input::is_live_network() const {
  if (facts_.duration_seconds && facts_.is_seekable) return false;
  if (is_manifest(*format_) || format_->pb == nullptr || !is_web_url(web_video_ ? web_video_->url : url_))
    return true;
  // An input of known length or duration has an end, so it is not live, even if its server cannot seek.
  return !facts_.duration_seconds && avio_size(format_->pb) < 0;
}

void Input::find_facts() {
  AVFormatContext& format = *format_;
  if (facts_.title.empty()) facts_.title = metadata_value(format.metadata, "title");
  if (format.duration != AV_NOPTS_VALUE && format.duration > 0) {
    facts_.duration_seconds = static_cast<double>(format.duration) / AV_TIME_BASE;
  }
  const std::string_view reader = format.iformat->name;
  const bool keeps_own_place = format.pb == nullptr || is_manifest(format);
  const bool io_seeks = keeps_own_place ? facts_.duration_seconds.has_value() : format.pb->seekable != 0;
  facts_.is_seekable = io_seeks && (format.ctx_flags & AVFMTCTX_UNSEEKABLE) == 0;
  facts_.is_live = facts_.kind == InputKind::Camera || facts_.kind == InputKind::Screen ||
                   (facts_.kind == InputKind::Network && is_live_network());
  if (facts_.kind == InputKind::File || facts_.kind == InputKind::Network) {
    const auto animation = facts_.kind == InputKind::File ? read_animation_of(url_) : std::nullopt;
    const bool has_one_packet = format.nb_streams == 1 && format.streams[0]->nb_frames == 1 &&
                                format.streams[0]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    const bool is_picture = reader.ends_with("_pipe") || has_one_packet;
    facts_.is_still_image = animation ? !animation->has_several_pictures : is_picture;
    if (animation) facts_.play_count = animation->play_count;
  }
}

void Input::find_animation_facts() {
  facts_.duration_seconds = static_cast<double>(animated_webp_->duration_ms()) / 1000;
  facts_.is_seekable = true;
  facts_.is_still_image = animated_webp_->pictures().size() == 1;
  facts_.play_count = animated_webp_->play_count();
}

Result<void> Input::reopen() {
  if (facts_.kind == InputKind::StandardInput || descriptor_ >= 0) {
    return bad_input("{} cannot be opened a second time; save it as a file and play the file.", name_);
  }
  if (format_ != nullptr) {
    in_use_.clear();
    for (const AVStream* stream : streams_of(*format_)) {
      if (stream->discard >= AVDISCARD_ALL) continue;
      in_use_.push_back({stream->index, stream->codecpar->codec_type, stream->codecpar->codec_id});
    }
  }
  close();
  is_opening_ = true;
  Result<void> opened = open_format();
  if (!opened && web_video_ && !interrupted()) {
    web_video_.reset();  // the address that yt-dlp returned may have expired
    opened = open_address();
  }
  is_opening_ = false;
  if (!opened) return opened;
  const auto streams = streams_of(*format_);
  for (AVStream* stream : streams) stream->discard = AVDISCARD_ALL;
  for (const StreamInUse& old : in_use_) {
    AVStream* now = old.index < std::ssize(streams) ? streams[static_cast<std::size_t>(old.index)] : nullptr;
    if (now == nullptr || now->codecpar->codec_type != old.type || now->codecpar->codec_id != old.codec) {
      close();
      return bad_input("{} has different streams after reconnecting; open it again.", name_);
    }
    now->discard = AVDISCARD_DEFAULT;
  }
  return {};
}

Result<AVStream*> Input::best_video() const {
  AVStream* best = nullptr;
  const int index = av_find_best_stream(format_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (index >= 0) best = format_->streams[index];
  if (best == nullptr || (best->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
    best = nullptr;
    for (AVStream* stream : streams_of(*format_)) {
      if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
      if ((stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) continue;
      if (best == nullptr || stream->codecpar->width > best->codecpar->width) best = stream;
    }
  }
  if (best == nullptr) {
    const bool has_audio = av_find_best_stream(format_, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0) >= 0;
    return bad_input("{} contains no video{}; choose a video or an image.", name_,
                     has_audio ? ", only sound" : "");
  }
  const AVCodecParameters& parameters = *best->codecpar;
  Extent size{parameters.width, parameters.height};
  const auto index_of_best = static_cast<std::size_t>(best->index);
  // FFmpeg sets a size that exceeds max_pixels to zero, so use the size that the container declared.
  if (size.width <= 0 && index_of_best < declared_sizes_.size()) size = declared_sizes_[index_of_best];
  const std::int64_t bytes = picture_bytes(parameters);
  if (is_too_large(size, bytes)) return too_large(name_, size, bytes);
  if (parameters.width <= 0 || parameters.height <= 0) {
    return bad_input(
        "The size of the video in {} is unknown: the file is damaged, was cut short, or has pictures of more "
        "than "
        "{} million pixels; choose a different input.",
        name_, PictureLimits::Pixels / 1'000'000);
  }
  return best;
}

AVStream* Input::best_audio(const AVStream& video) const {
  const int index = av_find_best_stream(format_, AVMEDIA_TYPE_AUDIO, -1, video.index, nullptr, 0);
  return index < 0 ? nullptr : format_->streams[index];
}

std::optional<std::chrono::milliseconds> reopen_delay(int failures) {
  constexpr int DoubledUpTo = 5;   // number of doublings of the delay: 0.25, 0.5, 1, 2, 4, 8 s
  constexpr int MaxFailures = 12;  // the delays before 12 attempts add up to 55.75 s
  if (failures >= MaxFailures) return {};
  if (failures <= 0) return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(250) * (1 << std::min(failures - 1, DoubledUpTo));
}

}  // namespace glyphreel::media
