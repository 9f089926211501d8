#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/device.h"
#include "gpu/image.h"
#include "import/drm_picture.h"
#include "import/producer_fences.h"
#include "import/surface_import.h"

namespace glyphreel::importer {

/// DRM PRIME frames: dma-bufs, read where the decoder wrote them. By their format modifier as images, one for
/// each plane; rows of pixels that the driver has no such images for, as a buffer. What was imported is kept
/// for when the decoder's pool brings the same memory again. Thread-safety: one thread at a time.
class DrmImport final : public SurfaceImport {
 public:
  /// Surfaces kept imported; decoders' pools have fewer.
  static constexpr std::size_t MaxKept = 64;

  /// Null where the driver imports no dma-bufs.
  [[nodiscard]] static std::unique_ptr<DrmImport> make(std::shared_ptr<gpu::Device> device);
  ~DrmImport() override;

  [[nodiscard]] bool takes(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> bring(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "dma-buf"; }

  /// How unknown modifiers, DRM_FORMAT_MOD_INVALID, are read.
  enum class Unknown {
    IsLinear,  ///< as rows of pixels: cameras and decoders of Video4Linux, who know of no modifiers
    Refused,   ///< not at all: a GPU's driver may mean a tiling of its own
  };
  /// The same for a descriptor that is no frame's own: `frame` tells the rest.
  [[nodiscard]] Result<gpu::GpuFrame> bring(const AVDRMFrameDescriptor& descriptor, const AVFrame& frame,
                                            const FrameView& view, Unknown unknown);

  /// How many surfaces were imported that were not known: in steady state it does not grow.
  [[nodiscard]] std::uint64_t imported() const { return imported_; }
  /// How many are kept.
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }

 private:
  /// Which memory a dma-buf is: descriptors come and go, the inode stays as long as anybody holds the memory,
  /// and an entry's import does.
  struct Memory {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Memory&) const = default;
  };
  struct Surface {
    DrmPicture picture;
    std::vector<Memory> objects;
    std::vector<gpu::Image> images;  ///< by plane; none: `buffer`
    gpu::MemoryHandle memory;        ///< the buffer's
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
  /// `dedicated`: what the allocation is for, where the driver wants to know; may be null.
  [[nodiscard]] Result<gpu::MemoryHandle> import_memory(int dma_buf, const VkMemoryRequirements& requirements,
                                                        const VkMemoryDedicatedAllocateInfo* dedicated);

  const std::shared_ptr<gpu::Device> device_;
  ProducerFences fences_;
  PFN_vkGetMemoryFdPropertiesKHR fd_properties_ = nullptr;
  const std::uint32_t lender_;
  std::vector<std::shared_ptr<Surface>> kept_;
  std::uint64_t brought_ = 0;
  std::uint64_t imported_ = 0;
};

}  // namespace glyphreel::importer
