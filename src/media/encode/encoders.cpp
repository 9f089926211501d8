#include "media/encode/encoders.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

extern "C" {
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace glyphreel::media {
namespace {

// libx264: the additional tools of slower presets (macroblock tree, adaptive quantization, sub-pixel search)
// do not improve pictures of glyphs, but CABAC and the 8x8 transform do. The table was measured over 120
// rendered 1080p pictures. The rows "Profiles" use the libx264 entry below: ultrafast, CABAC and the 8x8
// transform.
//
//                     bytes   luma PSNR  CPU per picture
//   superfast crf 16  3.0 MB  45.5 dB    8.0 ms
//   veryfast  crf 14  1.9 MB  41.7 dB    8.7 ms
//   Profiles  crf 20  2.7 MB  45.8 dB    5.6 ms
//   Profiles  crf 18  3.1 MB  47.9 dB    5.9 ms
//   ultrafast crf 18  3.7 MB  47.8 dB    4.5 ms
constexpr auto Profiles = std::to_array<EncoderProfile>({
    {"libx264", true, "crf", 18, {{{"preset", "ultrafast"}, {"x264-params", "cabac=1:8x8dct=1"}}}},
    {"libx264rgb", false, "crf", 18, {{{"preset", "ultrafast"}, {"x264-params", "cabac=1:8x8dct=1"}}}},
    {"libx265", true, "crf", 20, {{{"preset", "superfast"}, {"x265-params", "log-level=error"}}}},
    {"h264_nvenc", true, "cq", 20, {{{"preset", "p4"}, {"rc", "vbr"}}}},
    {"hevc_nvenc", true, "cq", 22, {{{"preset", "p4"}, {"rc", "vbr"}}}},
    {"av1_nvenc", false, "cq", 26, {{{"preset", "p4"}, {"rc", "vbr"}}}},
    {"h264_vaapi", false, "qp", 20, {}},
    {"hevc_vaapi", false, "qp", 22, {}},
    {"libvpx-vp9", true, "crf", 24, {{{"deadline", "realtime"}, {"cpu-used", "7"}, {"row-mt", "1"}}}},
    {"libsvtav1", true, "crf", 30, {{{"preset", "10"}}}},
    {"libaom-av1", true, "crf", 28, {{{"usage", "realtime"}, {"cpu-used", "8"}, {"row-mt", "1"}}}},
    {"mpeg4", true, nullptr, 0, {}},
    {"ffv1", true, nullptr, 0, {{{"level", "3"}, {"slices", "16"}, {"slicecrc", "1"}}}},
});

/// Common names of codecs, and the names that FFmpeg uses for these codecs.
constexpr auto CodecAliases =
    std::to_array<std::pair<std::string_view, const char*>>({{"avc", "h264"}, {"h265", "hevc"}});

/// Returns the encoder called `name`. If `name` is a codec, returns the first encoder in Profiles that
/// encodes this codec and needs no GPU, or FFmpeg's default encoder for the codec. Null if there is none.
const AVCodec* find_encoder(std::string name) {
  if (const AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str()); encoder != nullptr) return encoder;
  const auto* alias = std::ranges::find(CodecAliases, name, [](const auto& each) { return each.first; });
  if (alias != CodecAliases.end()) name = alias->second;
  const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(name.c_str());
  if (codec == nullptr) return nullptr;
  for (const EncoderProfile& profile : Profiles) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(profile.encoder);
    if (encoder == nullptr || encoder->id != codec->id) continue;
    if ((encoder->capabilities & AV_CODEC_CAP_HARDWARE) == 0) return encoder;
  }
  return avcodec_find_encoder(codec->id);
}

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

AVPixelFormat default_format(const AVCodec& encoder) {
  const bool accepts_rgb = supports(encoder, AV_PIX_FMT_BGR0);
  if (accepts_rgb && is_lossless_only(encoder)) return AV_PIX_FMT_BGR0;
  for (const AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12}) {
    if (supports(encoder, format)) return format;
  }
  return accepts_rgb ? AV_PIX_FMT_BGR0 : AV_PIX_FMT_NONE;
}

/// Whether drawn pictures can be converted to `format`. The formats yuvj* are excluded, because
/// they only duplicate yuv* with full range.
bool is_convertible(AVPixelFormat format) {
  const bool is_full_range_alias = std::string_view(av_get_pix_fmt_name(format)).starts_with("yuvj");
  return sws_isSupportedOutput(format) != 0 && !is_full_range_alias;
}

Result<AVPixelFormat> requested_format(const AVCodec& encoder, const std::string& name) {
  std::string list;
  for (const AVPixelFormat* f = supported_formats(encoder); f != nullptr && *f != AV_PIX_FMT_NONE; ++f) {
    if (!is_convertible(*f)) continue;
    if (name == av_get_pix_fmt_name(*f)) return *f;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", av_get_pix_fmt_name(*f));
  }
  return usage(
      fmt::format("The encoder {} does not support the pixel format {}; for --pix-fmt, choose one of {}.",
                  encoder.name, name, list));
}

/// Pixel formats of pictures that can be uploaded to encoders that read only GPU memory. The first format is
/// the default. Whether the GPU supports a format is known only after the encoder was opened.
constexpr std::array UploadedFormats = {AV_PIX_FMT_NV12, AV_PIX_FMT_P010LE};

