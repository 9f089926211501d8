#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/interrupt.h"
#include "base/io/read_file.h"
#include "media/subtitle/character_sets.h"
#include "media/subtitle/subtitle_stream.h"
#include "media/subtitle/subtitles.h"

extern "C" {
#include <libavutil/avstring.h>
}

namespace glyphreel::media {
namespace {

using ShouldStop = std::function<bool()>;

constexpr std::size_t MaxFileBytes = 256U << 20;

// FFmpeg's subtitle formats. The list prevents FFmpeg from opening a playlist that is named like a subtitle
// file. "mpeg" is for VobSub, which stores its pictures in an MPEG program stream.
constexpr const char* Formats =
    "srt,ass,webvtt,microdvd,sami,jacosub,mpl2,mpsub,pjs,realtext,stl,subviewer,subviewer1,vplayer,lrc,"
    "aqtitle,tedcaptions,scc,sup,vobsub,mpeg,matroska,mov";

struct FreeMemoryIo {
  void operator()(AVIOContext* io) const {
    av_freep(&io->buffer);
    avio_context_free(&io);
  }
};
using MemoryIoPtr = std::unique_ptr<AVIOContext, FreeMemoryIo>;

/// Returns an I/O context from which FFmpeg reads `text` like a file. The context's buffer is a copy of
/// `text`.
MemoryIoPtr read_from_memory(const std::string& text) {
  auto* buffer = static_cast<unsigned char*>(checked(av_memdup(text.data(), text.size())));
  const auto read_more = [](void*, std::uint8_t*, int) { return AVERROR_EOF; };
  MemoryIoPtr io(checked(
      avio_alloc_context(buffer, static_cast<int>(text.size()), 0, nullptr, read_more, nullptr, nullptr)));
  io->buf_end = io->buffer + text.size();
  io->pos = static_cast<std::int64_t>(text.size());
  return io;
}

Result<std::string> read_subtitles(const std::string& path, const ShouldStop& should_stop) {
  const auto explain = [&](FileProblem problem) {
    switch (problem) {
      case FileProblem::Missing:
        return fmt::format("There is no subtitle file {}; check its name.", path);
      case FileProblem::Directory:
        return fmt::format("{} is a directory; choose a subtitle file in it.", path);
      case FileProblem::TooLarge:
        return fmt::format("{} is larger than 256 MiB and cannot be a subtitle file; check its name.", path);
      case FileProblem::Unreadable:
        break;
    }
    return fmt::format("The subtitle file {} cannot be read; check its permissions.", path);
  };
  TRY_ASSIGN(std::string bytes, read_file(path, {.max_bytes = MaxFileBytes,
                                                 .code = ErrorCode::BadInput,
                                                 .explain = explain,
                                                 .should_stop = should_stop}));
  if (bytes.empty()) return bad_input("The subtitle file {} is empty; choose a different file.", path);
  return bytes;
}

/// Whether FFmpeg must read the file from disk because the file contains bitmaps, is a container, or is
/// VobSub's index file, whose pictures are in a second file.
bool is_binary(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("PG") && bytes.size() > 13 && static_cast<unsigned char>(bytes[10]) >= 0x14)
    return true;
  return bytes.starts_with("\x1A\x45\xDF\xA3"sv) || bytes.starts_with("# VobSub index file"sv) ||
         bytes.substr(0, 8).ends_with("ftyp"sv);
}

using FormatPtr = std::unique_ptr<AVFormatContext, FreeIndirect<avformat_close_input>>;

/// Returns the demuxer for text whose format FFmpeg does not detect by content, such as SubRip without
/// numbers; null if the file extension is unknown.
const AVInputFormat* format_of_ending(const std::string& path) {
  for (const auto& [endings, format] : {std::pair("srt", "srt"), std::pair("vtt", "webvtt"),
                                        std::pair("ass,ssa", "ass"), std::pair("smi,sami", "sami")}) {
    if (av_match_ext(path.c_str(), endings) != 0) return av_find_input_format(format);
  }
  return nullptr;
}

int is_stopped(void* opaque) {
  const auto& should_stop = *static_cast<const ShouldStop*>(opaque);
  return interrupted() || (should_stop && should_stop()) ? 1 : 0;
}

/// Returns an error if `path`, or the .sub file of an .idx file, exists but is not a regular file. FFmpeg
/// opens binary subtitles by name and would wait forever on a FIFO.
Result<void> check_regular(const std::string& path) {
  std::vector<std::filesystem::path> files = {path};
  if (av_strcasecmp(files[0].extension().c_str(), ".idx") == 0)
    files.push_back(std::filesystem::path(path).replace_extension("sub"));
  for (const std::filesystem::path& file : files) {
    std::error_code ignored;
    const auto type = std::filesystem::status(file, ignored).type();
    if (type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found)
      continue;
    return bad_input("{} is not a regular file; save the subtitles as a file.", file.string());
  }
  return {};
}

/// Opens a subtitle file. If `io` is not null, reads the content from `io` instead of from the disk.
/// `should_stop` must outlive the result.
Result<FormatPtr> open_format(const std::string& path, AVIOContext* io, ShouldStop& should_stop) {
  int code = 0;
  std::vector<const AVInputFormat*> formats = {nullptr};  // null: detect by content
  if (const AVInputFormat* by_ending = io == nullptr ? nullptr : format_of_ending(path))
    formats.push_back(by_ending);
  for (const AVInputFormat* format : formats) {
    AVFormatContext* context = checked(avformat_alloc_context());
    if (io != nullptr) avio_seek(io, 0, SEEK_SET);
    context->pb = io;
    context->interrupt_callback = {is_stopped, &should_stop};
    Options options;
    options.set("format_whitelist", Formats);
    options.set("protocol_whitelist", "file");
    // "file:" prevents FFmpeg from interpreting the text before a colon in the name as a protocol.
    code = avformat_open_input(&context, ("file:" + path).c_str(), format, options.get());
    if (code >= 0) return FormatPtr(context);
  }
  return bad_input(code, "{} is not a subtitle file that FFmpeg supports; choose a different file.", path);
}

}  // namespace

