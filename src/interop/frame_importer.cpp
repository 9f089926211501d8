#include "interop/frame_importer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "interop/gpu_hw_device_provider.h"
#include "interop/surface/plane_extent.h"
#include "interop/surface/surface_import.h"
#include "media/hwdec/hardware_surface.h"

namespace glyphreel::interop {
namespace {

/// Whether a shader can walk the planes in place: they lie inside the block, their rows run from top to
/// bottom, and two-byte samples are at even addresses.
bool fits_in_place(const FrameView& view) {
  for (int plane = 0; plane < 4; ++plane) {
    if (plane_extent(view, plane).rows == 0) continue;
    const auto p = static_cast<std::size_t>(plane);
    if (view.strides[p] < 0 || view.planes[p] < view.block->bytes) return false;
    const auto offset = static_cast<std::size_t>(view.planes[p] - view.block->bytes);
    if (!can_walk(view, plane, offset, static_cast<std::size_t>(view.strides[p]), view.block->size))
      return false;
  }
  return true;
}

void copy_rows(std::byte* to, std::size_t to_stride, const std::byte* from, std::ptrdiff_t from_stride,
               const PlaneExtent& extent) {
  if (from_stride == static_cast<std::ptrdiff_t>(to_stride)) {
    std::memcpy(to, from, to_stride * static_cast<std::size_t>(extent.rows - 1) + extent.row_bytes);
    return;
  }
  for (int row = 0; row < extent.rows; ++row) {
    std::memcpy(to + static_cast<std::size_t>(row) * to_stride, from + row * from_stride, extent.row_bytes);
  }
}

Result<gpu::GpuFrame> copy_to_pool(gpu::HostFramePool& pool, const FrameView& view) {
  gpu::GpuFrame brought;
  std::array<PlaneExtent, 4> extents;
  std::size_t size = 0;
  for (int plane = 0; plane < 4; ++plane) {
    const auto p = static_cast<std::size_t>(plane);
    extents[p] = plane_extent(view, plane);
    const std::size_t stride = (extents[p].row_bytes + RowAlignment - 1) / RowAlignment * RowAlignment;
    brought.plane_offsets[p] = size;
    brought.strides[p] = static_cast<std::ptrdiff_t>(stride);
    size += stride * static_cast<std::size_t>(extents[p].rows);
  }
  std::shared_ptr<const HostBlock> block = pool.acquire(size);
  if (!block) {
    return Error{ErrorCode::Failed,
                 "Out of memory for frames to upload to the GPU: use a smaller video or close some programs.",
                 fmt::format("a frame of {} bytes", size)};
  }
  for (std::size_t p = 0; p < 4; ++p) {
    if (extents[p].rows == 0) continue;
    copy_rows(block->bytes + brought.plane_offsets[p], static_cast<std::size_t>(brought.strides[p]),
              view.planes[p], view.strides[p], extents[p]);
    brought.bytes_copied += extents[p].row_bytes * static_cast<std::size_t>(extents[p].rows);
  }
  brought.buffer = pool.buffer_of(block.get());
  brought.owner = std::move(block);
  return brought;
}

}  // namespace

FrameImporter::FrameImporter(std::shared_ptr<gpu::Device> device, StageTimes& times)
    : pool_(gpu::HostFramePool::make(device)), imports_(make_surface_imports(device)), times_(times) {}

FrameImporter::~FrameImporter() = default;

Result<gpu::GpuFrame> FrameImporter::import_frame(const Frame& frame) {
  const ScopedStage stage(times_, Stage::Import);
  if (!frame.surface) return bring_host(frame);
  Result<gpu::GpuFrame> imported = bring_surface(frame);
  if (imported) return imported;
  if (said_.insert(imported.error().message).second) {
    log::warn("Decoded frames are copied through host memory: {} {}", imported.error().message,
              imported.error().cause);
  }
  TRY_ASSIGN(const Frame host, on_host(frame, pool_.get()));
  TRY_ASSIGN(gpu::GpuFrame brought, bring_host(host));
  times_.set_engine(Stage::Import, "host copy");
  brought.bytes_copied += host.bytes_copied - frame.bytes_copied;
  return brought;
}

Result<gpu::GpuFrame> FrameImporter::bring_surface(const Frame& frame) {
  Error reason{ErrorCode::Failed, "The GPU cannot read this decoder's frames.", {}};
  const auto* surface = dynamic_cast<const media::HardwareSurface*>(frame.surface.get());
  if (surface == nullptr) return reason;
  for (const std::unique_ptr<SurfaceImport>& import : imports_) {
    if (!import->takes(surface->frame())) continue;
    Result<gpu::GpuFrame> brought = import->import_frame(surface->frame(), frame.view);
    if (!brought) {
      reason = std::move(brought.error());
      continue;
    }
    times_.set_engine(Stage::Import, import->engine());
    // The decoder gets its surface back once the GPU is done, and what else the import owns is released
    // with it.
    using Owners = std::pair<std::shared_ptr<const Surface>, std::shared_ptr<const void>>;
    brought->owner = std::make_shared<const Owners>(frame.surface, std::move(brought->owner));
    return brought;
  }
  return reason;
}

Result<gpu::GpuFrame> FrameImporter::bring_host(const Frame& frame) {
  const VkBuffer buffer = pool_->buffer_of(frame.view.block);
  if (buffer == VK_NULL_HANDLE || !fits_in_place(frame.view)) {
    times_.set_engine(Stage::Import, "host copy");
    return copy_to_pool(*pool_, frame.view);
  }
  times_.set_engine(Stage::Import, "in place");
  gpu::GpuFrame brought{.buffer = buffer, .strides = frame.view.strides, .owner = frame.owner};
  for (std::size_t p = 0; p < 4; ++p) {
    if (frame.view.planes[p] == nullptr) continue;
    brought.plane_offsets[p] = static_cast<std::size_t>(frame.view.planes[p] - frame.view.block->bytes);
  }
  return brought;
}

Result<std::unique_ptr<gpu::GpuRenderer>> make_gpu_renderer(std::shared_ptr<gpu::Device> device,
                                                            StageTimes& times, int depth) {
  auto frames = std::make_unique<FrameImporter>(device, times);
  return gpu::make_gpu_renderer(std::move(device), times, {.frames = std::move(frames), .depth = depth});
}

}  // namespace glyphreel::interop
