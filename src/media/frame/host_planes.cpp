#include "media/frame/host_planes.h"

#include <algorithm>
#include <array>

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
  target.bytes = static_cast<std::uint8_t*>(av_malloc(size));
  check_memory(target.bytes != nullptr);
  target.owner =
      std::shared_ptr<const void>(target.bytes, [bytes = target.bytes](const void*) { av_free(bytes); });
  return target;
}

HostPlanes acquire_planes(HostMemory* memory, const PixelLayout& layout, Extent size) {
  constexpr int RowAlignment = 64;
  HostPlanes result;
  std::array<int, 4> rows{};
  for (int c = 0; c < layout.component_count(); ++c) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(c)];
    const int columns = AV_CEIL_RSHIFT(size.width, component.log2_subsampling_x);
    std::ptrdiff_t& stride = result.planes.strides[component.plane];
    stride = std::max<std::ptrdiff_t>(stride, FFALIGN(columns * component.step, RowAlignment));
    rows[component.plane] = AV_CEIL_RSHIFT(size.height, component.log2_subsampling_y);
    result.sample_bytes +=
        static_cast<std::uint64_t>(columns) * rows[component.plane] * layout.bytes_per_sample;
  }
  std::array<std::size_t, 4> offsets{};
  std::size_t bytes = 0;
  for (std::size_t p = 0; p < rows.size(); ++p) {
    offsets[p] = bytes;
    bytes += static_cast<std::size_t>(result.planes.strides[p]) * static_cast<std::size_t>(rows[p]);
  }
  result.target = allocate_host_buffer(memory, bytes);
  for (std::size_t p = 0; p < rows.size(); ++p) {
    if (rows[p] > 0) result.planes.planes[p] = reinterpret_cast<std::byte*>(result.target.bytes) + offsets[p];
  }
  return result;
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
