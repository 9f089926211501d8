#include "media/encode/remux.h"

#include <fmt/format.h>

#include <algorithm>

#include "media/input/input.h"
#include "media/encode/output_file.h"

namespace glyphreel::media {
namespace {

// The worst case of the index for one packet: a size, a decode time and a presentation time run of its own,
// a chunk with a 64-bit offset, a chunk length entry and a sync entry (4 + 8 + 8 + 8 + 12 + 4 bytes).
constexpr std::int64_t IndexBytesPerPacket = 44;
constexpr std::int64_t IndexBytesPerFile = 64 * 1024;  // headers, codec extradata, metadata

}  // namespace

Result<void> remux_to_progressive(const std::string& from, AtomicFile& to, const std::string& path,
                                  const char* muxer, std::int64_t packets) {
  TRY_ASSIGN(const auto input, Input::open(from));
  TRY_ASSIGN(const auto output, OutputFile::create(to, path, muxer));
  AVFormatContext& format = input->format();
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    const AVStream& source = *format.streams[i];
    AVStream& target = output->stream(output->add_stream(*source.codecpar, source.time_base));
    target.codecpar->codec_tag = source.codecpar->codec_tag;
    target.avg_frame_rate = source.avg_frame_rate;
    target.disposition = source.disposition;
    av_dict_copy(&target.metadata, source.metadata, 0);
  }
  // Reserve space for the index in front, so that the media is written once; faststart would write it
  // twice.
  Options options;
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    // Edit lists count in movie timescale ticks, which must be as fine as the video's.
    if (format.streams[i]->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
    options.set("movie_timescale", std::to_string(format.streams[i]->time_base.den));
  }
  options.set("moov_size", std::to_string(IndexBytesPerFile + packets * IndexBytesPerPacket));
  TRY(output->start(options));
  for (;;) {
    PacketPtr packet = new_packet();
    const int code = av_read_frame(&format, packet.get());
    if (code == AVERROR_EOF) break;
    if (code < 0) {
      return av_failure(ErrorCode::Failed, fmt::format("Reading {} back failed.", from), code);
    }
    const int index = packet->stream_index;
    TRY(output->write(std::move(packet), index, format.streams[index]->time_base));
  }
  return output->finish();
}

}  // namespace glyphreel::media