/// Chooses the pixel format to upload to an encoder: `name`, or the default if `name` is empty. Returns empty
/// if the encoder does not read GPU memory. Errors: Usage if `name` is not one of UploadedFormats.
Result<std::optional<ChosenEncoder>> choose_upload(const AVCodec& encoder, const std::string& name) {
  const AVCodecHWConfig* config = avcodec_get_hw_config(&encoder, 0);
  if (config == nullptr || (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX) == 0)
    return std::optional<ChosenEncoder>();
  std::string list;
  for (const AVPixelFormat format : UploadedFormats) {
    const char* known = av_get_pix_fmt_name(format);
    if (name.empty() || name == known)
      return std::optional(ChosenEncoder{&encoder, format, config->device_type, config->pix_fmt});
    list += fmt::format("{}{}", list.empty() ? "" : ", ", known);
  }
  return usage(
      fmt::format("The encoder {} does not support the pixel format {}; for --pix-fmt, choose one of {}.",
                  encoder.name, name, list));
}

constexpr std::array WebmCodecs = {AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_OPUS,
                                   AV_CODEC_ID_VORBIS};
// FFmpeg muxes more audio codecs into mp4, such as Vorbis and TrueHD, than players support.
constexpr std::array Mp4AudioCodecs = {AV_CODEC_ID_AAC,  AV_CODEC_ID_MP3,  AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3,
                                       AV_CODEC_ID_OPUS, AV_CODEC_ID_ALAC, AV_CODEC_ID_FLAC};
// The mov muxer lists these codecs but rejects them later, because QuickTime files do not support them.
constexpr std::array NotInMov = {AV_CODEC_ID_VP8,  AV_CODEC_ID_VP9,  AV_CODEC_ID_AV1,
                                 AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC, AV_CODEC_ID_TRUEHD};

}  // namespace

const EncoderProfile* find_encoder_profile(std::string_view encoder) {
  const auto* found = std::ranges::find_if(
      Profiles, [&](const EncoderProfile& profile) { return profile.encoder == encoder; });
  return found == Profiles.end() ? nullptr : found;
}

Result<ExportFormat> video_format_of(const WriterOptions& options) {
  TRY_ASSIGN(const ExportFormat format, export_format_of(options.path, options.format));
  if (format.writer == ExportWriter::Video) return format;
  return usage(fmt::format("The output {} is not a video; end its name in {}.", options.path,
                           export_endings(ExportWriter::Video)));
}

bool takes_codec(const VideoContainer& container, AVCodecID codec) {
  switch (container.kind) {
    case VideoContainer::Kind::Webm:
      return std::ranges::count(WebmCodecs, codec) > 0;
    case VideoContainer::Kind::Mp4:
      if (avcodec_get_type(codec) == AVMEDIA_TYPE_AUDIO) return std::ranges::count(Mp4AudioCodecs, codec) > 0;
      break;
    case VideoContainer::Kind::Mov:
      if (std::ranges::count(NotInMov, codec) > 0) return false;
      break;
    case VideoContainer::Kind::Matroska:
      break;
  }
  const AVOutputFormat* format = av_guess_format(container.muxer, nullptr, nullptr);
  return format != nullptr && avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1;
}

Result<ChosenEncoder> find_video_encoder(const WriterOptions& options, const ExportFormat& format) {
  const VideoContainer& container = format.container;
  const std::string name = options.codec.empty() ? container.video_encoder : options.codec;
  const AVCodec* encoder = find_encoder(name);
  if (encoder == nullptr || encoder->type != AVMEDIA_TYPE_VIDEO) {
    return usage(fmt::format("This FFmpeg has no video encoder {}; for .{}, choose one of {}.", name,
                             format.ending, usable_encoders(container)));
  }
  if (!takes_codec(container, encoder->id)) {
    return usage(fmt::format("A .{} file cannot contain video from the encoder {}; choose one of {}.",
                             format.ending, name, usable_encoders(container)));
  }
  const AVPixelFormat preferred = default_format(*encoder);
  if (preferred == AV_PIX_FMT_NONE) {
    TRY_ASSIGN(const std::optional<ChosenEncoder> uploading, choose_upload(*encoder, options.pixel_format));
    if (uploading) return *uploading;
  }
  if (!options.pixel_format.empty()) {
    TRY_ASSIGN(const AVPixelFormat wanted, requested_format(*encoder, options.pixel_format));
    return ChosenEncoder{.codec = encoder, .format = wanted};
  }
  if (preferred != AV_PIX_FMT_NONE) return ChosenEncoder{.codec = encoder, .format = preferred};
  return usage(
      fmt::format("The encoder {} supports none of yuv420p, nv12 and bgr0; choose another pixel format with "
                  "--pix-fmt, or one of the encoders {}.",
                  name, usable_encoders(container)));
}

bool is_lossless_only(const AVCodec& encoder) {
  const AVCodecDescriptor* descriptor = avcodec_descriptor_get(encoder.id);
  return descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_LOSSY) == 0;
}

Extent encodable_size(AVPixelFormat format, Extent size) {
  const AVPixFmtDescriptor& described = *av_pix_fmt_desc_get(format);
  const auto rounded_up = [](int length, int shift) { return (((length - 1) >> shift) + 1) << shift; };
  return {rounded_up(size.width, described.log2_chroma_w), rounded_up(size.height, described.log2_chroma_h)};
}

PictureFormat picture_format_of(AVPixelFormat format) {
  return format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_NV12 ? PictureFormat::Yuv420p
                                                                   : PictureFormat::Bgra8;
}

}  // namespace glyphreel::media
