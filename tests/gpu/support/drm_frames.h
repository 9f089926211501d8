#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/frame.h"
#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/hwcontext_drm.h>
}

namespace glyphreel::gpu {

/// How DrmMemory, which takes the place of a decoder's memory, stores the planes of a host frame.
struct DrmOptions {
  enum class Layers { Separate, Combined };
  Layers layers = Layers::Separate;
  std::uint32_t combined_code = 0;  ///< DRM format of the combined layer
  bool object_per_plane = false;    ///< false: all planes share one memory object
  std::uint64_t modifier = 0;       ///< format modifier; 0: DRM_FORMAT_MOD_LINEAR
  int padding = 64;                 ///< minimum bytes after each row, included in the pitch
  int pitch_alignment = 1;
  int row_alignment = 16;                    ///< each plane has a multiple of this number of rows in memory
  AVPixelFormat software = AV_PIX_FMT_NONE;  ///< format for downloads; NONE: downloads fail
  int crop_left = 0, crop_top = 0;           ///< columns to crop at the left, rows to crop at the top
};

/// The memory of one surface of a decoder's pool, backed by memfds, and its DRM PRIME descriptor.
class DrmMemory {
 public:
  /// Allocates memory for frames with the layout and size of `view`.
  DrmMemory(const FrameView& view, const DrmOptions& options);
  ~DrmMemory();
  DrmMemory(const DrmMemory&) = delete;
  DrmMemory& operator=(const DrmMemory&) = delete;

  /// Copies the samples of a frame with the same layout and size into the memory.
  void write(const FrameView& view);
  /// Returns a frame that shows the memory's current content at each read. Like a driver's exports, the frame
  /// has its own file descriptors.
  [[nodiscard]] Frame frame() const;
  [[nodiscard]] AVDRMFrameDescriptor& descriptor() { return descriptor_; }

 private:
  const FrameView view_;
  const DrmOptions options_;
  AVDRMFrameDescriptor descriptor_{};
  std::vector<std::byte*> mapped_;
};

/// Whether the kernel, or tests/tools/pretend_dma_bufs.cpp in its place, makes dma-bufs of memfds.
[[nodiscard]] bool has_udmabufs();

/// Returns the DRM format of a plane exported as a separate layer.
[[nodiscard]] std::uint32_t layer_code(const PixelLayout& layout, int plane);

}  // namespace glyphreel::gpu
