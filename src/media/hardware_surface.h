#pragma once

#include <memory>
#include <mutex>

#include "base/frame.h"
#include "base/result.h"
#include "media/ffmpeg.h"

namespace glyphreel::media {

/// A frame of a hardware decoder, or of a producer of DRM PRIME frames.
class HardwareSurface final : public Surface {
 public:
  /// `frame`: of a hardware pixel format; its hw_frames_ctx may be null for DRM PRIME. With its FrameOrigin,
  /// where it has one, it is decoded anew where it cannot be downloaded, and its decoder given up.
  explicit HardwareSurface(FramePtr frame) : frame_(std::move(frame)) {}

  /// Valid as long as the surface.
  [[nodiscard]] const AVFrame& frame() const { return *frame_; }
  [[nodiscard]] Result<Frame> download(const Frame& frame, HostMemory* memory) const override;

 private:
  [[nodiscard]] Result<Frame> fetch(const Frame& frame, HostMemory* memory) const;
  [[nodiscard]] Result<Frame> decode_anew(const Frame& frame) const;

  const FramePtr frame_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const AVFrame> anew_;  ///< guarded by mutex_; null: it was not decoded anew
};

/// Whether a frame's pixels are out of the host's reach.
[[nodiscard]] bool is_hardware(const AVFrame& frame);
/// The pixel format that a hardware frame's samples have: the sw_format of its frames context; NONE where it
/// has none.
[[nodiscard]] AVPixelFormat software_format(const AVFrame& hardware_frame);

}  // namespace glyphreel::media
