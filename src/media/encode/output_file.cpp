#include "media/encode/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <system_error>

namespace glyphreel::media {
namespace {

// To interleave the streams, the muxer holds packets back until the other streams have caught up, but never
// longer than this. Therefore, even if the audio ends early, a killed process loses at most this much video.
// Encoders delay packets by far less than this limit, so the limit never disturbs the interleaving.
constexpr std::int64_t MaxInterleaveMicroseconds = 5'000'000;
constexpr AVRational ChapterTicks{1, 1000};
constexpr int OutputBufferBytes = 64 * 1024;
/// A kind of picture that FFmpeg's Matroska demuxer reads as a cover.
struct CoverKind {
  AVCodecID codec;
  const char* file;
  const char* type;
};
constexpr auto CoverKinds = std::to_array<CoverKind>({
    {AV_CODEC_ID_MJPEG, "cover.jpg", "image/jpeg"},
    {AV_CODEC_ID_PNG, "cover.png", "image/png"},
    {AV_CODEC_ID_GIF, "cover.gif", "image/gif"},
    {AV_CODEC_ID_TIFF, "cover.tiff", "image/tiff"},
});
constexpr int MaxErrno = 4096;  // above every errno value; FFmpeg's own error codes are far larger

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(AtomicFile& file, const std::string& path,
                                                       const char* muxer) {
  std::unique_ptr<OutputFile> output(new OutputFile(file, path));
  const int code = avformat_alloc_output_context2(&output->format_, nullptr, muxer, nullptr);
  if (code < 0)
    return av_failure(
        ErrorCode::Failed,
        fmt::format("This FFmpeg cannot write {} files; choose a different file extension.", muxer), code);
  AVFormatContext& format = *output->format_;
  auto* buffer = static_cast<unsigned char*>(checked(av_malloc(OutputBufferBytes)));
  format.pb = avio_alloc_context(buffer, OutputBufferBytes, 1, output.get(), nullptr, write_bytes,
                                 file.is_regular() ? seek_bytes : nullptr);
  check_memory(format.pb != nullptr);
  format.flags |= AVFMT_FLAG_CUSTOM_IO;
  // Without this flag, the Matroska muxer writes random numbers, so repeated recordings would differ.
  if (std::string_view(muxer) == "matroska" || std::string_view(muxer) == "webm")
    format.flags |= AVFMT_FLAG_BITEXACT;
  format.flush_packets = 1;
  format.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;  // required by FFmpeg 5.1 for FLAC in mp4
  format.max_interleave_delta = MaxInterleaveMicroseconds;
  // Keep the source's timestamps. If audio starts before zero because of priming, the muxer would otherwise
  // shift all streams to avoid negative times, which would change the timestamps of the video.
  format.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  return output;
}

OutputFile::~OutputFile() {
  if (format_ == nullptr) return;
  if (format_->pb != nullptr) {
    if (is_started_ && !first_failure_) av_write_trailer(format_);
    avio_flush(format_->pb);
    close_io();
  }
  avformat_free_context(format_);
}

void OutputFile::close_io() {
  av_freep(&format_->pb->buffer);
  avio_context_free(&format_->pb);
}

int OutputFile::write_bytes(void* opaque, WrittenByte* bytes, int size) {
  AtomicFile& file = static_cast<OutputFile*>(opaque)->file_;
  const std::error_code failure =
      file.write({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
  return failure ? AVERROR(failure.value()) : size;
}

std::int64_t OutputFile::seek_bytes(void* opaque, std::int64_t offset, int whence) {
  const int descriptor = static_cast<OutputFile*>(opaque)->file_.descriptor();
  if ((whence & AVSEEK_SIZE) != 0) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? static_cast<std::int64_t>(status.st_size) : AVERROR(errno);
  }
  const off_t position = ::lseek(descriptor, offset, whence & ~AVSEEK_FORCE);
  return position < 0 ? AVERROR(errno) : position;
}

int OutputFile::add_stream(const AVCodecParameters& parameters, AVRational time_base) {
  AVStream* stream = checked(avformat_new_stream(format_, nullptr));
  check_memory(avcodec_parameters_copy(stream->codecpar, &parameters) >= 0);
  stream->codecpar->codec_tag = 0;  // the source container's tag does not apply; the muxer chooses one
  stream->time_base = time_base;
  return stream->index;
}

void OutputFile::copy_content(const CopiedContent& content, int video_stream, double origin_seconds) {
  av_dict_copy(&format_->metadata, content.metadata.get(), 0);
  if (video_stream >= 0)
    av_dict_copy(&format_->streams[video_stream]->metadata, content.video_metadata.get(), 0);
  for (const AudioStream& attachment : content.attachments) {
    // Only Matroska has attachments, each with a name and a type.
    const AVDictionary* metadata = attachment.metadata.get();
    const bool is_named =
        !metadata_value(metadata, "filename").empty() && !metadata_value(metadata, "mimetype").empty();
    if (format_->oformat->name != std::string_view("matroska") || !is_named) continue;
    add_attachment(*attachment.parameters, metadata);
  }
  for (const CopiedContent::Cover& cover : content.covers) {
    if (format_->oformat->name == std::string_view("matroska")) add_cover_attachment(cover);
  }
  if (content.chapters.empty()) return;
  // FFmpeg has no public function that adds chapters to an output, so build the array here.
  // avformat_free_context() frees the array and its chapters.
  format_->chapters =
      static_cast<AVChapter**>(checked(av_calloc(content.chapters.size(), sizeof(AVChapter*))));
  for (const CopiedContent::Chapter& copied : content.chapters) {
    auto* chapter = static_cast<AVChapter*>(checked(av_mallocz(sizeof(AVChapter))));
    chapter->id = format_->nb_chapters + 1;
    chapter->time_base = ChapterTicks;
    chapter->start = std::llround((copied.start_seconds - origin_seconds) / av_q2d(ChapterTicks));
    chapter->end = std::llround((copied.end_seconds - origin_seconds) / av_q2d(ChapterTicks));
    av_dict_copy(&chapter->metadata, copied.metadata.get(), 0);
    format_->chapters[format_->nb_chapters++] = chapter;
  }
}

void OutputFile::add_attachment(const AVCodecParameters& parameters, const AVDictionary* metadata) {
  AVStream& stream = this->stream(add_stream(parameters, ChapterTicks));
  av_dict_copy(&stream.metadata, metadata, 0);
}

/// Adds a cover as players of Matroska expect it: as an attachment, named cover.jpg, cover.png and so on
/// unless it has a name. FFmpeg's demuxer reads such an attachment as a stream with one picture.
void OutputFile::add_cover_attachment(const CopiedContent::Cover& cover) {
  const auto* kind = std::ranges::find(CoverKinds, cover.stream.parameters->codec_id, &CoverKind::codec);
  if (kind == CoverKinds.end()) return;
  const CodecParametersPtr parameters(checked(avcodec_parameters_alloc()));
  parameters->codec_type = AVMEDIA_TYPE_ATTACHMENT;
  parameters->codec_id = kind->codec;
  const auto size = static_cast<std::size_t>(cover.picture->size);
  parameters->extradata =
      static_cast<std::uint8_t*>(checked(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE)));
  std::copy_n(cover.picture->data, size, parameters->extradata);
  parameters->extradata_size = cover.picture->size;
  AVDictionary* metadata = copy_metadata(cover.stream.metadata.get()).release();
  av_dict_set(&metadata, "filename", kind->file, AV_DICT_DONT_OVERWRITE);
  av_dict_set(&metadata, "mimetype", kind->type, AV_DICT_DONT_OVERWRITE);
  add_attachment(*parameters, DictionaryPtr(metadata).get());
}

/// Sets the handler names of mp4 and mov tracks to the tracks' titles, because FFmpeg and other programs look
/// for a track's title in its handler name.
void OutputFile::name_handlers() {
  constexpr std::size_t MaxBytes = 255;  // in mov, one byte contains the length
  const std::string_view muxer = format_->oformat->name;
  if (muxer != "mp4" && muxer != "mov") return;
  for (AVStream* stream : streams_of(*format_)) {
    const std::string title = metadata_value(stream->metadata, "title");
    if (!title.empty() && title.size() <= MaxBytes)
      av_dict_set(&stream->metadata, "handler_name", title.c_str(), 0);
  }
}

Result<void> OutputFile::start(Options& options) {
  name_handlers();
  if (const int code = avformat_write_header(format_, options.get()); code < 0) {
    first_failure_ = code;
    if (code == AVERROR(EINVAL) || code == AVERROR_PATCHWELCOME) {
      return av_failure(
          ErrorCode::Usage,
          fmt::format("The {} format cannot contain {}; choose a different codec or file extension.",
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
  // If the muxer rejects a packet, av_write_trailer() drops all queued packets. Therefore write the queue
  // first, until no packet is rejected; each rejection removes one packet from the queue.
  int code = av_interleaved_write_frame(format_, nullptr);
  for (; is_refusal(code); code = av_interleaved_write_frame(format_, nullptr)) ++packets_refused_;
  const int trailer = av_write_trailer(format_);
  if (code >= 0) code = trailer;
  is_started_ = false;
  avio_flush(format_->pb);
  // Only the I/O context reports errors that occurred while the trailer was written.
  if (code >= 0) code = std::min(0, format_->pb->error);
  close_io();
  if (code < 0) {
    first_failure_ = code;
    return failure(code);
  }
  return {};
}

/// Whether the error means that the muxer rejected a damaged packet, possibly an earlier packet that it had
/// held back to interleave the streams. The muxer has then dropped that packet and can continue. For audio in
/// the wrong framing, the mov and mp4 muxers return -1, which is EPERM. A failed write to the file can return
/// the same codes, but then the I/O context has an error.
bool OutputFile::is_refusal(int averror) const {
  return (averror == AVERROR_INVALIDDATA || averror == AVERROR(EPERM)) && format_->pb->error >= 0;
}

std::string OutputFile::codec_names() const {
  std::string names;
  for (const AVStream* stream : streams_of(*format_)) {
    if (!names.empty()) names += " with ";
    names += avcodec_get_name(stream->codecpar->codec_id);
  }
  return names;
}

Error OutputFile::failure(int averror) const {
  if (averror == AVERROR(EINVAL) || averror == AVERROR_PATCHWELCOME) {
    return av_failure(
        ErrorCode::Failed,
        fmt::format(
            "The container of {} cannot contain these streams; choose a different codec or file extension.",
            path_),
        averror);
  }
  const int number = AVUNERROR(averror);
  if (number > 0 && number < MaxErrno) return unwritable(path_, {number, std::generic_category()});
  return av_failure(ErrorCode::Failed,
                    fmt::format("Writing {} failed; check the disk, or choose a different folder.", path_),
                    averror);
}

}  // namespace glyphreel::media
