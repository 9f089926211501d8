#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/device/device.h"
#include "gpu/resources/image.h"
#include "interop/drm/dma_buf_sync.h"
#include "interop/drm/drm_picture.h"
#include "interop/surface/surface_import.h"

namespace glyphreel::interop {

/// Imports DRM PRIME frames (dma-bufs) without a copy. Each plane becomes an image with the plane's format
/// modifier. If an image cannot be created, linear planes become a buffer instead. Imports are cached,
/// because the decoder's pool reuses the same memory for later frames.
/// Thread-safety: one thread at a time.
class DrmImport final : public SurfaceImport {
 public:
  /// Maximum number of imported surfaces in the cache. Decoders' pools have fewer surfaces.
  static constexpr std::size_t MaxKept = 64;

  /// Returns null if the driver does not import dma-bufs.
  [[nodiscard]] static std::unique_ptr<DrmImport> make(std::shared_ptr<gpu::Device> device);
  ~DrmImport() override;

  [[nodiscard]] bool supports(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "dma-buf"; }

  /// Returns the modifiers with which `device` can sample images of both formats, `luma` and `chroma`. Omits
  /// modifiers with compression data. Returns an empty list if `device` cannot import images with modifiers.
  [[nodiscard]] static std::vector<std::uint64_t> importable_modifiers(const gpu::Device& device,
                                                                       VkFormat luma, VkFormat chroma);

  /// How to treat a plane whose format modifier is unknown (DRM_FORMAT_MOD_INVALID).
  enum class Unknown {
    IsLinear,  ///< treats the plane as linear: for V4L2, whose cameras and decoders report no modifiers
    Refused,   ///< returns an error: for drivers that may have tiled the plane
  };
  /// Imports a frame whose planes `descriptor` describes. The other properties, such as size and cropping,
  /// come from `frame`.
  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const AVDRMFrameDescriptor& descriptor,
                                                   const AVFrame& frame, const FrameView& view,
                                                   Unknown unknown);

  /// Returns the number of surfaces imported so far; constant in steady state.
  [[nodiscard]] std::uint64_t imported() const { return imported_; }
  /// Returns the number of imported surfaces in the cache.
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }

 private:
  /// Identifies the memory of a dma-buf by device and inode. A file descriptor may be closed and reused, but
  /// the inode exists as long as anything references the memory, such as the import of a kept surface.
  using Memory = std::pair<dev_t, ino_t>;
  struct Surface {
    DrmPicture picture;
    std::vector<Memory> objects;
    std::vector<gpu::Image> images;  ///< by plane; empty: `buffer` is used
    gpu::MemoryHandle memory;        ///< the memory of `buffer`
    gpu::BufferHandle buffer;
    std::size_t buffer_size = 0;
    std::uint64_t last_used = 0;
  };

  explicit DrmImport(std::shared_ptr<gpu::Device> device);
  [[nodiscard]] Result<std::shared_ptr<Surface>> find_or_import(const AVDRMFrameDescriptor& descriptor,
                                                                DrmPicture picture, bool want_images);
  void make_room(const DrmPicture& picture);
  [[nodiscard]] Result<gpu::Image> import_image(const AVDRMFrameDescriptor& descriptor,
                                                const DrmPlane& plane);
  [[nodiscard]] Result<void> import_buffer(const AVDRMFrameDescriptor& descriptor, Surface& surface);
  [[nodiscard]] Result<void> check_image_format(const DrmPlane& plane) const;
  /// `dedicated` names the image or buffer that the memory is for; null if the memory is not dedicated.
  [[nodiscard]] Result<gpu::MemoryHandle> import_memory(int dma_buf, const VkMemoryRequirements& requirements,
                                                        const VkMemoryDedicatedAllocateInfo* dedicated);

  const std::shared_ptr<gpu::Device> device_;
  DmaBufSync fences_;
  PFN_vkGetMemoryFdPropertiesKHR fd_properties_ = nullptr;
  const std::uint32_t owner_family_;
  std::vector<std::shared_ptr<Surface>> kept_;
  std::uint64_t frame_number_ = 0;  ///< number of the frame imported last
  std::uint64_t imported_ = 0;
};

}  // namespace glyphreel::interop
