#include "media/frame/host_planes.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/common.h>
#include <libavutil/mem.h>
}

namespace glyphreel::media {

HostBuffer allocate_host_buffer(HostMemory* memory, std::size_t size) {
  HostBuffer target;
  if (memory != nullptr) target.block = memory->acquire(size);
  if (target.block != nullptr) {
    target.owner = target.block;
    target.bytes = reinterpret_cast<std::uint8_t*>(target.block->bytes);
    return target;
  }
  target.bytes = static_cast<std::uint8_t*>(checked(av_malloc(size)));
  target.owner =
      std::shared_ptr<const void>(target.bytes, [bytes = target.bytes](const void*) { av_free(bytes); });
  return target;
}

HostPlanes acquire_planes(HostMemory* memory, const PixelLayout& layout, Extent size) {
  constexpr int RowAlignment = 64;
  HostPlanes result;
  for (int c = 0; c < layout.component_count(); ++c) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(c)];
    const Extent samples = plane_size(size, component);
    Extent& plane = result.sizes[component.plane];
    plane = {std::max(plane.width, samples.width * component.step), samples.height};
    result.sample_bytes +=
        static_cast<std::uint64_t>(samples.width) * samples.height * layout.bytes_per_sample;
  }
  std::array<std::size_t, 4> offsets{};
  std::size_t bytes = 0;
  for (std::size_t p = 0; p < offsets.size(); ++p) {
    offsets[p] = bytes;
    result.planes.strides[p] = FFALIGN(result.sizes[p].width, RowAlignment);
    bytes +=
        static_cast<std::size_t>(result.planes.strides[p]) * static_cast<std::size_t>(result.sizes[p].height);
  }
  result.target = allocate_host_buffer(memory, bytes);
  for (std::size_t p = 0; p < offsets.size(); ++p) {
    if (result.sizes[p].height > 0)
      result.planes.planes[p] = reinterpret_cast<std::byte*>(result.target.bytes) + offsets[p];
  }
  return result;
}

void copy_planes(const FrameView& view, const HostPlanes& to) {
  for (std::size_t p = 0; p < to.sizes.size(); ++p) {
    for (int y = 0; y < to.sizes[p].height; ++y) {
      std::memcpy(to.planes.planes[p] + to.planes.strides[p] * y, view.planes[p] + view.strides[p] * y,
                  static_cast<std::size_t>(to.sizes[p].width));
    }
  }
}

void set_planes(FrameView& view, const std::uint8_t* const* planes, const int* strides) {
  for (std::size_t p = 0; p < view.planes.size(); ++p) {
    view.planes[p] = reinterpret_cast<const std::byte*>(planes[p]);
    view.strides[p] = planes[p] != nullptr ? strides[p] : 0;
  }
}

void attach_planes(const HostPlanes& planes, Frame& frame) {
  FrameView& view = frame.view;
  std::copy(planes.planes.planes.begin(), planes.planes.planes.end(), view.planes.begin());
  view.strides = planes.planes.strides;
  view.block = planes.target.block.get();
  frame.owner = planes.target.owner;
  frame.bytes_copied += planes.sample_bytes;
}

}  // namespace glyphreel::media
