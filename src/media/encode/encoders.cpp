#include "media/encode/encoders.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "media/encode/containers.h"

namespace glyphreel::media {
namespace {

// libx264: what slower presets add (macroblock tree, adaptive quantization, sub-pixel search) gains nothing
// in pictures of glyphs; CABAC and the 8x8 transform do gain. Measured over 120 rendered 1080p pictures:
//
//                     bytes   luma PSNR  CPU per picture
//   superfast crf 16  3.0 MB  45.5 dB    8.0 ms
//   veryfast  crf 14  1.9 MB  41.7 dB    8.7 ms
//   this      crf 20  2.7 MB  45.8 dB    5.6 ms
//   this      crf 18  3.1 MB  47.9 dB    5.9 ms
//   ultrafast crf 18  3.7 MB  47.8 dB    4.5 ms
constexpr std::array Profiles = {
    EncoderProfile{
        "libx264", true, "crf", 18, {{{"preset", "ultrafast"}, {"x264-params", "cabac=1:8x8dct=1"}, {}}}},
    EncoderProfile{
        "libx264rgb", false, "crf", 18, {{{"preset", "ultrafast"}, {"x264-params", "cabac=1:8x8dct=1"}, {}}}},
    EncoderProfile{
        "libx265", true, "crf", 20, {{{"preset", "superfast"}, {"x265-params", "log-level=error"}, {}}}},
    EncoderProfile{"h264_nvenc", true, "cq", 20, {{{"preset", "p4"}, {"rc", "vbr"}, {}}}},
    EncoderProfile{"hevc_nvenc", true, "cq", 22, {{{"preset", "p4"}, {"rc", "vbr"}, {}}}},
    EncoderProfile{"av1_nvenc", false, "cq", 26, {{{"preset", "p4"}, {"rc", "vbr"}, {}}}},
    EncoderProfile{
        "libvpx-vp9", true, "crf", 24, {{{"deadline", "realtime"}, {"cpu-used", "7"}, {"row-mt", "1"}}}},
    EncoderProfile{"libsvtav1", true, "crf", 30, {{{"preset", "10"}, {}, {}}}},
    EncoderProfile{
        "libaom-av1", true, "crf", 28, {{{"usage", "realtime"}, {"cpu-used", "8"}, {"row-mt", "1"}}}},
    EncoderProfile{"mpeg4", true, nullptr, 0, {}},
    EncoderProfile{"ffv1", true, nullptr, 0, {{{"level", "3"}, {"slices", "16"}, {"slicecrc", "1"}}}},
};

Error usage(std::string message) {
  return {ErrorCode::Usage, std::move(message), ""};
}

std::string usable_encoders(const VideoContainer& container) {
  std::string list;
  for (const EncoderProfile& profile : Profiles) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(profile.encoder);
    if (!profile.is_suggested || encoder == nullptr || !takes_codec(container, encoder->id)) continue;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", profile.encoder);
  }
  return list;
}

const AVPixelFormat* supported_formats(const AVCodec& encoder) {
#if GLYPHREEL_AV_SUPPORTED_CONFIG
  const void* formats = nullptr;
  if (avcodec_get_supported_config(nullptr, &encoder, AV_CODEC_CONFIG_PIX_FORMAT, 0, &formats, nullptr) < 0) {
    return nullptr;
  }
  return static_cast<const AVPixelFormat*>(formats);
#else
  return encoder.pix_fmts;
#endif
}

bool supports(const AVCodec& encoder, AVPixelFormat format) {
  for (const AVPixelFormat* f = supported_formats(encoder); f != nullptr && *f != AV_PIX_FMT_NONE; ++f) {
    if (*f == format) return true;
  }
  return false;
}

}  // namespace

const EncoderProfile* find_encoder_profile(std::string_view encoder) {
  const auto found = std::find_if(Profiles.begin(), Profiles.end(), [encoder](const EncoderProfile& profile) {
    return profile.encoder == encoder;
  });
  return found == Profiles.end() ? nullptr : &*found;
}

Result<const AVCodec*> find_video_encoder(const WriterOptions& options, const ExportFormat& format) {
  const VideoContainer& container = format.container;
  const std::string name = options.codec.empty() ? container.video_encoder : options.codec;
  const AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str());
  if (encoder == nullptr || encoder->type != AVMEDIA_TYPE_VIDEO) {
    return usage(fmt::format("This FFmpeg has no video encoder {}: for .{}, choose one of {}.", name,
                             format.ending, usable_encoders(container)));
  }
  if (!takes_codec(container, encoder->id)) {
    return usage(fmt::format("A .{} file cannot contain video from the encoder {}: choose one of {}.",
                             format.ending, name, usable_encoders(container)));
  }
  if (encoder_format(*encoder) == AV_PIX_FMT_NONE) {
    return usage(fmt::format("The encoder {} supports neither YUV 4:2:0 nor RGB: choose one of {}.", name,
                             usable_encoders(container)));
  }
  return encoder;
}

AVPixelFormat encoder_format(const AVCodec& encoder) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(encoder.id);
  const bool is_lossless_only = descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_LOSSLESS) != 0 &&
                                (descriptor->props & AV_CODEC_PROP_LOSSY) == 0;
  const bool takes_rgb = supports(encoder, AV_PIX_FMT_BGR0);
  if (is_lossless_only && takes_rgb) return AV_PIX_FMT_BGR0;
  if (supports(encoder, AV_PIX_FMT_YUV420P)) return AV_PIX_FMT_YUV420P;
  return takes_rgb ? AV_PIX_FMT_BGR0 : AV_PIX_FMT_NONE;
}

PictureFormat picture_format_of(AVPixelFormat format) {
  return format == AV_PIX_FMT_YUV420P ? PictureFormat::Yuv420p : PictureFormat::Bgra8;
}

}  // namespace glyphreel::media
