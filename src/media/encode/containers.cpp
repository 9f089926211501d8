#include "media/encode/containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace glyphreel::media {
namespace {

template <std::size_t Count>
bool contains(const std::array<AVCodecID, Count>& codecs, AVCodecID codec) {
  return std::find(codecs.begin(), codecs.end(), codec) != codecs.end();
}

constexpr std::array WebmCodecs = {AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_OPUS,
                                   AV_CODEC_ID_VORBIS};
// FFmpeg muxes more audio codecs into mp4 (Vorbis, TrueHD) than players support there.
constexpr std::array Mp4AudioCodecs = {AV_CODEC_ID_AAC,  AV_CODEC_ID_MP3,  AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3,
                                       AV_CODEC_ID_OPUS, AV_CODEC_ID_ALAC, AV_CODEC_ID_FLAC};
// The mov muxer lists these but then rejects them, because QuickTime files do not support them.
constexpr std::array NotInMov = {AV_CODEC_ID_VP8,  AV_CODEC_ID_VP9,  AV_CODEC_ID_AV1,
                                 AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC, AV_CODEC_ID_TRUEHD};

}  // namespace

Result<ExportFormat> video_format_of(const std::string& path) {
  TRY_ASSIGN(const ExportFormat format, export_format_of(path));
  if (format.writer == ExportWriter::Video) return format;
  return Error{
      ErrorCode::Usage, fmt::format("The output {} is not a video: choose another ending.", path), {}};
}

bool takes_codec(const VideoContainer& container, AVCodecID codec) {
  switch (container.kind) {
    case VideoContainer::Kind::Webm:
      return contains(WebmCodecs, codec);
    case VideoContainer::Kind::Mp4:
      if (avcodec_get_type(codec) == AVMEDIA_TYPE_AUDIO) return contains(Mp4AudioCodecs, codec);
      break;
    case VideoContainer::Kind::Mov:
      if (contains(NotInMov, codec)) return false;
      break;
    case VideoContainer::Kind::Matroska:
      break;
  }
  const AVOutputFormat* format = av_guess_format(container.muxer, nullptr, nullptr);
  return format != nullptr && avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1;
}

}  // namespace glyphreel::media
