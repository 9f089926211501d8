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

/// How a host frame's planes are put into memory that passes for a decoder's.
struct DrmOptions {
  enum class Layers { Separate, Combined };
  Layers layers = Layers::Separate;
  std::uint32_t combined_code = 0;  ///< DRM format of the one layer
  bool object_per_plane = false;    ///< else all planes in one
  std::uint64_t modifier = 0;       ///< DRM_FORMAT_MOD_LINEAR
  int padding = 64;                 ///< bytes behind each row at least; the pitch is its row's and this
  int pitch_alignment = 1;
  int row_alignment = 16;                    ///< rows of a plane: decoders' memory has room for whole blocks
  AVPixelFormat software = AV_PIX_FMT_NONE;  ///< what the frame can be downloaded as; NONE: it cannot
  int crop_left = 0, crop_top = 0;           ///< pixels beside the picture that do not belong to it
};

/// Memory of a decoder's pool, by memfd, and what a DRM PRIME frame of it says.
class DrmMemory {
 public:
  /// With room for frames like this one.
  DrmMemory(const FrameView& view, const DrmOptions& options);
  ~DrmMemory();
  DrmMemory(const DrmMemory&) = delete;
  DrmMemory& operator=(const DrmMemory&) = delete;

  /// Copies the samples of a frame of the same layout and size into the memory.
  void write(const FrameView& view);
  /// A frame of the memory as it is whenever somebody reads it; descriptors of its own, as a driver's exports
  /// are.
  [[nodiscard]] Frame frame() const;
  [[nodiscard]] AVDRMFrameDescriptor& descriptor() { return descriptor_; }

 private:
  const FrameView view_;
  const DrmOptions options_;
  AVDRMFrameDescriptor descriptor_{};
  std::vector<std::byte*> mapped_;
};

/// The DRM format of a plane as a layer of its own.
[[nodiscard]] std::uint32_t layer_code(const PixelLayout& layout, int plane);

}  // namespace glyphreel::gpu
