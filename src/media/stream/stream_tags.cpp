#include "media/stream/stream_tags.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "media/frame/pixel_layout.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

YuvMatrix matrix_of(const DeclaredColor& declared) {
  switch (declared.matrix) {
    case AVCOL_SPC_BT709:
    case AVCOL_SPC_SMPTE240M:  // within 0.01 of BT.709's coefficients
      return YuvMatrix::Bt709;
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
    case AVCOL_SPC_FCC:
      return YuvMatrix::Bt601;
    case AVCOL_SPC_BT2020_NCL:
    case AVCOL_SPC_BT2020_CL:
      return YuvMatrix::Bt2020;
    default:
      if (is_hdr(declared.transfer) || declared.primaries == AVCOL_PRI_BT2020) return YuvMatrix::Bt2020;
      return declared.size.height >= 720 || declared.size.width >= 1280 ? YuvMatrix::Bt709 : YuvMatrix::Bt601;
  }
}

ColorRange range_of(const DeclaredColor& declared) {
  const auto layout = layout_of(declared.format);
  if (is_full_range_by_name(declared.format)) return ColorRange::Full;
  if (layout && layout->model == ColorModel::Rgb) return ColorRange::Full;
  if (declared.range == AVCOL_RANGE_JPEG) return ColorRange::Full;
  if (declared.range == AVCOL_RANGE_MPEG) return ColorRange::Limited;
  return layout && layout->model == ColorModel::Gray ? ColorRange::Full : ColorRange::Limited;
}

ChromaSiting siting_of(const DeclaredColor& declared) {
  static_assert(AVCHROMA_LOC_BOTTOM - AVCHROMA_LOC_LEFT == static_cast<int>(ChromaSiting::Bottom));
  if (declared.siting >= AVCHROMA_LOC_LEFT && declared.siting <= AVCHROMA_LOC_BOTTOM)
    return static_cast<ChromaSiting>(declared.siting - AVCHROMA_LOC_LEFT);
  return is_full_range_by_name(declared.format) ? ChromaSiting::Center : ChromaSiting::Left;
}

int peak_nits(const AVContentLightMetadata* content, const AVMasteringDisplayMetadata* display) {
  constexpr double MaxNits = 10000;  // the maximum that PQ can encode
  if (content != nullptr && content->MaxCLL > 0) {
    return static_cast<int>(std::min<double>(content->MaxCLL, MaxNits));
  }
  if (display == nullptr || display->has_luminance == 0 || display->max_luminance.den == 0) return 0;
  return static_cast<int>(std::lround(std::clamp(av_q2d(display->max_luminance), 0.0, MaxNits)));
}

/// Returns a stream's side data of type `type`; null if the stream has no such data, or fewer than
/// `min_bytes` bytes of it.
template <typename T>
const T* side_data(const AVStream& stream, AVPacketSideDataType type, std::size_t min_bytes = sizeof(T)) {
#if GLYPHREEL_AV_CODED_SIDE_DATA
  const AVPacketSideData* found =
      av_packet_side_data_get(stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, type);
  return found != nullptr && found->size >= min_bytes ? reinterpret_cast<const T*>(found->data) : nullptr;
#else
  std::size_t size = 0;
  const std::uint8_t* bytes = av_stream_get_side_data(&stream, type, &size);
  return size >= min_bytes ? reinterpret_cast<const T*>(bytes) : nullptr;
#endif
}

template <typename T>
const T* side_data(const AVFrame& frame, AVFrameSideDataType type) {
  const AVFrameSideData* found = av_frame_get_side_data(&frame, type);
  return found != nullptr && found->size >= sizeof(T) ? reinterpret_cast<const T*>(found->data) : nullptr;
}

/// A 3x3 matrix of fixed-point numbers, as in libavutil/display.h.
using DisplayMatrix = std::array<std::int32_t, 9>;

Rotation rotation_of(const DisplayMatrix& matrix) {
  // In degrees; NaN for a singular matrix.
  const double counterclockwise = av_display_rotation_get(matrix.data());
  if (std::isnan(counterclockwise)) return Rotation::None;
  return static_cast<Rotation>(((std::lround(-counterclockwise / 90) % 4) + 4) % 4);
}

}  // namespace

DeclaredColor declared_color(const AVCodecParameters& parameters) {
  return {static_cast<AVPixelFormat>(parameters.format),
          parameters.color_space,
          parameters.color_range,
          parameters.color_primaries,
          parameters.color_trc,
          {parameters.width, parameters.height},
          parameters.chroma_location};
}

DeclaredColor declared_color(const AVFrame& frame) {
  return {static_cast<AVPixelFormat>(frame.format),
          frame.colorspace,
          frame.color_range,
          frame.color_primaries,
          frame.color_trc,
          {frame.width, frame.height},
          frame.chroma_location};
}

