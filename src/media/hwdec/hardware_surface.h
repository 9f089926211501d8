#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/mutex.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Reports to a hardware decoder that the download of one of its frames failed because the device failed or
/// the driver cannot copy to the host. The decoder shares this object with its frames, which may outlive the
/// decoder. Thread-safety: any thread.
class DownloadFailure {
 public:
  /// `cause` is FFmpeg's text; only the first cause is kept. `target` is memory to which the failed copy may
  /// still write; this object keeps it alive.
  void report(std::string cause, std::shared_ptr<const void> target) EXCLUDES(mutex_);
  /// Returns the first cause; empty if no download has failed.
  [[nodiscard]] std::optional<std::string> cause() const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::optional<std::string> cause_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const void>> targets_ GUARDED_BY(mutex_);
};
/// Makes HardwareSurface report to `failure` if the download of `frame`, or of a reference to it, fails.
/// Uses AVFrame::opaque_ref.
void report_failure_to(std::shared_ptr<DownloadFailure> failure, AVFrame& frame);

/// A frame of a hardware decoder, or of a producer of DRM PRIME frames.
class HardwareSurface final : public Surface {
 public:
  /// `frame` has a hardware pixel format; its hw_frames_ctx may be null for DRM PRIME.
  explicit HardwareSurface(FramePtr frame) : frame_(std::move(frame)) {}

  /// Returns the frame, valid as long as this surface.
  [[nodiscard]] const AVFrame& frame() const { return *frame_; }
  [[nodiscard]] Result<Frame> download(const Frame& frame, HostMemory* memory) const override;
  [[nodiscard]] bool is_lost() const override { return loss_ < 0; }

 private:
  [[nodiscard]] Error report_loss(int averror, std::shared_ptr<const void> target) const;

  const FramePtr frame_;
  mutable std::atomic<int> loss_ = 0;  ///< the AVERROR of a failed download; 0: none
};

/// Replaces a hardware frame by a cropped copy in memory that FFmpeg allocates. Returns 0 or an AVERROR.
[[nodiscard]] int copy_to_host(AVFrame& frame);
/// Whether copy_to_host() made this frame from one that was passed to report_failure_to().
[[nodiscard]] bool is_host_copy(const AVFrame& frame);

/// Whether the host cannot access a frame's pixels directly.
[[nodiscard]] bool is_hardware(const AVFrame& frame);
/// Returns the pixel format of a hardware frame's samples: the sw_format of its frames context, or NONE if
/// it has no frames context.
[[nodiscard]] AVPixelFormat software_format(const AVFrame& hardware_frame);

}  // namespace glyphreel::media
