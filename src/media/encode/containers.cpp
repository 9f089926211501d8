#include "media/encode/containers.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace glyphreel::media {
namespace {

constexpr std::array Containers = {
    Container{"mp4", "mp4", "libx264", "aac", true},
    Container{"mov", "mov", "libx264", "aac", true},
    Container{"mkv", "matroska", "libx264", "aac", false},
    Container{"webm", "webm", "libvpx-vp9", "libopus", false},
};

Error usage(std::string message) {
  return {ErrorCode::Usage, std::move(message), ""};
}

std::string usable_encoders(const Container& container) {
  static constexpr std::array Names = {"libx264",   "libx265",    "h264_nvenc", "hevc_nvenc", "libvpx-vp9",
                                       "libsvtav1", "libaom-av1", "mpeg4",      "ffv1"};
  std::string list;
  for (const char* name : Names) {
    const AVCodec* encoder = avcodec_find_encoder_by_name(name);
    if (encoder == nullptr || !takes_codec(container, encoder->id)) continue;
    list += list.empty() ? name : fmt::format(", {}", name);
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

Result<Container> container_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  for (const Container& container : Containers) {
    if (::strcasecmp(ending.c_str(), container.ending) == 0) return container;
  }
  return usage(fmt::format(
      "The output {} has no known video format: end its name in .mp4, .mkv, .mov or .webm.", path));
}

bool takes_codec(const Container& container, AVCodecID codec) {
  const std::string_view ending = container.ending;
  if (ending == "webm") {
    static constexpr std::array Codecs = {AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_OPUS,
                                          AV_CODEC_ID_VORBIS};
    return std::find(Codecs.begin(), Codecs.end(), codec) != Codecs.end();
  }
  // FFmpeg muxes more audio codecs into mp4 (Vorbis, TrueHD) than players support there.
  if (ending == "mp4" && avcodec_get_type(codec) == AVMEDIA_TYPE_AUDIO) {
    static constexpr std::array Codecs = {AV_CODEC_ID_AAC,  AV_CODEC_ID_MP3,  AV_CODEC_ID_AC3,
                                          AV_CODEC_ID_EAC3, AV_CODEC_ID_OPUS, AV_CODEC_ID_ALAC,
                                          AV_CODEC_ID_FLAC};
    return std::find(Codecs.begin(), Codecs.end(), codec) != Codecs.end();
  }
  // The mov muxer lists these but then rejects them, because QuickTime files do not support them.
  static constexpr std::array Mp4Only = {AV_CODEC_ID_VP8,  AV_CODEC_ID_VP9,  AV_CODEC_ID_AV1,
                                         AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC, AV_CODEC_ID_TRUEHD};
  if (ending == "mov" && std::find(Mp4Only.begin(), Mp4Only.end(), codec) != Mp4Only.end()) return false;
  const AVOutputFormat* format = av_guess_format(container.muxer, nullptr, nullptr);
  return format != nullptr && avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1;
}

Result<const AVCodec*> find_video_encoder(const WriterOptions& options, const Container& container) {
  const std::string name = options.codec.empty() ? container.video_encoder : options.codec;
  const AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str());
  if (encoder == nullptr || encoder->type != AVMEDIA_TYPE_VIDEO) {
    return usage(fmt::format("This FFmpeg has no video encoder {}: for .{}, choose one of {}.", name,
                             container.ending, usable_encoders(container)));
  }
  if (!takes_codec(container, encoder->id)) {
    return usage(fmt::format("A .{} file cannot contain video from the encoder {}: choose one of {}.",
                             container.ending, name, usable_encoders(container)));
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

}  // namespace glyphreel::media
