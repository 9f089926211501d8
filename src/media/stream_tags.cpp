#include "media/stream_tags.h"

#include <cmath>

#include "media/pixel_layout.h"

extern "C" {
#include <libavutil/display.h>
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

}  // namespace

DeclaredColor declared_color(const AVCodecParameters& parameters) {
  return {static_cast<AVPixelFormat>(parameters.format),
          parameters.color_space,
          parameters.color_range,
          parameters.color_primaries,
          parameters.color_trc,
          {parameters.width, parameters.height}};
}

DeclaredColor declared_color(const AVFrame& frame) {
  return {static_cast<AVPixelFormat>(frame.format),
          frame.colorspace,
          frame.color_range,
          frame.color_primaries,
          frame.color_trc,
          {frame.width, frame.height}};
}

ColorTags color_tags(const DeclaredColor& declared) {
  return {matrix_of(declared), range_of(declared), static_cast<int>(declared.primaries),
          static_cast<int>(declared.transfer)};
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
  constexpr std::size_t MatrixBytes = 9 * sizeof(std::int32_t);
#if GLYPHREEL_AV_CODED_SIDE_DATA
  const AVPacketSideData* found = av_packet_side_data_get(
      stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  const std::uint8_t* bytes = found != nullptr && found->size >= MatrixBytes ? found->data : nullptr;
#else
  std::size_t size = 0;
  const std::uint8_t* bytes = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
  if (size < MatrixBytes) bytes = nullptr;
#endif
  return rotation_of_matrix(reinterpret_cast<const std::int32_t*>(bytes));
}

Rotation frame_rotation(const AVFrame& frame, Rotation of_stream) {
  const AVFrameSideData* found = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
  if (found == nullptr || found->size < 9 * sizeof(std::int32_t)) return of_stream;
  return rotation_of_matrix(reinterpret_cast<const std::int32_t*>(found->data));
}

}  // namespace glyphreel::media
