#include "media/hardware_devices.h"

#include <fmt/format.h>

#include "media/host_planes.h"
#include "media/pixel_layout.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {

bool is_hardware(const AVFrame& frame) {
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
  return format != nullptr && (format->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0;
}

AVPixelFormat software_format(const AVFrame& hardware_frame) {
  if (hardware_frame.hw_frames_ctx == nullptr) return AV_PIX_FMT_NONE;
  return reinterpret_cast<const AVHWFramesContext*>(hardware_frame.hw_frames_ctx->data)->sw_format;
}

Result<Frame> HardwareSurface::download(const Frame& frame, HostMemory* memory) const {
  const AVPixelFormat format = software_format(*frame_);
  const auto failure = [](int code) {
    return av_failure(ErrorCode::Failed,
                      "A frame could not be fetched from the hardware decoder: try --hwdec no.", code);
  };
  const auto layout = layout_of(format);
  if (!layout) return failure(AVERROR(ENOSYS));

  // The decoder's frames may be larger than the picture: what is transferred has their size.
  constexpr int RowAlignment = 64;
  const auto* frames = reinterpret_cast<const AVHWFramesContext*>(frame_->hw_frames_ctx->data);
  FramePtr copy = new_frame();
  copy->format = format;
  copy->width = frames->width;
  copy->height = frames->height;
  const int size = av_image_get_buffer_size(format, copy->width, copy->height, RowAlignment);
  if (size < 0) return failure(size);
  // FFmpeg has Vulkan write to them by their address, which drivers allow of the process's own memory only.
  if (frame_->format == AV_PIX_FMT_VULKAN) memory = nullptr;
  const HostTarget target = acquire_target(memory, static_cast<std::size_t>(size));
  av_image_fill_arrays(copy->data, copy->linesize, target.bytes, format, copy->width, copy->height,
                       RowAlignment);
  // It writes where a frame has buffers; this one's stay with `target`.
  copy->buf[0] = av_buffer_create(
      target.bytes, static_cast<std::size_t>(size), [](void*, std::uint8_t*) {}, nullptr, 0);
  CHECK(copy->buf[0] != nullptr, "out of memory");
  if (const int code = av_hwframe_transfer_data(copy.get(), frame_.get(), 0); code < 0) return failure(code);

  // Cropping, which decoders of hardware frames leave to those who look at them.
  copy->width = frame_->width;
  copy->height = frame_->height;
  copy->crop_left = frame_->crop_left;
  copy->crop_top = frame_->crop_top;
  copy->crop_right = frame_->crop_right;
  copy->crop_bottom = frame_->crop_bottom;
  if (const int code = av_frame_apply_cropping(copy.get(), AV_FRAME_CROP_UNALIGNED); code < 0)
    return failure(code);

  Frame host = frame;
  host.surface = nullptr;
  host.view.layout = *layout;
  for (std::size_t plane = 0; plane < host.view.planes.size(); ++plane) {
    host.view.planes[plane] = reinterpret_cast<const std::byte*>(copy->data[plane]);
    host.view.strides[plane] = copy->data[plane] != nullptr ? copy->linesize[plane] : 0;
  }
  host.view.block = target.block.get();
  host.owner = target.owner;
  host.bytes_copied +=
      static_cast<std::uint64_t>(av_image_get_buffer_size(format, frames->width, frames->height, 1));
  return host;
}

}  // namespace glyphreel::media
