#include "media/input/index_place.h"

#include <string_view>

namespace glyphreel::media {
namespace {

constexpr std::uint32_t box_type(const char (&name)[5]) {
  return MKBETAG(name[0], name[1], name[2], name[3]);
}

/// Reads the headers of the boxes at the start of an MP4 (ISO/IEC 14496-12, 4.2). Returns whether `mdat`
/// comes before `moov` and before the first fragment (`moof`).
bool starts_with_samples(AVIOContext& io) {
  constexpr std::int64_t HeaderBytes = 8;
  constexpr std::int64_t MaxBytes = 16 * 1024;  // smaller than the buffer of `io`, so that seeking back works
  for (bool is_first = true; avio_tell(&io) < MaxBytes; is_first = false) {
    const std::int64_t size = avio_rb32(&io);
    const std::uint32_t type = avio_rb32(&io);
    if (avio_feof(&io) != 0 || (is_first && type != box_type("ftyp"))) return false;
    if (type == box_type("mdat")) return true;
    const bool is_small = size >= HeaderBytes && avio_tell(&io) + size < MaxBytes;
    if (!is_small || type == box_type("moov") || type == box_type("moof")) return false;
    avio_skip(&io, size - HeaderBytes);
  }
  return false;
}

}  // namespace

bool has_samples_first(AVIOContext& io) {
  const std::int64_t length = avio_size(&io);
  if (io.seekable != 0 || (length >= 0 && length <= io.buffer_size)) return false;
  const bool found = starts_with_samples(io);
  return avio_seek(&io, 0, SEEK_SET) == 0 && found;
}

bool has_index_behind_samples(const AVFormatContext& format) {
  const AVIOContext* io = format.pb;
  if (io == nullptr || io->seekable != 0 || !std::string_view(format.iformat->name).starts_with("mov,"))
    return false;
  const std::int64_t buffered_from = avio_tell(format.pb) - (io->buf_ptr - io->buffer);
  for (AVStream* stream : streams_of(format)) {
    const AVIndexEntry* first = avformat_index_get_entry(stream, 0);
    if (first != nullptr && first->pos < buffered_from) return true;
  }
  return false;
}

}  // namespace glyphreel::media
