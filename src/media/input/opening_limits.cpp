#include "media/input/opening_limits.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

extern "C" {
#include <libavutil/avstring.h>
}

namespace glyphreel::media {
namespace {

// FFmpeg's demuxers for text formats. They read the whole input while opening it.
constexpr const char* TextReaders =
    "hls,dash,concat,srt,ass,webvtt,microdvd,sami,jacosub,mpl2,mpsub,pjs,realtext,stl,subviewer,subviewer1,"
    "vplayer,lrc,aqtitle,tedcaptions,scc";

/// Returns the number of playlists that are listed in `text`, a section of a manifest. FFmpeg allocates about
/// 20 kB for each listed playlist before it opens the first one.
std::size_t count_named_parts(std::string_view text) {
  std::size_t count = 0;
  for (const std::string_view tag : {"#EXT-X-STREAM-INF:", "#EXT-X-MEDIA:", "<Representation"}) {
    for (std::size_t at = text.find(tag); at != std::string_view::npos; at = text.find(tag, at + tag.size()))
      ++count;
  }
  return count;
}

/// Whether the content of `io` starts like a playlist. Reads the first bytes, then seeks back.
bool starts_as_list(AVIOContext& io) {
  std::array<char, 16> head{};
  const std::int64_t start = avio_tell(&io);
  const int count =
      avio_read(&io, reinterpret_cast<unsigned char*>(head.data()), static_cast<int>(head.size()));
  avio_seek(&io, start, SEEK_SET);  // seeks within the buffer
  const std::string_view text(head.data(), static_cast<std::size_t>(std::max(count, 0)));
  return text.find("#EXTM3U") != std::string_view::npos || text.find("<?xml") != std::string_view::npos ||
         text.find("<MPD") != std::string_view::npos;
}

std::uintptr_t stack_address() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

}  // namespace

bool is_manifest(const AVFormatContext& format) {
  if (format.iformat == nullptr) return false;
  const std::string_view reader = format.iformat->name;
  return reader == "hls" || reader == "dash";
}

void OpeningLimits::begin() {
  is_active_ = true;
  thread_ = std::this_thread::get_id();
  stack_at_begin_ = stack_address();
  parts_named_ = 0;
  exceeded_ = Exceeded::Nothing;
}

bool OpeningLimits::may_continue() {
  if (is_active_ && std::this_thread::get_id() == thread_ &&
      stack_at_begin_ - stack_address() > MaxStackBytes) {
    exceeded_ = Exceeded::Nesting;
  }
  return exceeded_ == Exceeded::Nothing;
}

int OpeningLimits::open(AVFormatContext& format, AVIOContext** io, const std::function<int()>& open_part) {
  if (!is_active_) return open_part();
  if (!may_open(1)) return AVERROR_EXIT;
  parts_.push_back(
      std::make_unique<Part>(Part{.limits = this, .format = &format, .whole = format.interrupt_callback}));
  Part& part = *parts_.back();
  // The part's protocol keeps a copy of the callback that is set while the part is opened.
  format.interrupt_callback = {is_interrupted, &part};
  const int code = open_part();
  format.interrupt_callback = part.whole;
  if (code < 0) return code;
  part.io = *io;
  part.is_nested_list = io != &format.pb && is_manifest(format) && starts_as_list(**io);
  return code;
}

void OpeningLimits::forget(const AVIOContext* io) {
  for (const std::unique_ptr<Part>& part : parts_) {
    if (part->io == io) part->io = nullptr;
  }
}

bool OpeningLimits::may_open(std::size_t parts) {
  parts_named_ += parts;
  if (parts_named_ > MaxParts) exceeded_ = Exceeded::Parts;
  return exceeded_ == Exceeded::Nothing;
}

bool OpeningLimits::may_read_on(const AVFormatContext& format, std::string_view text,
                                std::int64_t total_bytes) {
  if (!is_active_ || format.iformat == nullptr || av_match_name(format.iformat->name, TextReaders) == 0)
    return true;
  if (total_bytes > MaxListBytes) exceeded_ = Exceeded::ListBytes;
  return may_open(is_manifest(format) ? count_named_parts(text) : 0);
}

int OpeningLimits::is_interrupted(void* opaque) {
  auto& part = *static_cast<Part*>(opaque);
  if (part.whole.callback(part.whole.opaque) != 0) return 1;
  if (part.io == nullptr || !part.limits->is_active_) return 0;
  if (part.io != part.format->pb && !part.is_nested_list) return 0;
  // FFmpeg calls this before each read, when the buffer still contains the bytes of the previous read.
  const std::int64_t total = avio_tell(part.io);
  const bool is_new = std::exchange(part.counted, total) != total;
  const auto* const buffer = reinterpret_cast<const char*>(part.io->buffer);
  const std::string_view text(buffer,
                              is_new ? static_cast<std::size_t>(part.io->buf_end - part.io->buffer) : 0);
  return part.limits->may_read_on(*part.format, text, total) ? 0 : 1;
}

}  // namespace glyphreel::media
