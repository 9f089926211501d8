#include "media/hwdec/hardware_surface.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "media/ffmpeg/picture_limits.h"
#include "media/frame/host_planes.h"
#include "media/frame/pixel_layout.h"
#include "media/hwdec/hw_decode_choice.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

/// Written to the end of a download's destination before the download. If these bytes are still there
/// afterward, nothing was copied. A picture that itself ends with these bytes would count as not downloaded,
/// but is very unlikely.
constexpr std::array<std::uint8_t, 16> Mark = {0x9e, 0x01, 0xd3, 0x77, 0x2c, 0xf8, 0x45, 0xba,
                                               0x13, 0xee, 0x60, 0x8b, 0x5d, 0x36, 0xc4, 0xa9};

/// Returns the last bytes that a download writes into `copy`: as many bytes as Mark has, or the whole last
/// row if it has fewer bytes.
std::span<std::uint8_t> last_bytes(const AVFrame& copy) {
  const auto format = static_cast<AVPixelFormat>(copy.format);
  const int plane = av_pix_fmt_count_planes(format) - 1;
  const int rows = copy.height >> (plane == 0 ? 0 : av_pix_fmt_desc_get(format)->log2_chroma_h);
  const int row_bytes = av_image_get_linesize(format, copy.width, plane);
  const std::size_t size = std::min(static_cast<std::size_t>(row_bytes), Mark.size());
  return {copy.data[plane] + std::ptrdiff_t{rows - 1} * copy.linesize[plane] + row_bytes - size, size};
}

}  // namespace

