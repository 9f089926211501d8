#include "media/hwdec/hardware_surface.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "media/hwdec/software_redecoder.h"
#include "media/frame/host_planes.h"
#include "media/frame/pixel_layout.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

/// The bytes that a copy of a frame writes last. They show whether the copy took place: FFmpeg (5.1 to 7.1)
/// reports no error if CUDA refuses to copy.
class LastBytes {
 public:
  explicit LastBytes(const AVFrame& copy) {
    const auto format = static_cast<AVPixelFormat>(copy.format);
    const int plane = av_pix_fmt_count_planes(format) - 1;
    const int rows = copy.height >> (plane == 0 ? 0 : av_pix_fmt_desc_get(format)->log2_chroma_h);
    const int row_bytes = av_image_get_linesize(format, copy.width, plane);
    const auto size = std::min(static_cast<std::ptrdiff_t>(row_bytes), std::ssize(Mark));
    bytes_ = {copy.data[plane] + std::ptrdiff_t{rows - 1} * copy.linesize[plane] + row_bytes - size,
              static_cast<std::size_t>(size)};
    std::memcpy(bytes_.data(), Mark.data(), bytes_.size());
  }
  [[nodiscard]] bool were_written() const {
    return std::memcmp(bytes_.data(), Mark.data(), bytes_.size()) != 0;
  }

 private:
  /// Hardly any picture ends with these bytes. One that does is re-decoded, which displays it just as well.
  static constexpr std::array<std::uint8_t, 16> Mark = {0x9e, 0x01, 0xd3, 0x77, 0x2c, 0xf8, 0x45, 0xba,
                                                        0x13, 0xee, 0x60, 0x8b, 0x5d, 0x36, 0xc4, 0xa9};
  std::span<std::uint8_t> bytes_;
};

/// Returns `frame` with the planes of `host`, which is already cropped and whose format has this `layout`.
Frame with_planes(const Frame& frame, const AVFrame& host, const PixelLayout& layout) {
  Frame described = frame;
  described.surface = nullptr;
  described.view.layout = layout;
  for (std::size_t plane = 0; plane < described.view.planes.size(); ++plane) {
    described.view.planes[plane] = reinterpret_cast<const std::byte*>(host.data[plane]);
    described.view.strides[plane] = host.data[plane] != nullptr ? host.linesize[plane] : 0;
  }
  return described;
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

Result<Frame> HardwareSurface::download(const Frame& frame, HostMemory* memory) const {
  const DecodeOrigin* origin = origin_of(*frame_);
  if (origin == nullptr) return fetch(frame, memory);
  if (!origin->rescue->loss()) {
    Result<Frame> fetched = fetch(frame, memory);
    if (fetched) return fetched;
    origin->rescue->report_loss(fetched.error().cause);
  }
  return decode_anew(frame);
}

Result<Frame> HardwareSurface::decode_anew(const Frame& frame) const {
  const std::lock_guard lock(mutex_);
  if (!anew_) {
    const DecodeOrigin& origin = *origin_of(*frame_);
    TRY_ASSIGN(anew_, origin.rescue->decode(origin.recipe));
  }
  const auto layout = layout_of(static_cast<AVPixelFormat>(anew_->format));
  if (!layout || Extent{anew_->width, anew_->height} != frame.view.size) {
    return Error{ErrorCode::Failed,
                 "A frame re-decoded in software differs in format or size from the hardware frame.",
                 {}};
  }
  Frame host = with_planes(frame, *anew_, *layout);
  host.owner = anew_;
  return host;
}

Result<Frame> HardwareSurface::fetch(const Frame& frame, HostMemory* memory) const {
  const AVPixelFormat format = software_format(*frame_);
  const auto failure = [](int code) {
    return av_failure(ErrorCode::Failed,
                      "A frame cannot be downloaded from the hardware decoder: try --hwdec no.", code);
  };
  const auto layout = layout_of(format);
  if (!layout) return failure(AVERROR(ENOSYS));

  // The decoder's frames may be larger than the picture; they are transferred whole.
  constexpr int RowAlignment = 64;
  const auto* frames = reinterpret_cast<const AVHWFramesContext*>(frame_->hw_frames_ctx->data);
  FramePtr copy = new_frame();
  copy->format = format;
  copy->width = frames->width;
  copy->height = frames->height;
  const int size = av_image_get_buffer_size(format, copy->width, copy->height, RowAlignment);
  if (size < 0) return failure(size);
  // FFmpeg passes the target's address to Vulkan, which drivers allow only for the process's own memory.
  if (frame_->format == AV_PIX_FMT_VULKAN) memory = nullptr;
  const HostBuffer target = allocate_host_buffer(memory, static_cast<std::size_t>(size));
  av_image_fill_arrays(copy->data, copy->linesize, target.bytes, format, copy->width, copy->height,
                       RowAlignment);
  // The transfer needs a destination with buffers. This one does not own its memory; `target` does.
  copy->buf[0] = av_buffer_create(
      target.bytes, static_cast<std::size_t>(size), [](void*, std::uint8_t*) {}, nullptr, 0);
  check_memory(copy->buf[0] != nullptr);
  // FFmpeg copies as many rows as the frame has, which for odd heights is half a chroma row too few.
  const FramePtr whole(av_frame_clone(frame_.get()));
  check_memory(whole != nullptr);
  whole->width = copy->width;
  whole->height = copy->height;
  const LastBytes last(*copy);
  int code = av_hwframe_transfer_data(copy.get(), whole.get(), 0);
  if (code >= 0 && !last.were_written()) code = AVERROR_EXTERNAL;
  if (code < 0) {
    if (const DecodeOrigin* origin = origin_of(*frame_)) origin->rescue->keep(target.owner);
    return failure(code);
  }

  // Hardware decoders leave cropping to the consumer.
  copy->width = frame_->width;
  copy->height = frame_->height;
  copy->crop_left = frame_->crop_left;
  copy->crop_top = frame_->crop_top;
  copy->crop_right = frame_->crop_right;
  copy->crop_bottom = frame_->crop_bottom;
  code = av_frame_apply_cropping(copy.get(), AV_FRAME_CROP_UNALIGNED);
  if (code < 0) return failure(code);

  Frame host = with_planes(frame, *copy, *layout);
  host.view.block = target.block.get();
  host.owner = target.owner;
  host.bytes_copied +=
      static_cast<std::uint64_t>(av_image_get_buffer_size(format, frames->width, frames->height, 1));
  return host;
}

}  // namespace glyphreel::media
