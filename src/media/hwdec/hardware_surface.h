#pragma once

#include <memory>
#include <mutex>

#include "base/frame.h"
#include "base/result.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// A frame of a hardware decoder, or of a producer of DRM PRIME frames.
class HardwareSurface final : public Surface {
 public:
  /// `frame` has a hardware pixel format; its hw_frames_ctx may be null for DRM PRIME. If it has a
  /// DecodeOrigin and cannot be downloaded, it is re-decoded in software and its decoder is abandoned.
  explicit HardwareSurface(FramePtr frame) : frame_(std::move(frame)) {}

  /// Valid as long as this surface.
  [[nodiscard]] const AVFrame& frame() const { return *frame_; }
  [[nodiscard]] Result<Frame> download(const Frame& frame, HostMemory* memory) const override;

 private:
  [[nodiscard]] Result<Frame> fetch(const Frame& frame, HostMemory* memory) const;
  [[nodiscard]] Result<Frame> decode_anew(const Frame& frame) const;

  const FramePtr frame_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const AVFrame> anew_;  ///< guarded by mutex_; null: not re-decoded
};

/// Whether the host cannot access a frame's pixels directly.
[[nodiscard]] bool is_hardware(const AVFrame& frame);
/// Returns the pixel format of a hardware frame's samples: the sw_format of its frames context, or NONE if
/// it has no frames context.
[[nodiscard]] AVPixelFormat software_format(const AVFrame& hardware_frame);

}  // namespace glyphreel::media