bool is_hardware(const AVFrame& frame) {
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  return format != nullptr && (format->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0;
}

AVPixelFormat software_format(const AVFrame& hardware_frame) {
  if (hardware_frame.hw_frames_ctx == nullptr) return AV_PIX_FMT_NONE;
  return reinterpret_cast<const AVHWFramesContext*>(hardware_frame.hw_frames_ctx->data)->sw_format;
}

int max_held_surfaces(const AVHWFramesContext& frames) {
  const int bytes = av_image_get_buffer_size(frames.sw_format, frames.width, frames.height, 1);
  return std::max(MinHeldSurfaces, static_cast<int>(max_queued(bytes, MaxHeldSurfaces)));
}

int copy_to_host(AVFrame& frame) {
  const FramePtr host = new_frame();
  if (const int code = av_hwframe_transfer_data(host.get(), &frame, 0); code < 0) return code;
  if (const int code = av_frame_copy_props(host.get(), &frame); code < 0) return code;
  host->width = frame.width;
  host->height = frame.height;
  av_frame_unref(&frame);
  av_frame_move_ref(&frame, host.get());
  return av_frame_apply_cropping(&frame, AV_FRAME_CROP_UNALIGNED);
}

bool is_host_copy(const AVFrame& frame) {
  return frame.opaque_ref != nullptr && !is_hardware(frame);
}

void FrameFailures::report_download(std::string cause, std::shared_ptr<const void> target) {
  const MutexLock lock(mutex_);
  if (!download_cause_) download_cause_ = std::move(cause);
  if (target) targets_.push_back(std::move(target));
}

bool FrameFailures::report_unreadable(std::string reason) {
  if (on_unreadable_ == OnUnreadable::Download) return false;
  const MutexLock lock(mutex_);
  if (!unreadable_reason_) unreadable_reason_ = std::move(reason);
  return true;
}

std::optional<std::string> FrameFailures::download_cause() const {
  const MutexLock lock(mutex_);
  return download_cause_;
}

std::optional<std::string> FrameFailures::unreadable_reason() const {
  const MutexLock lock(mutex_);
  return unreadable_reason_;
}

void report_failures_to(std::shared_ptr<FrameFailures> failures, AVFrame& frame) {
  using Owner = std::shared_ptr<FrameFailures>;
  auto* owner = new Owner(std::move(failures));
  av_buffer_unref(&frame.opaque_ref);
  frame.opaque_ref = checked(av_buffer_create(
      reinterpret_cast<std::uint8_t*>(owner), sizeof *owner,
      [](void* opaque, std::uint8_t*) { delete static_cast<Owner*>(opaque); }, owner,
      AV_BUFFER_FLAG_READONLY));
}

FrameFailures* HardwareSurface::failures() const {
  if (frame_->opaque_ref == nullptr) return nullptr;
  return reinterpret_cast<const std::shared_ptr<FrameFailures>*>(frame_->opaque_ref->data)->get();
}

bool HardwareSurface::report_unreadable(std::string reason) const {
  return failures() != nullptr && failures()->report_unreadable(std::move(reason));
}

/// Records that the frame cannot be downloaded, and returns the error. Keeps `target` alive, since the failed
/// copy may still write to it.
Error HardwareSurface::report_loss(int averror, std::shared_ptr<const void> target) const {
  if (failures() != nullptr) failures()->report_download(av_text(averror), std::move(target));
  loss_ = averror;
  return av_failure(ErrorCode::Failed,
                    "A frame cannot be downloaded from the hardware decoder; try --hwdec no.", averror);
}

Result<Frame> HardwareSurface::download(const Frame& frame, HostMemory* memory) const {
  // Do not retry, since each failed attempt keeps its target's memory alive.
  if (is_lost()) return report_loss(loss_, nullptr);
  const AVPixelFormat format = software_format(*frame_);
  const auto layout = layout_of(format);
  if (!layout) return report_loss(AVERROR(ENOSYS), nullptr);

  // The decoder's frames may be larger than the picture and must be transferred as a whole.
  constexpr int RowAlignment = 64;
  const auto* frames = reinterpret_cast<const AVHWFramesContext*>(frame_->hw_frames_ctx->data);
  FramePtr copy = new_frame();
  copy->format = format;
  copy->width = frames->width;
  copy->height = frames->height;
  const int size = av_image_get_buffer_size(format, copy->width, copy->height, RowAlignment);
  if (size < 0) return report_loss(size, nullptr);
  // For a Vulkan frame, FFmpeg passes the target's address to Vulkan. Drivers accept only memory that the
  // process itself allocated. A block of `memory` may be of another kind, so let FFmpeg allocate the target.
  if (frame_->format == AV_PIX_FMT_VULKAN) memory = nullptr;
  const HostBuffer target = allocate_host_buffer(memory, static_cast<std::size_t>(size));
  av_image_fill_arrays(copy->data, copy->linesize, target.bytes, format, copy->width, copy->height,
                       RowAlignment);
  // The transfer needs a destination frame with buffers. This buffer does not own its memory; `target` does.
  copy->buf[0] = checked(av_buffer_create(
      target.bytes, static_cast<std::size_t>(size), [](void*, std::uint8_t*) {}, nullptr, 0));
  // FFmpeg copies only as many rows as the frame's height. For an odd height, that would omit the last chroma
  // row. Therefore clone the reference to the frame, enlarge the clone to the size of the decoder's surface,
  // and transfer the clone.
  const FramePtr whole(checked(av_frame_clone(frame_.get())));
  whole->width = copy->width;
  whole->height = copy->height;
  // FFmpeg (5.1 to 7.1) reports no error if CUDA rejects the copy. Therefore write Mark to the last bytes
  // and check that the copy has overwritten it.
  const std::span<std::uint8_t> last = last_bytes(*copy);
  std::memcpy(last.data(), Mark.data(), last.size());
  int code = av_hwframe_transfer_data(copy.get(), whole.get(), 0);
  if (code >= 0 && std::memcmp(last.data(), Mark.data(), last.size()) == 0) code = AVERROR_EXTERNAL;
  if (code < 0) return report_loss(code, target.owner);

  // Hardware decoders do not crop, so crop the copy.
  copy->width = frame_->width;
  copy->height = frame_->height;
  copy->crop_left = frame_->crop_left;
  copy->crop_top = frame_->crop_top;
  copy->crop_right = frame_->crop_right;
  copy->crop_bottom = frame_->crop_bottom;
  code = av_frame_apply_cropping(copy.get(), AV_FRAME_CROP_UNALIGNED);
  if (code < 0) return report_loss(code, target.owner);

  Frame host = frame;
  host.surface = nullptr;
  host.view.layout = *layout;
  set_planes(host.view, copy->data, copy->linesize);
  host.view.block = target.block.get();
  host.owner = target.owner;
  host.bytes_copied +=
      static_cast<std::uint64_t>(av_image_get_buffer_size(format, frames->width, frames->height, 1));
  return host;
}

}  // namespace glyphreel::media
