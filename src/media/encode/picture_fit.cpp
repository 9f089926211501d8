#include "media/encode/picture_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>
}

namespace glyphreel::media {
namespace {

constexpr int FitRowAlignment = 64;  // bytes

AVPixelFormat pixel_format_of(PictureFormat format) {
  return format == PictureFormat::Yuv420p ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_BGRA;
}

Result<Picture> black_picture(PictureFormat format, Extent size, HostMemory& memory) {
  const AVPixelFormat pixels = pixel_format_of(format);
  const int bytes = av_image_get_buffer_size(pixels, size.width, size.height, FitRowAlignment);
  Picture picture{.format = format, .size = size};
  picture.block = memory.acquire(static_cast<std::size_t>(bytes));
  if (!picture.block)
    return Error{ErrorCode::Failed, "Out of memory for recorded pictures; close other programs.", {}};
  std::array<std::uint8_t*, 4> planes{};
  std::array<int, 4> strides{};
  av_image_fill_arrays(planes.data(), strides.data(), reinterpret_cast<std::uint8_t*>(picture.block->bytes),
                       pixels, size.width, size.height, FitRowAlignment);
  const std::array<std::ptrdiff_t, 4> steps{strides[0], strides[1], strides[2]};
  av_image_fill_black(planes.data(), steps.data(), pixels, AVCOL_RANGE_MPEG, size.width, size.height);
  for (std::size_t i = 0; i < picture.planes.size(); ++i) {
    picture.planes[i] = reinterpret_cast<std::byte*>(planes[i]);
    picture.strides[i] = strides[i];
  }
  return picture;
}

}  // namespace

FittedArea fitted_area(Extent from, Extent to) {
  const double scale =
      std::min(static_cast<double>(to.width) / from.width, static_cast<double>(to.height) / from.height);
  const auto side = [scale](int length, int most) {
    const int even = static_cast<int>(std::lround(length * scale / 2)) * 2;
    return std::clamp(even, std::min(2, most), most);
  };
  const Extent size{side(from.width, to.width), side(from.height, to.height)};
  return {(to.width - size.width) / 4 * 2, (to.height - size.height) / 4 * 2, size};
}

PictureFit::~PictureFit() {
  sws_freeContext(scaler_);
}

Result<Picture> PictureFit::fit(Picture picture) {
  if (picture.size == size_) return picture;
  const AVPixelFormat pixels = pixel_format_of(picture.format);
  const FittedArea area = fitted_area(picture.size, size_);
  TRY_ASSIGN(Picture fitted, black_picture(picture.format, size_, *memory_));
  scaler_ = sws_getCachedContext(scaler_, picture.size.width, picture.size.height, pixels, area.size.width,
                                 area.size.height, pixels, SWS_AREA, nullptr, nullptr, nullptr);
  if (scaler_ == nullptr)
    return Error{ErrorCode::Failed, "Out of memory for recorded pictures; close other programs.", {}};
  std::array<const std::uint8_t*, 4> from{};
  std::array<std::uint8_t*, 4> to{};
  std::array<int, 4> from_strides{}, to_strides{};
  for (std::size_t i = 0; i < picture.planes.size() && picture.planes[i] != nullptr; ++i) {
    const int subsampling = i == 0 ? 1 : 2;
    const int x_bytes = av_image_get_linesize(pixels, area.x, static_cast<int>(i));
    from[i] = reinterpret_cast<const std::uint8_t*>(picture.planes[i]);
    from_strides[i] = picture.strides[i];
    to[i] = reinterpret_cast<std::uint8_t*>(fitted.planes[i]) +
            static_cast<std::ptrdiff_t>(area.y / subsampling) * fitted.strides[i] + x_bytes;
    to_strides[i] = fitted.strides[i];
  }
  sws_scale(scaler_, from.data(), from_strides.data(), 0, picture.size.height, to.data(), to_strides.data());
  return fitted;
}

}  // namespace glyphreel::media
