#include "media/stream/stream_tags.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "media/frame/pixel_layout.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
}

namespace glyphreel::media {
namespace {

bool is_hdr(AVColorTransferCharacteristic transfer) {
  return transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67;
}

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
  switch (declared.siting) {
    case AVCHROMA_LOC_LEFT:
      return ChromaSiting::Left;
    case AVCHROMA_LOC_CENTER:
      return ChromaSiting::Center;
    case AVCHROMA_LOC_TOPLEFT:
      return ChromaSiting::TopLeft;
    case AVCHROMA_LOC_TOP:
      return ChromaSiting::Top;
    case AVCHROMA_LOC_BOTTOMLEFT:
      return ChromaSiting::BottomLeft;
    case AVCHROMA_LOC_BOTTOM:
      return ChromaSiting::Bottom;
    default:
      return is_full_range_by_name(declared.format) ? ChromaSiting::Center : ChromaSiting::Left;
  }
}

int peak_nits(const AVContentLightMetadata* content, const AVMasteringDisplayMetadata* display) {
  constexpr double Greatest = 10000;  // the most that PQ can encode
  if (content != nullptr && content->MaxCLL > 0) {
    return static_cast<int>(std::min<double>(content->MaxCLL, Greatest));
  }
  if (display == nullptr || display->has_luminance == 0 || display->max_luminance.den == 0) return 0;
  return static_cast<int>(std::lround(std::clamp(av_q2d(display->max_luminance), 0.0, Greatest)));
}

/// Returns a stream's side data; null if it has none or too little of it.
const std::uint8_t* side_data(const AVStream& stream, AVPacketSideDataType type, std::size_t least_bytes) {
#if GLYPHREEL_AV_CODED_SIDE_DATA
  const AVPacketSideData* found =
      av_packet_side_data_get(stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, type);
  return found != nullptr && found->size >= least_bytes ? found->data : nullptr;
#else
  std::size_t size = 0;
  const std::uint8_t* bytes = av_stream_get_side_data(&stream, type, &size);
  return size >= least_bytes ? bytes : nullptr;
#endif
}

const std::uint8_t* side_data(const AVFrame& frame, AVFrameSideDataType type, std::size_t least_bytes) {
  const AVFrameSideData* found = av_frame_get_side_data(&frame, type);
  return found != nullptr && found->size >= least_bytes ? found->data : nullptr;
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
  // Only PQ has a peak: HLG is relative to the display, and SDR's peak is its white.
  const bool has_peak = declared.transfer == AVCOL_TRC_SMPTE2084;
  return {.matrix = matrix_of(declared),
          .range = range_of(declared),
          .primaries = static_cast<int>(declared.primaries),
          .transfer = static_cast<int>(declared.transfer),
          .siting = siting_of(declared),
          .peak_nits = has_peak ? declared.peak_nits : 0};
}

int stream_peak_nits(const AVStream& stream) {
  const auto* content = reinterpret_cast<const AVContentLightMetadata*>(
      side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, sizeof(AVContentLightMetadata)));
  const auto* display = reinterpret_cast<const AVMasteringDisplayMetadata*>(
      side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, sizeof(AVMasteringDisplayMetadata)));
  return peak_nits(content, display);
}

int frame_peak_nits(const AVFrame& frame, int of_stream) {
  const auto* content = reinterpret_cast<const AVContentLightMetadata*>(
      side_data(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, sizeof(AVContentLightMetadata)));
  const auto* display = reinterpret_cast<const AVMasteringDisplayMetadata*>(
      side_data(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, sizeof(AVMasteringDisplayMetadata)));
  const int own = peak_nits(content, display);
  return own > 0 ? own : of_stream;
}

Rotation rotation_of_matrix(const std::int32_t* matrix) {
  if (matrix == nullptr) return Rotation::None;
  const double counterclockwise = av_display_rotation_get(matrix);  // degrees, NaN for a singular matrix
  if (std::isnan(counterclockwise)) return Rotation::None;
  switch (((std::lround(-counterclockwise / 90) % 4) + 4) % 4) {
    case 1:
      return Rotation::Clockwise90;
    case 2:
      return Rotation::Half;
    case 3:
      return Rotation::Clockwise270;
    default:
      return Rotation::None;
  }
}

Rotation stream_rotation(const AVStream& stream) {
  const std::uint8_t* bytes = side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(std::int32_t));
  return rotation_of_matrix(reinterpret_cast<const std::int32_t*>(bytes));
}

Rotation frame_rotation(const AVFrame& frame, Rotation of_stream) {
  const std::uint8_t* bytes = side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX, 9 * sizeof(std::int32_t));
  return bytes == nullptr ? of_stream : rotation_of_matrix(reinterpret_cast<const std::int32_t*>(bytes));
}

std::string color_warning(const AVStream& stream) {
  constexpr std::size_t MinBytes =
      offsetof(AVDOVIDecoderConfigurationRecord, dv_bl_signal_compatibility_id) + 1;
  const auto* record = reinterpret_cast<const AVDOVIDecoderConfigurationRecord*>(
      side_data(stream, AV_PKT_DATA_DOVI_CONF, MinBytes));
  // 0: the base layer is compatible with no other system; else with HDR10, SDR, HLG or Blu-ray.
  if (record == nullptr || record->dv_bl_signal_compatibility_id != 0) return {};
  return fmt::format(
      "The video uses Dolby Vision profile {}, whose base layer has no compatible colors: they will look "
      "wrong.",
      record->dv_profile);
}

}  // namespace glyphreel::media
