#include "media/encode/picture_fit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libswscale/swscale.h>
}

namespace glyphreel::media {
namespace {

constexpr int FitRowAlignment = 64;            // bytes
constexpr int BlackLuma = 16, NoChroma = 128;  // limited range
constexpr std::uint32_t BlackBgra = 0xFF000000;

/// The number of planes, the chroma subsampling along each axis, and the bytes per pixel of a plane.
struct Form {
  int planes, chroma_step, pixel_bytes;
  AVPixelFormat format;
};
Form form_of(PictureFormat format) {
  return format == PictureFormat::Yuv420p ? Form{3, 2, 1, AV_PIX_FMT_YUV420P}
                                          : Form{1, 1, 4, AV_PIX_FMT_BGRA};
}

Result<Picture> black_picture(PictureFormat format, Extent size, HostMemory& memory) {
  const Form form = form_of(format);
  Picture picture{.format = format, .size = size};
  std::array<std::size_t, 3> offsets{};
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.planes); ++i) {
    const int step = i == 0 ? 1 : form.chroma_step;
    picture.strides[i] =
        (size.width / step * form.pixel_bytes + FitRowAlignment - 1) / FitRowAlignment * FitRowAlignment;
    offsets[i] = bytes;
    bytes += static_cast<std::size_t>(picture.strides[i]) * static_cast<std::size_t>(size.height / step);
  }
  picture.block = memory.acquire(bytes);
  if (!picture.block) return Error{ErrorCode::Failed, "Out of memory for a recorded picture.", {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.planes); ++i) {
    picture.planes[i] = picture.block->bytes + offsets[i];
  }
  if (format == PictureFormat::Yuv420p) {
    std::memset(picture.planes[0], BlackLuma, offsets[1]);
    std::memset(picture.planes[1], NoChroma, bytes - offsets[1]);
  } else {
    auto* pixels = reinterpret_cast<std::uint32_t*>(picture.planes[0]);
    std::fill(pixels, pixels + bytes / sizeof(BlackBgra), BlackBgra);
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
  const Form form = form_of(picture.format);
  const FittedArea area = fitted_area(picture.size, size_);
  TRY_ASSIGN(Picture fitted, black_picture(picture.format, size_, *memory_));
  scaler_ =
      sws_getCachedContext(scaler_, picture.size.width, picture.size.height, form.format, area.size.width,
                           area.size.height, form.format, SWS_AREA, nullptr, nullptr, nullptr);
  if (scaler_ == nullptr) return Error{ErrorCode::Failed, "Out of memory for a recorded picture.", {}};
  std::array<const std::uint8_t*, 4> from{};
  std::array<std::uint8_t*, 4> to{};
  std::array<int, 4> from_strides{}, to_strides{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(form.planes); ++i) {
    const int step = i == 0 ? 1 : form.chroma_step;
    from[i] = reinterpret_cast<const std::uint8_t*>(picture.planes[i]);
    from_strides[i] = picture.strides[i];
    to[i] = reinterpret_cast<std::uint8_t*>(fitted.planes[i]) +
            static_cast<std::ptrdiff_t>(area.y / step) * fitted.strides[i] + area.x / step * form.pixel_bytes;
    to_strides[i] = fitted.strides[i];
  }
  sws_scale(scaler_, from.data(), from_strides.data(), 0, picture.size.height, to.data(), to_strides.data());
  return fitted;
}

}  // namespace glyphreel::media