Result<std::vector<SubtitleEvent>> load_subtitle_file(const std::string& path, const std::string& charset,
                                                      std::function<bool()> should_stop) {
  TRY(check_charset(charset));
  TRY_ASSIGN(std::string bytes, read_subtitles(path, should_stop));
  MemoryIoPtr io;
  if (!is_binary(bytes)) {
    TRY_ASSIGN(std::string text, text_to_utf8(bytes, charset));
    io = read_from_memory(text);
  } else {
    TRY(check_regular(path));
  }
  bytes = {};
  TRY_ASSIGN(const FormatPtr format, open_format(path, io.get(), should_stop));
  const auto streams = streams_of(*format);
  const auto found = std::ranges::find_if(
      streams, [](const AVStream* each) { return each->codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE; });
  if (found == streams.end()) return bad_input("{} contains no subtitles; choose a different file.", path);
  const AVStream* stream = *found;

  TRY_ASSIGN(const auto decoder, SubtitleDecoder::open(describe_subtitles(*stream, {}), charset));

  std::vector<SubtitleEvent> events;
  SubtitlePacket packet{.packet = new_packet(), .time_base = stream->time_base};
  while (is_stopped(&should_stop) == 0 && av_read_frame(format.get(), packet.packet.get()) >= 0) {
    if (packet.packet->stream_index == stream->index) {
      for (SubtitleEvent& event : decoder->decode(packet)) events.push_back(std::move(event));
    }
    av_packet_unref(packet.packet.get());
  }
  if (is_stopped(&should_stop) != 0) {
    return Error{ErrorCode::Interrupted, fmt::format("Reading {} was interrupted.", path), {}};
  }
  if (events.empty())
    return bad_input("{} contains no subtitles that can be shown; choose a different file.", path);
  std::ranges::stable_sort(events, {}, &SubtitleEvent::start_seconds);
  return events;
}

}  // namespace glyphreel::media
