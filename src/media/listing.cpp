#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "media/cells/cells_file.h"
#include "media/cells_source.h"
#include "media/input/input.h"
#include "media/listing.h"
#include "media/stream/stream_tags.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

std::string text_or_empty(const char* text) {
  return text != nullptr ? text : "";
}

/// Returns `name`, FFmpeg's name for a color property's `value`; empty if `value` is unspecified or
/// reserved.
std::string declared_name(const char* name, int value, int unspecified) {
  return value == unspecified ? "" : text_or_empty(name);
}

std::vector<Tag> tags_of(const AVDictionary* dictionary) {
  std::vector<Tag> tags;
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr)
    tags.push_back({entry->key, entry->value});
  return tags;
}

VideoListing video_of(AVFormatContext& format, AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  VideoListing video{
      .size = {parameters.width, parameters.height},
      .pixel_format = text_or_empty(av_get_pix_fmt_name(static_cast<AVPixelFormat>(parameters.format)))};
  const AVRational rate = av_guess_frame_rate(&format, &stream, nullptr);
  if (rate.num > 0 && rate.den > 0) video.fps = av_q2d(rate);
  const AVRational aspect = av_guess_sample_aspect_ratio(&format, &stream, nullptr);
  if (aspect.num > 0 && aspect.den > 0) video.sample_aspect_ratio = to_rational(aspect);
  video.rotation_degrees = 90 * static_cast<int>(stream_rotation(stream));
  video.primaries = declared_name(av_color_primaries_name(parameters.color_primaries),
                                  parameters.color_primaries, AVCOL_PRI_UNSPECIFIED);
  video.transfer = declared_name(av_color_transfer_name(parameters.color_trc), parameters.color_trc,
                                 AVCOL_TRC_UNSPECIFIED);
  video.matrix = declared_name(av_color_space_name(parameters.color_space), parameters.color_space,
                               AVCOL_SPC_UNSPECIFIED);
  video.color_range = declared_name(av_color_range_name(parameters.color_range), parameters.color_range,
                                    AVCOL_RANGE_UNSPECIFIED);
  if (parameters.color_trc == AVCOL_TRC_SMPTE2084) video.hdr = "pq";
  if (parameters.color_trc == AVCOL_TRC_ARIB_STD_B67) video.hdr = "hlg";
  if (!video.hdr.empty()) video.peak_nits = stream_peak_nits(stream);
  video.is_attached_picture = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
  return video;
}

AudioListing audio_of(const AVCodecParameters& parameters) {
  std::array<char, 64> layout{};
  av_channel_layout_describe(&parameters.ch_layout, layout.data(), layout.size());
  return {.sample_rate = parameters.sample_rate,
          .channels = parameters.ch_layout.nb_channels,
          .layout = layout.data()};
}

StreamListing stream_listing(AVFormatContext& format, AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  StreamListing listing;
  listing.index = stream.index;
  const char* kind = av_get_media_type_string(parameters.codec_type);
  listing.kind = kind != nullptr ? kind : "data";
  listing.codec = avcodec_get_name(parameters.codec_id);
  listing.profile = text_or_empty(avcodec_profile_name(parameters.codec_id, parameters.profile));
  listing.bits_per_second = parameters.bit_rate;
  listing.language = metadata_value(stream.metadata, "language");
  if (listing.language == "und") listing.language.clear();
  listing.is_default = (stream.disposition & AV_DISPOSITION_DEFAULT) != 0;
  listing.is_forced = (stream.disposition & AV_DISPOSITION_FORCED) != 0;
  listing.tags = tags_of(stream.metadata);
  if (parameters.codec_type == AVMEDIA_TYPE_VIDEO) listing.video = video_of(format, stream);
  if (parameters.codec_type == AVMEDIA_TYPE_AUDIO) listing.audio = audio_of(parameters);
  return listing;
}

InputListing webp_listing(const WebpAnimation& animation) {
  const double seconds = static_cast<double>(animation.duration_ms()) / 1000;
  const VideoListing video{.size = animation.size(),
                           .pixel_format = "rgba",
                           .fps = static_cast<double>(animation.pictures().size()) / seconds};
  return {.container = "webp",
          .container_title = "WebP animation",
          .duration_seconds = seconds,
          .streams = {{.kind = "video", .codec = "webp", .video = video}}};
}