ColorTags color_tags(const DeclaredColor& declared) {
  // Only PQ defines a peak luminance: HLG is relative to the display, and the peak of SDR is its white.
  const bool has_peak = declared.transfer == AVCOL_TRC_SMPTE2084;
  return {.matrix = matrix_of(declared),
          .range = range_of(declared),
          .primaries = static_cast<int>(declared.primaries),
          .transfer = static_cast<int>(declared.transfer),
          .siting = siting_of(declared),
          .peak_nits = has_peak ? declared.peak_nits : 0};
}

int stream_peak_nits(const AVStream& stream) {
  return peak_nits(side_data<AVContentLightMetadata>(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
                   side_data<AVMasteringDisplayMetadata>(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA));
}

int frame_peak_nits(const AVFrame& frame, int of_stream) {
  const int own =
      peak_nits(side_data<AVContentLightMetadata>(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL),
                side_data<AVMasteringDisplayMetadata>(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA));
  return own > 0 ? own : of_stream;
}

Rotation stream_rotation(const AVStream& stream) {
  const auto* matrix = side_data<DisplayMatrix>(stream, AV_PKT_DATA_DISPLAYMATRIX);
  return matrix == nullptr ? Rotation::None : rotation_of(*matrix);
}

Rotation frame_rotation(const AVFrame& frame, Rotation of_stream) {
  const auto* matrix = side_data<DisplayMatrix>(frame, AV_FRAME_DATA_DISPLAYMATRIX);
  return matrix == nullptr ? of_stream : rotation_of(*matrix);
}

Rational sample_aspect_for(Rational shown, Extent size, Rotation rotation) {
  // Let `sample` be the result. For an upright frame, shown = width * sample / height. For a frame rotated by
  // 90 or 270 degrees, shown = height / (width * sample).
  const bool on_side = rotation == Rotation::Clockwise90 || rotation == Rotation::Clockwise270;
  if (on_side) std::swap(shown.numerator, shown.denominator);
  return {shown.numerator * size.height, shown.denominator * size.width};
}

std::string color_warning(const AVStream& stream) {
  constexpr std::size_t MinBytes =
      offsetof(AVDOVIDecoderConfigurationRecord, dv_bl_signal_compatibility_id) + 1;
  const auto* record = side_data<AVDOVIDecoderConfigurationRecord>(stream, AV_PKT_DATA_DOVI_CONF, MinBytes);
  // An ID of 0 means that only Dolby Vision players can show the base layer. Other IDs mean that the base
  // layer is compatible with HDR10, SDR, HLG or Blu-ray.
  if (record == nullptr || record->dv_bl_signal_compatibility_id != 0) return {};
  return fmt::format(
      "The colors will look wrong because the video uses Dolby Vision profile {}, which only Dolby Vision "
      "players can show.",
      record->dv_profile);
}

VideoFacts facts_of(AVFormatContext& format, AVStream& stream, const AVCodec& decoder) {
  const AVCodecParameters& parameters = *stream.codecpar;
  VideoFacts facts;
  facts.codec = avcodec_get_name(parameters.codec_id);
  facts.decoder = decoder.name;
  const auto pixel_format = static_cast<AVPixelFormat>(parameters.format);
  const char* pixel_format_name = av_get_pix_fmt_name(pixel_format);
  facts.pixel_format = pixel_format_name != nullptr ? pixel_format_name : "unknown";
  facts.size = {parameters.width, parameters.height};
  const AVRational rate =
      stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : av_guess_frame_rate(&format, &stream, nullptr);
  facts.frame_rate = rate.num > 0 && rate.den > 0 ? to_rational(rate) : Rational{0, 1};
  facts.time_base = to_rational(stream.time_base);
  const AVRational aspect = av_guess_sample_aspect_ratio(&format, &stream, nullptr);
  if (aspect.num > 0 && aspect.den > 0) facts.sample_aspect_ratio = to_rational(aspect);
  facts.rotation = stream_rotation(stream);
  DeclaredColor declared = declared_color(parameters);
  declared.peak_nits = stream_peak_nits(stream);
  facts.color = color_tags(declared);
  if (stream.duration != AV_NOPTS_VALUE) {
    facts.duration_seconds = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  } else if (format.duration != AV_NOPTS_VALUE) {
    facts.duration_seconds = static_cast<double>(format.duration) / AV_TIME_BASE;
  }
  facts.has_exact_duration =
      facts.duration_seconds && format.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE;
  facts.start_pts = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
  facts.frame_count = stream.nb_frames;
  const double start_seconds = static_cast<double>(facts.start_pts) * facts.time_base.value();
  for (unsigned i = 0; i < format.nb_chapters; ++i) {
    const AVChapter& chapter = *format.chapters[i];
    facts.chapters.push_back({static_cast<double>(chapter.start) * av_q2d(chapter.time_base) - start_seconds,
                              metadata_value(chapter.metadata, "title")});
  }
  if (facts.frame_count == 0 && facts.duration_seconds) {
    facts.frame_count = std::llround(*facts.duration_seconds * facts.frame_rate.value());
  }
  return facts;
}

}  // namespace glyphreel::media
