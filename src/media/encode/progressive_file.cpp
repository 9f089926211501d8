#include "media/encode/progressive_file.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "media/encode/output_file.h"
#include "media/input/copied_content.h"
#include "media/input/input.h"

namespace glyphreel::media {
namespace {

// The most that one packet can add to an mp4 index, in bytes: sample size (stsz) 4, run of decode times
// (stts) 8, run of composition offsets (ctts) 8, 64-bit chunk offset (co64) 8, chunk length (stsc) 12, sync
// sample (stss) 4.
constexpr std::int64_t IndexBytesPerPacket = 44;
constexpr std::int64_t IndexBytesPerFile = 64 * 1024;  // headers, codec extradata, metadata
constexpr AVRational CoverTicks{1, 90000};

/// Interleaves the packets of a HeldTrack with the packets of the other tracks.
class HeldTrackWriter {
 public:
  HeldTrackWriter(const HeldTrack& track, OutputFile& output)
      : track_(track), output_(output), stream_(output.add_stream(*track.parameters, track.time_base)) {
    AVStream& stream = output.stream(stream_);
    stream.disposition = track.disposition;
    av_dict_copy(&stream.metadata, track.metadata.get(), 0);
  }

  /// Writes the packets that start before `dts`, a time in `time_base`. Errors: Failed.
  [[nodiscard]] Result<void> write_until(std::int64_t dts, AVRational time_base) {
    while (next_ < track_.packets.size() &&
           av_compare_ts(track_.packets[next_]->dts, track_.time_base, dts, time_base) < 0)
      TRY(write_next());
    return {};
  }
  [[nodiscard]] Result<void> write_all() {
    while (next_ < track_.packets.size()) TRY(write_next());
    return {};
  }

 private:
  [[nodiscard]] Result<void> write_next() {
    PacketPtr packet(checked(av_packet_clone(track_.packets[next_++].get())));
    return output_.write(std::move(packet), stream_, track_.time_base);
  }

  const HeldTrack& track_;
  OutputFile& output_;
  const int stream_;
  std::size_t next_ = 0;  ///< index of the packet to write next
};

/// Whether an mp4 file can have the picture as a cover.
bool is_mp4_cover(const AVCodecParameters& parameters) {
  const AVCodecID codec = parameters.codec_id;
  const bool is_known = codec == AV_CODEC_ID_MJPEG || codec == AV_CODEC_ID_PNG || codec == AV_CODEC_ID_BMP;
  return is_known && parameters.width > 0 && parameters.height > 0;
}

/// Adds a stream for each cover that is_mp4_cover() accepts. write_covers() writes the pictures. Returns the
/// index of each cover's stream; -1 for a cover without a stream.
std::vector<int> add_covers(std::span<const CopiedContent::Cover> covers, OutputFile& output) {
  std::vector<int> streams;
  for (const CopiedContent::Cover& cover : covers) {
    streams.push_back(is_mp4_cover(*cover.stream.parameters)
                          ? output.add_stream(*cover.stream.parameters, CoverTicks)
                          : -1);
    if (streams.back() >= 0) output.stream(streams.back()).disposition = AV_DISPOSITION_ATTACHED_PIC;
  }
  return streams;
}

Result<void> write_covers(std::span<const CopiedContent::Cover> covers, const std::vector<int>& streams,
                          OutputFile& output) {
  for (std::size_t i = 0; i < covers.size(); ++i) {
    if (streams[i] < 0) continue;
    PacketPtr picture(checked(av_packet_clone(covers[i].picture.get())));
    picture->pts = picture->dts = 0;
    TRY(output.write(std::move(picture), streams[i], CoverTicks));
  }
  return {};
}

/// Returns how many bytes the covers need in the index.
std::int64_t cover_bytes(std::span<const CopiedContent::Cover> covers) {
  std::int64_t bytes = 0;
  for (const CopiedContent::Cover& cover : covers) bytes += cover.picture->size;
  return bytes;
}

}  // namespace

Result<void> remux_to_progressive(const std::string& from, AtomicFile& to, const std::string& path,
                                  const char* muxer, std::int64_t packets,
                                  const std::vector<const HeldTrack*>& held,
                                  std::span<const CopiedContent::Cover> covers) {
  TRY_ASSIGN(const auto input, Input::open(from));
  TRY_ASSIGN(const auto output, OutputFile::create(to, path, muxer));
  AVFormatContext& format = input->format();
  Options options;
  std::vector<int> targets;  // output index of each input stream; -1: a chapter track, which the muxer writes
  for (const AVStream* source : streams_of(format)) {
    const bool is_data = source->codecpar->codec_type == AVMEDIA_TYPE_DATA;
    targets.push_back(is_data ? -1 : output->add_stream(*source->codecpar, source->time_base));
    if (is_data) continue;
    AVStream& target = output->stream(targets.back());
    target.codecpar->codec_tag = source->codecpar->codec_tag;
    target.avg_frame_rate = source->avg_frame_rate;
    target.disposition = source->disposition;
    av_dict_copy(&target.metadata, source->metadata, 0);
    // Edit lists use ticks of the movie timescale, which must be as fine as the video's time base.
    if (source->codecpar->codec_type == AVMEDIA_TYPE_VIDEO)
      options.set("movie_timescale", std::to_string(source->time_base.den));
  }
  std::vector<HeldTrackWriter> held_writers;
  for (const HeldTrack* track : held) {
    held_writers.emplace_back(*track, *output);
    packets += std::ssize(track->packets) * 2;  // the muxer adds an empty packet where a subtitle ends
  }
  const std::vector<int> cover_streams = add_covers(covers, *output);
  output->copy_content({.chapters = chapters_between(format, -HUGE_VAL, HUGE_VAL),
                        .metadata = copy_metadata(format.metadata)});
  // Reserve space for the index at the start, so that the media data is written once. The muxer's faststart
  // option would write it twice.
  options.set("moov_size",
              std::to_string(IndexBytesPerFile + packets * IndexBytesPerPacket + cover_bytes(covers)));
  TRY(output->start(options));
  TRY(write_covers(covers, cover_streams, *output));
  for (;;) {
    PacketPtr packet = new_packet();
    const int code = av_read_frame(&format, packet.get());
    if (code == AVERROR_EOF) break;
    if (code < 0) {
      return av_failure(ErrorCode::Failed,
                        fmt::format("Reading {} failed while its index was moved to the front.", from), code);
    }
    const AVRational time_base = format.streams[packet->stream_index]->time_base;
    const int target = targets.at(static_cast<std::size_t>(packet->stream_index));
    for (HeldTrackWriter& writer : held_writers) TRY(writer.write_until(packet->dts, time_base));
    if (target >= 0) TRY(output->write(std::move(packet), target, time_base));
  }
  for (HeldTrackWriter& writer : held_writers) TRY(writer.write_all());
  return output->finish();
}

}  // namespace glyphreel::media
