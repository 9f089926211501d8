#include "drm_frames.h"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "interop/drm/drm_picture.h"
#include "interop/surface/plane_extent.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_device_provider.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace glyphreel::gpu {
namespace {

using interop::drm_code;
using interop::PlaneExtent;

std::size_t rounded_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

int step_of(const PixelLayout& layout, int plane) {
  int step = 0;
  for (int c = 0; c < layout.component_count(); ++c) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(c)];
    if (component.plane == plane && (step == 0 || component.step < step)) step = component.step;
  }
  return step;
}

/// Makes a dma-buf that shares the pages of `memory`, a memfd. Closes `memory`. Returns the dma-buf's
/// descriptor.
int dma_buf_of(int memory, std::size_t size) {
  const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  udmabuf_create create{};
  create.memfd = static_cast<std::uint32_t>(memory);
  create.flags = UDMABUF_FLAGS_CLOEXEC;
  create.size = size;
  // The kernel accepts only memory that cannot shrink.
  const bool is_sealed = fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
  const int made = device >= 0 && is_sealed ? ioctl(device, UDMABUF_CREATE, &create) : -1;
  CHECK(made >= 0, "no dma-buf for a test frame; check has_udmabufs() first");
  close(device);
  close(memory);
  return made;
}

struct Exported {
  AVDRMFrameDescriptor descriptor;
};

void free_exported(void*, std::uint8_t* bytes) {
  auto* exported = reinterpret_cast<Exported*>(bytes);
  for (int i = 0; i < exported->descriptor.nb_objects; ++i) close(exported->descriptor.objects[i].fd);
  delete exported;
}

}  // namespace

std::uint32_t layer_code(const PixelLayout& layout, int plane) {
  const int samples = step_of(layout, plane) / layout.bytes_per_sample;
  if (layout.bytes_per_sample == 1) {
    return samples == 1 ? drm_code("R8  ") : samples == 2 ? drm_code("GR88") : drm_code("AB24");
  }
  return samples == 1 ? drm_code("R16 ") : samples == 2 ? drm_code("GR32") : drm_code("AB48");
}

bool has_udmabufs() {
  const int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
  if (device >= 0) close(device);
  return device >= 0;
}

DrmMemory::DrmMemory(const FrameView& view, const DrmOptions& options) : view_(view), options_(options) {
  FrameView stored = view;
  stored.size.width += options.crop_left;
  stored.size.height += options.crop_top;
  const bool combined = options.layers == DrmOptions::Layers::Combined;
  std::size_t size = 0;
  const auto finish_object = [&] {
    const int memory = memfd_create("decoder", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size = rounded_up(size, 4096);
    CHECK(memory >= 0 && ftruncate(memory, static_cast<off_t>(size)) == 0, "no memory for a test frame");
    mapped_.push_back(
        static_cast<std::byte*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)));
    CHECK(mapped_.back() != MAP_FAILED, "no memory for a test frame");
    descriptor_.objects[descriptor_.nb_objects++] = {dma_buf_of(memory, size), size, options.modifier};
    size = 0;
  };
  for (int plane = 0; plane < 4; ++plane) {
    const PlaneExtent extent = interop::plane_extent(stored, plane);
    if (extent.rows == 0) continue;
    const std::size_t row =
        rounded_up(extent.row_bytes, static_cast<std::size_t>(step_of(view.layout, plane)));
    const std::size_t pitch = rounded_up(row + static_cast<std::size_t>(options.padding),
                                         static_cast<std::size_t>(options.pitch_alignment));
    const AVDRMPlaneDescriptor described{descriptor_.nb_objects, static_cast<std::ptrdiff_t>(size),
                                         static_cast<std::ptrdiff_t>(pitch)};
    AVDRMLayerDescriptor& layer = descriptor_.layers[combined ? 0 : descriptor_.nb_layers];
    layer.format = combined ? options.combined_code : layer_code(view.layout, plane);
    layer.planes[layer.nb_planes++] = described;
    descriptor_.nb_layers = combined ? 1 : descriptor_.nb_layers + 1;
    size = rounded_up(size + pitch * rounded_up(static_cast<std::size_t>(extent.rows),
                                                static_cast<std::size_t>(options.row_alignment)),
                      256);
    if (options.object_per_plane) finish_object();
  }
  if (size > 0) finish_object();
}

