#include <fmt/format.h>

#include <array>

#include "media/input/input.h"
#include "media/listing.h"
#include "media/stream/stream_tags.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

std::string describe_video(AVFormatContext& format, AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  std::string text = fmt::format("{}x{}", parameters.width, parameters.height);
  if (const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(parameters.format))) {
    text += fmt::format(", {}", name);
  }
  const AVRational rate = av_guess_frame_rate(&format, &stream, nullptr);
  if (rate.num > 0 && rate.den > 0) text += fmt::format(", {:.6g} fps", av_q2d(rate));
  if (const int quarter_turns = static_cast<int>(stream_rotation(stream)); quarter_turns != 0)
    text += fmt::format(", rotated {} degrees", 90 * quarter_turns);
  if ((stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) text += ", attached picture";
  return text;
}

StreamListing describe(AVFormatContext& format, AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  StreamListing listing;
  listing.index = stream.index;
  const char* kind = av_get_media_type_string(parameters.codec_type);
  listing.kind = kind != nullptr ? kind : "data";
  listing.description = avcodec_get_name(parameters.codec_id);
  if (const char* profile = avcodec_profile_name(parameters.codec_id, parameters.profile)) {
    listing.description += fmt::format(" ({})", profile);
  }
  if (parameters.codec_type == AVMEDIA_TYPE_VIDEO)
    listing.description += ", " + describe_video(format, stream);
  if (parameters.codec_type == AVMEDIA_TYPE_AUDIO) {
    std::array<char, 64> layout{};
    av_channel_layout_describe(&parameters.ch_layout, layout.data(), layout.size());
    listing.description += fmt::format(", {} Hz, {}", parameters.sample_rate, layout.data());
  }
  if (parameters.bit_rate > 0)
    listing.description += fmt::format(", {} kb/s", (parameters.bit_rate + 500) / 1000);
  const std::string language = metadata_value(stream.metadata, "language");
  if (!language.empty() && language != "und") listing.description += fmt::format(", {}", language);
  return listing;
}

StreamListing describe(const WebpAnimation& animation) {
  return {.index = 0,
          .kind = "video",
          .description =
              fmt::format("webp, {}x{}, rgba, {:.6g} fps", animation.size().width, animation.size().height,
                          1000.0 * static_cast<double>(animation.pictures().size()) /
                              static_cast<double>(animation.duration_ms()))};
}

template <std::size_t N, typename Find>
std::vector<std::string> present(const std::array<const char*, N>& names, Find find) {
  std::vector<std::string> found;
  for (const char* name : names) {
    if (find(name) != nullptr) found.emplace_back(name);
  }
  return found;
}

}  // namespace

Result<std::vector<StreamListing>> list_streams(const std::string& url) {
  TRY_ASSIGN(const auto input, Input::open(url));
  if (const WebpAnimation* animation = input->animated_webp()) return std::vector{describe(*animation)};
  AVFormatContext& format = input->format();
  std::vector<StreamListing> listings;
  for (AVStream* stream : streams_of(format)) listings.push_back(describe(format, *stream));
  return listings;
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
