#include "media/output_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace glyphreel::media {
namespace {

// How long the muxer waits for one stream to catch up with another before it writes: a bound on what a kill
// loses where the sound ends early. The encoder's own look-ahead is well below.
constexpr std::int64_t MaxInterleaveMicroseconds = 5'000'000;

std::string open_sentence(const std::string& path, int averror) {
  switch (averror) {
    case AVERROR(ENOENT):
    case AVERROR(ENOTDIR):
      return fmt::format("{} cannot be written: its folder does not exist.", path);
    case AVERROR(EACCES):
    case AVERROR(EPERM):
    case AVERROR(EROFS):
      return fmt::format("{} cannot be written: its folder does not permit it.", path);
    case AVERROR(ENOSPC):
    case AVERROR(EDQUOT):
      return fmt::format("{} cannot be written: the disk is full.", path);
    default:
      return fmt::format("{} cannot be written.", path);
  }
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, const char* muxer) {
  std::unique_ptr<OutputFile> file(new OutputFile(path));
  const std::string url = "file:" + path;  // else a colon in the name would be a protocol's
  const int code = avformat_alloc_output_context2(&file->format_, nullptr, muxer, url.c_str());
  if (code < 0)
    return av_failure(ErrorCode::Failed, fmt::format("This FFmpeg writes no {} files.", muxer), code);
  if (const int opened = avio_open(&file->format_->pb, url.c_str(), AVIO_FLAG_WRITE); opened < 0) {
    return av_failure(ErrorCode::Failed, open_sentence(path, opened), opened);
  }
  file->format_->flush_packets = 1;
  file->format_->max_interleave_delta = MaxInterleaveMicroseconds;
  // Timestamps are the source's; shifting all streams because sound starts with priming would change the
  // picture's.
  file->format_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  return file;
}

OutputFile::~OutputFile() {
  if (format_ == nullptr) return;
  if (format_->pb != nullptr) {
    if (is_started_ && !first_failure_) av_write_trailer(format_);
    avio_closep(&format_->pb);
  }
  avformat_free_context(format_);
}

int OutputFile::add_stream(const AVCodecParameters& parameters, AVRational time_base) {
  AVStream* stream = avformat_new_stream(format_, nullptr);
  CHECK(stream != nullptr, "out of memory");
  CHECK(avcodec_parameters_copy(stream->codecpar, &parameters) >= 0, "out of memory");
  stream->codecpar->codec_tag = 0;  // another container's tag: the muxer chooses its own
  stream->time_base = time_base;
  return stream->index;
}

Result<void> OutputFile::start(Options& options) {
  if (const int code = avformat_write_header(format_, options.get()); code < 0) {
    first_failure_ = code;
    if (code == AVERROR(EINVAL) || code == AVERROR_PATCHWELCOME) {
      return av_failure(ErrorCode::Usage,
                        fmt::format("A {} file does not take {}: choose another codec or ending.",
                                    format_->oformat->name, codec_names()),
                        code);
    }
    return failure(code);
  }
  is_started_ = true;
  return {};
}

Result<void> OutputFile::write(PacketPtr packet, int stream, AVRational time_base) {
  if (first_failure_) return failure(*first_failure_);
  packet->stream_index = stream;
  packet->pos = -1;
  av_packet_rescale_ts(packet.get(), time_base, format_->streams[stream]->time_base);
  packet->time_base = format_->streams[stream]->time_base;
  int code = av_interleaved_write_frame(format_, packet.get());
  if (is_refusal(code)) {
    ++packets_refused_;
    code = 0;
  }
  if (code >= 0) code = std::min(0, format_->pb->error);
  if (code < 0) {
    first_failure_ = code;
    return failure(code);
  }
  ++packets_written_;
  return {};
}

Result<void> OutputFile::finish() {
  if (first_failure_) return failure(*first_failure_);
  // The trailer would drop all that waits behind a refused packet. Each refusal takes one out of the queue.
  int code = av_interleaved_write_frame(format_, nullptr);
  for (; is_refusal(code); code = av_interleaved_write_frame(format_, nullptr)) ++packets_refused_;
  const int trailer = av_write_trailer(format_);
  if (code >= 0) code = trailer;
  is_started_ = false;
  avio_flush(format_->pb);
  // What the trailer could not write is told by the I/O context alone.
  if (code >= 0) code = std::min(0, format_->pb->error);
  final_size_ = avio_tell(format_->pb);
  const int closed = avio_closep(&format_->pb);
  if (code >= 0) code = closed;
  if (code < 0) {
    first_failure_ = code;
    return failure(code);
  }
  return {};
}

std::int64_t OutputFile::bytes_written() const {
  return format_->pb != nullptr ? avio_tell(format_->pb) : final_size_;
}

/// Whether the muxer found a packet damaged, which it has dropped then and can do without: it may be one that
/// came earlier and waited to be interleaved. mov and mp4 say -1, which is EPERM, for sound in the wrong
/// framing. The same codes from the file itself show in the I/O context.
bool OutputFile::is_refusal(int averror) const {
  return (averror == AVERROR_INVALIDDATA || averror == AVERROR(EPERM)) && format_->pb->error >= 0;
}

std::string OutputFile::codec_names() const {
  std::string names;
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    if (i > 0) names += " with ";
    names += avcodec_get_name(format_->streams[i]->codecpar->codec_id);
  }
  return names;
}

Error OutputFile::failure(int averror) const {
  const char* sentence = "Writing to {} failed: the file ends where it got to.";
  switch (averror) {
    case AVERROR(ENOSPC):
    case AVERROR(EDQUOT):
      sentence = "The disk is full: {} ends where it got to; free some space or record elsewhere.";
      break;
    case AVERROR(EFBIG):
      sentence = "{} reached the largest size that a file may have here and ends there.";
      break;
    case AVERROR(EINVAL):
    case AVERROR_PATCHWELCOME:
      sentence = "The container of {} does not take these streams: choose another codec or ending.";
      break;
    default:
      break;
  }
  return av_failure(ErrorCode::Failed, fmt::format(fmt::runtime(sentence), path_), averror);
}

}  // namespace glyphreel::media