/// Describes a .cells file. The listed video size is the size of the drawn grid in pixels: grid size times
/// cell size.
Result<InputListing> cells_listing(const std::string& url) {
  TRY_ASSIGN(const auto file, CellsFile::open(url));
  TRY_ASSIGN(const auto source, make_cells_source({.url = url}));
  const CellsHeader& header = file->header();
  const VideoListing video{
      .size = {header.grid.columns * header.cell.width, header.grid.rows * header.cell.height},
      .fps = header.frame_rate.value()};
  InputListing listing{.container = "cells",
                       .container_title = "glyphreel recording",
                       .duration_seconds = source->facts().duration_seconds,
                       .tags = {{"grid", fmt::format("{}x{}", header.grid.columns, header.grid.rows)},
                                {"cell", fmt::format("{}x{}", header.cell.width, header.cell.height)},
                                {"font", header.font},
                                {"glyphs", std::to_string(file->glyphs()->glyphs.size())}},
                       .streams = {{.kind = "video", .codec = "cells", .video = video}}};
  if (!file->sound_chunks().empty())
    listing.streams.push_back({.index = 1, .kind = "audio", .codec = "opus"});
  return listing;
}

template <std::size_t N, typename Find>
std::vector<std::string> present(const std::array<const char*, N>& names, Find find) {
  std::vector<std::string> found;
  for (const char* name : names) {
    if (find(name) != nullptr) found.emplace_back(name);
  }
  return found;
}

/// Sets StreamListing::is_encrypted. Reads the first packets, because not every container's header indicates
/// encryption.
void mark_encrypted(AVFormatContext& format, std::vector<StreamListing>& streams) {
  constexpr int MaxPackets = 32;
  const PacketPtr packet = new_packet();
  for (int i = 0; i < MaxPackets && av_read_frame(&format, packet.get()) >= 0; ++i) {
    const auto stream = static_cast<std::size_t>(packet->stream_index);
    if (av_packet_get_side_data(packet.get(), AV_PKT_DATA_ENCRYPTION_INFO, nullptr) != nullptr &&
        stream < streams.size())
      streams[stream].is_encrypted = true;
    av_packet_unref(packet.get());
  }
}

}  // namespace

Result<InputListing> list_input(const std::string& url) {
  if (is_cells_source(url)) return cells_listing(url);
  TRY_ASSIGN(const auto input, Input::open(url));
  if (const WebpAnimation* animation = input->animated_webp()) return webp_listing(*animation);
  AVFormatContext& format = input->format();
  InputListing listing{.container = format.iformat->name,
                       .container_title = text_or_empty(format.iformat->long_name),
                       .bits_per_second = std::max<std::int64_t>(0, format.bit_rate),
                       .tags = tags_of(format.metadata)};
  if (format.duration != AV_NOPTS_VALUE)
    listing.duration_seconds = static_cast<double>(format.duration) / AV_TIME_BASE;
  for (unsigned i = 0; i < format.nb_chapters; ++i) {
    const AVChapter& chapter = *format.chapters[i];
    const double unit = av_q2d(chapter.time_base);
    listing.chapters.push_back({static_cast<double>(chapter.start) * unit,
                                static_cast<double>(chapter.end) * unit,
                                metadata_value(chapter.metadata, "title")});
  }
  for (AVStream* stream : streams_of(format)) listing.streams.push_back(stream_listing(format, *stream));
  if (listing.duration_seconds) mark_encrypted(format, listing.streams);
  return listing;
}

MediaCapabilities capabilities() {
  static constexpr std::array Decoders = {
      "h264",       "hevc",       "libdav1d", "libaom-av1", "av1",        "vp8",        "vp9",
      "mpeg1video", "mpeg2video", "mpeg4",    "vc1",        "wmv3",       "theora",     "prores",
      "dnxhd",      "mjpeg",      "ffv1",     "huffyuv",    "utvideo",    "rawvideo",   "gif",
      "png",        "webp",       "tiff",     "exr",        "h264_cuvid", "hevc_cuvid", "av1_cuvid"};
  static constexpr std::array Encoders = {"libx264",    "libx264rgb", "libx265",   "libvpx",     "libvpx-vp9",
                                          "libaom-av1", "libsvtav1",  "librav1e",  "mpeg4",      "ffv1",
                                          "h264_nvenc", "hevc_nvenc", "av1_nvenc", "h264_vaapi", "hevc_vaapi",
                                          "h264_qsv",   "aac",        "libopus"};
  MediaCapabilities result;
  result.ffmpeg_version = av_version_info();
  result.decoders = present(Decoders, avcodec_find_decoder_by_name);
  result.encoders = present(Encoders, avcodec_find_encoder_by_name);
  return result;
}

}  // namespace glyphreel::media
