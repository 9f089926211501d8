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

/// Whether a shader can read the planes in place: they are inside the block, their rows run from top to
/// bottom, and two-byte samples are at even addresses.
bool fits_in_place(const FrameView& view) {
  for (std::size_t p = 0; p < plane_count(view.layout); ++p) {
    if (view.strides[p] < 0 || view.planes[p] < view.block->bytes) return false;
    const auto offset = static_cast<std::size_t>(view.planes[p] - view.block->bytes);
    if (!can_walk(view, p, offset, static_cast<std::size_t>(view.strides[p]), view.block->size)) return false;
  }
  return true;
}

/// Returns the offset of the first byte after the last sample of a plane that begins at `offset`.
std::size_t end_of_plane(const FrameView& view, std::size_t plane, std::size_t offset) {
  const PlaneExtent extent = plane_extent(view, plane);
  return offset + static_cast<std::size_t>(view.strides[plane]) * static_cast<std::size_t>(extent.rows - 1) +
         extent.row_bytes;
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
  const PlaneBufferLayout layout = lay_out_planes(view);
  std::shared_ptr<const HostBlock> block = pool.acquire(layout.size);
  if (!block) {
    return Error{ErrorCode::Failed,
                 "Out of memory for frames to upload to the GPU; use a smaller video or close some programs.",
                 fmt::format("a frame of {} bytes", layout.size)};
  }
  gpu::GpuFrame imported{.buffer = pool.buffer_of(block.get()),
                         .plane_offsets = layout.offsets,
                         .strides = layout.strides,
                         .host_bytes = layout.size};
  for (std::size_t p = 0; p < plane_count(view.layout); ++p) {
    const PlaneExtent& extent = layout.extents[p];
    copy_rows(block->bytes + layout.offsets[p], static_cast<std::size_t>(layout.strides[p]), view.planes[p],
              view.strides[p], extent);
    imported.bytes_copied += extent.row_bytes * static_cast<std::size_t>(extent.rows);
  }
  TRY(pool.flush(*block));
  imported.owner = std::move(block);
  return imported;
}

}  // namespace

FrameImporter::FrameImporter(std::shared_ptr<gpu::Device> device, StageTimes& times)
    : device_(std::move(device)),
      pool_(gpu::HostFramePool::make(device_)),
      imports_(make_surface_imports(device_)),
      times_(times) {}

FrameImporter::~FrameImporter() = default;

Result<gpu::GpuFrame> FrameImporter::import_frame(const Frame& frame) {
  const ScopedStage stage(times_, Stage::Import);
  if (!frame.surface) return import_host(frame);
  Result<gpu::GpuFrame> imported = import_surface(frame);
  if (imported) return imported;
  const Error& reason = imported.error();
  if (!report_unreadable(frame, reason) && logged_.insert(reason.message).second) {
    log::warn("Playback may be slower because decoded frames are copied through system memory: {}",
              full_text(reason));
  }
  TRY_ASSIGN(const Frame host, on_host(frame, pool_.get()));
  TRY_ASSIGN(gpu::GpuFrame copied, import_host(host));
  times_.set_engine(Stage::Import, "host copy");
  copied.bytes_copied += host.bytes_copied - frame.bytes_copied;
  return copied;
}

bool FrameImporter::report_unreadable(const Frame& frame, const Error& reason) const {
  const auto* surface = dynamic_cast<const media::HardwareSurface*>(frame.surface.get());
  // A lost GPU cannot read any decoder's frames, so the failure is not reported to this decoder.
  return surface != nullptr && !device_->is_lost() && surface->report_unreadable(reason.message);
}

Result<gpu::GpuFrame> FrameImporter::import_surface(const Frame& frame) {
  Error reason{ErrorCode::Failed, "The GPU cannot read this decoder's frames.", {}};
  const auto* surface = dynamic_cast<const media::HardwareSurface*>(frame.surface.get());
  if (surface == nullptr) return reason;
  for (const std::unique_ptr<SurfaceImport>& import : imports_) {
    if (!import->supports(surface->frame())) continue;
    Result<gpu::GpuFrame> imported = import->import_frame(surface->frame(), frame.view);
    if (!imported) {
      reason = std::move(imported.error());
      continue;
    }
    times_.set_engine(Stage::Import, import->engine());
    // Once the GPU is done, the renderer releases this owner, and with it the decoder's surface and
    // everything that the import owns.
    using Owners = std::pair<std::shared_ptr<const Surface>, std::shared_ptr<const void>>;
    imported->owner = std::make_shared<const Owners>(frame.surface, std::move(imported->owner));
    return imported;
  }
  return reason;
}

Result<gpu::GpuFrame> FrameImporter::import_host(const Frame& frame) {
  const VkBuffer buffer = pool_->buffer_of(frame.view.block);
  if (buffer == VK_NULL_HANDLE || !fits_in_place(frame.view)) {
    times_.set_engine(Stage::Import, "host copy");
    return copy_to_pool(*pool_, frame.view);
  }
  times_.set_engine(Stage::Import, pool_->policy().stages ? "GPU copy" : "in place");
  TRY(pool_->flush(*frame.view.block));
  gpu::GpuFrame imported{.buffer = buffer, .strides = frame.view.strides, .owner = frame.owner};
  for (std::size_t p = 0; p < plane_count(frame.view.layout); ++p) {
    imported.plane_offsets[p] = static_cast<std::size_t>(frame.view.planes[p] - frame.view.block->bytes);
    imported.host_bytes =
        std::max(imported.host_bytes, end_of_plane(frame.view, p, imported.plane_offsets[p]));
  }
  return imported;
}

Result<std::unique_ptr<gpu::GpuRenderer>> make_gpu_renderer(std::shared_ptr<gpu::Device> device,
                                                            StageTimes& times, int depth, int together) {
  auto frames = std::make_unique<FrameImporter>(device, times);
  return gpu::make_gpu_renderer(std::move(device), times, std::move(frames), depth, together);
}

}  // namespace glyphreel::interop
