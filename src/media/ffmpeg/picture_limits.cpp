#include "media/ffmpeg/picture_limits.h"

#include <algorithm>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {
namespace {

constexpr std::int64_t MiB = 1024 * 1024;
constexpr std::int64_t QueueBytes = 256 * MiB;
constexpr std::int64_t DecoderBytes = 512 * MiB;

std::int64_t pixels_of(Extent size) {
  return std::int64_t{size.width} * size.height;
}

}  // namespace

bool is_too_large(Extent size, std::int64_t bytes) {
  return pixels_of(size) > PictureLimits::Pixels || bytes > PictureLimits::Bytes;
}

Error too_large(const std::string& name, Extent size, std::int64_t bytes) {
  if (pixels_of(size) > PictureLimits::Pixels) {
    return bad_input("{} has pictures of {}x{}: at most {} million pixels are supported.", name, size.width,
                     size.height, PictureLimits::Pixels / 1'000'000);
  }
  return bad_input(
      "{} has pictures of {}x{} with {} bits per pixel: at most {} MiB per picture are supported.", name,
      size.width, size.height, bytes * 8 / std::max<std::int64_t>(pixels_of(size), 1),
      PictureLimits::Bytes / MiB);
}

std::int64_t bytes_of(const FrameView& view) {
  const PixelLayout& layout = view.layout;
  std::int64_t samples = 0;
  for (int i = 0; i < layout.component_count(); ++i) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(i)];
    const Extent plane{view.size.width >> component.log2_subsampling_x,
                       view.size.height >> component.log2_subsampling_y};
    samples += pixels_of(plane);
  }
  return samples * layout.bytes_per_sample;
}

std::size_t max_queued(std::int64_t picture_bytes, std::size_t wanted) {
  const std::int64_t most = QueueBytes / std::max<std::int64_t>(picture_bytes, 1);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(most, 1, static_cast<std::int64_t>(wanted)));
}

int max_decoder_threads(std::int64_t picture_bytes, int wanted) {
  const std::int64_t most = DecoderBytes / std::max<std::int64_t>(picture_bytes, 1) - 1;
  return static_cast<int>(std::clamp<std::int64_t>(most, 1, wanted));
}

}  // namespace glyphreel::media
