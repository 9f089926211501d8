#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/mutex.h"
#include "base/result.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Reports to a hardware decoder that its frames cannot be used. Either a download failed (the device failed,
/// or the driver cannot copy to the host), or the rendering GPU cannot read the frames. The decoder shares
/// this object with its frames, which may outlive the decoder. Thread-safety: any thread.
class FrameFailures {
 public:
  /// What happens to the decoder if the GPU cannot read its frames.
  enum class OnUnreadable {
    Download,  ///< the decoder stays in use, and each frame is copied through the host
    Replace,   ///< the decoder is replaced: even decoding on the CPU costs less than copying each frame
  };
  explicit FrameFailures(OnUnreadable on_unreadable) : on_unreadable_(on_unreadable) {}

  /// Reports a failed download. `cause` is FFmpeg's description; only the first cause is kept. `target` owns
  /// the memory to which the failed copy may still write; this object keeps `target` alive.
  void report_download(std::string cause, std::shared_ptr<const void> target) EXCLUDES(mutex_);
  /// Reports that the GPU cannot read the decoder's frames. `reason` is a sentence; only the first reason is
  /// kept. Returns whether the decoder will be replaced.
  bool report_unreadable(std::string reason) EXCLUDES(mutex_);
  /// Returns the first cause of a failed download; empty if no download has failed.
  [[nodiscard]] std::optional<std::string> download_cause() const EXCLUDES(mutex_);
  /// Returns the reason passed to report_unreadable(). Empty if there was no such report, or if the decoder
  /// stays in use (OnUnreadable::Download).
  [[nodiscard]] std::optional<std::string> unreadable_reason() const EXCLUDES(mutex_);

 private:
  const OnUnreadable on_unreadable_;
  mutable Mutex mutex_;
  std::optional<std::string> download_cause_ GUARDED_BY(mutex_), unreadable_reason_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const void>> targets_ GUARDED_BY(mutex_);
};
/// Attaches `failures` to `frame` by AVFrame::opaque_ref. A HardwareSurface made from `frame`, or from a new
/// reference to `frame`, then reports its failures to `failures`.
void report_failures_to(std::shared_ptr<FrameFailures> failures, AVFrame& frame);

/// A frame from a hardware decoder, or from a producer of DRM PRIME frames.
class HardwareSurface final : public Surface {
 public:
  /// `frame` has a hardware pixel format; its hw_frames_ctx may be null for DRM PRIME.
  explicit HardwareSurface(FramePtr frame) : frame_(std::move(frame)) {}

  /// Returns the frame. The reference is valid as long as this object exists.
  [[nodiscard]] const AVFrame& frame() const { return *frame_; }
  [[nodiscard]] Result<Frame> download(const Frame& frame, HostMemory* memory) const override;
  [[nodiscard]] bool is_lost() const override { return loss_ < 0; }
  /// Reports that the GPU cannot read this frame. `reason` is a sentence. Returns true if the decoder will be
  /// replaced because of this report. If it returns false, the decoder's frames must be downloaded.
  [[nodiscard]] bool report_unreadable(std::string reason) const;

 private:
  [[nodiscard]] Error report_loss(int averror, std::shared_ptr<const void> target) const;
  /// Returns the object passed to report_failures_to(); null if there is none.
  [[nodiscard]] FrameFailures* failures() const;

  const FramePtr frame_;
  mutable std::atomic<int> loss_ = 0;  ///< the AVERROR of a failed download; 0: none
};

/// Replaces a hardware frame with a cropped copy in memory that FFmpeg allocates. Returns 0 or an AVERROR.
[[nodiscard]] int copy_to_host(AVFrame& frame);
/// Whether copy_to_host() made `frame`. Works only if the hardware frame was passed to report_failures_to()
/// before copy_to_host() replaced it.
[[nodiscard]] bool is_host_copy(const AVFrame& frame);

/// Number of frames that consumers may hold at once, however large the frames are: the frame on the screen,
/// the frames that a renderer reads, and the frames that wait to be read or shown.
inline constexpr int MinHeldSurfaces = 6;
/// Returns how many frames consumers may hold at once from the pool `frames`: MaxHeldSurfaces, or as many as
/// fit in 256 MiB if that is less, but at least MinHeldSurfaces. `frames` need not be initialized.
[[nodiscard]] int max_held_surfaces(const AVHWFramesContext& frames);

/// Whether a frame has a hardware pixel format, whose pixels the host cannot access directly.
[[nodiscard]] bool is_hardware(const AVFrame& frame);
/// Returns the pixel format of a hardware frame's samples: the sw_format of its frames context, or NONE if
/// there is no frames context.
[[nodiscard]] AVPixelFormat software_format(const AVFrame& hardware_frame);

}  // namespace glyphreel::media