DrmMemory::~DrmMemory() {
  for (int i = 0; i < descriptor_.nb_objects; ++i) {
    munmap(mapped_[static_cast<std::size_t>(i)], descriptor_.objects[i].size);
    close(descriptor_.objects[i].fd);
  }
}

void DrmMemory::write(const FrameView& view) {
  const bool combined = options_.layers == DrmOptions::Layers::Combined;
  for (int plane = 0; plane < 4; ++plane) {
    const PlaneExtent extent = interop::plane_extent(view, plane);
    if (extent.rows == 0) continue;
    const AVDRMPlaneDescriptor& at =
        combined ? descriptor_.layers[0].planes[plane] : descriptor_.layers[plane].planes[0];
    std::size_t crop_x = 0;
    std::ptrdiff_t crop_y = 0;
    for (const ComponentLayout& component : view.layout.components) {
      if (component.plane != plane) continue;
      crop_x =
          static_cast<std::size_t>((options_.crop_left >> component.log2_subsampling_x) * component.step);
      crop_y = options_.crop_top >> component.log2_subsampling_y;
    }
    for (int y = 0; y < extent.rows; ++y) {
      std::memcpy(
          mapped_[static_cast<std::size_t>(at.object_index)] + at.offset + (y + crop_y) * at.pitch + crop_x,
          view.planes[static_cast<std::size_t>(plane)] + y * view.strides[static_cast<std::size_t>(plane)],
          extent.row_bytes);
    }
  }
}

Frame DrmMemory::frame() const {
  auto* exported = new Exported{descriptor_};
  for (int i = 0; i < descriptor_.nb_objects; ++i) {
    exported->descriptor.objects[i].fd = fcntl(descriptor_.objects[i].fd, F_DUPFD_CLOEXEC, 0);
  }
  media::FramePtr made = media::new_frame();
  made->format = AV_PIX_FMT_DRM_PRIME;
  made->width = view_.size.width + options_.crop_left;
  made->height = view_.size.height + options_.crop_top;
  made->crop_left = static_cast<std::size_t>(options_.crop_left);
  made->crop_top = static_cast<std::size_t>(options_.crop_top);
  made->data[0] = reinterpret_cast<std::uint8_t*>(&exported->descriptor);
  made->buf[0] = av_buffer_create(reinterpret_cast<std::uint8_t*>(exported), sizeof *exported, free_exported,
                                  nullptr, 0);
  if (options_.software != AV_PIX_FMT_NONE) {
    AVBufferRef* device = av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_DRM);
    reinterpret_cast<AVDRMDeviceContext*>(reinterpret_cast<AVHWDeviceContext*>(device->data)->hwctx)->fd = -1;
    CHECK(av_hwdevice_ctx_init(device) == 0, "no DRM device context");
    AVBufferRef* frames = av_hwframe_ctx_alloc(device);
    auto* context = reinterpret_cast<AVHWFramesContext*>(frames->data);
    context->format = AV_PIX_FMT_DRM_PRIME;
    context->sw_format = options_.software;
    context->width = made->width;
    context->height = made->height;
    CHECK(av_hwframe_ctx_init(frames) == 0, "no DRM frames context");
    made->hw_frames_ctx = frames;
    av_buffer_unref(&device);
  }
  Frame frame;
  frame.view = view_;
  frame.view.planes = {};
  frame.view.strides = {};
  frame.view.block = nullptr;
  frame.surface = std::make_shared<media::HardwareSurface>(std::move(made));
  return frame;
}

}  // namespace glyphreel::gpu
