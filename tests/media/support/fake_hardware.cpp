#include "fake_hardware.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_drm.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::test {
namespace {

using media::BufferRef;

bool is_hardware_format(AVPixelFormat format) {
  return (av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0;
}

/// A memory file that contains one frame.
struct MemoryFrame {
  AVDRMFrameDescriptor descriptor{};
  std::shared_ptr<std::atomic<int>> alive;
  ~MemoryFrame() {
    ::close(descriptor.objects[0].fd);
    --*alive;
  }
};

}  // namespace

FakeHardware::FakeHardware(std::vector<Fault> faults) : faults_(std::move(faults)) {
  device_.reset(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_DRM));
  CHECK(device_ != nullptr, "this FFmpeg has no DRM");
  reinterpret_cast<AVDRMDeviceContext*>(reinterpret_cast<AVHWDeviceContext*>(device_->data)->hwctx)->fd = -1;
  CHECK(av_hwdevice_ctx_init(device_.get()) >= 0, "no DRM device");
}

int FakeHardware::fails(HwDecodeCall call) {
  const int number = counts_[static_cast<std::size_t>(call)]++;
  if (lasting_error_ < 0) return lasting_error_;
  for (const Fault& fault : faults_) {
    if (fault.call != call || fault.at != number) continue;
    const int code = fault.code != 0 ? fault.code : AVERROR_EXTERNAL;
    if (fault.is_lasting) lasting_error_ = code;
    return code;
  }
  return 0;
}

const AVCodec* FakeHardware::find_codec(AVCodecID codec, HwDecodeApi) {
  lasting_error_ = 0;  // a new decoder starts
  return fails(HwDecodeCall::FindCodec) < 0 ? nullptr : avcodec_find_decoder(codec);
}

Result<BufferRef> FakeHardware::make_device(HwDecodeApi) {
  if (fails(HwDecodeCall::MakeDevice) < 0) return Error{ErrorCode::Failed, "The fake device failed.", {}};
  return BufferRef(av_buffer_ref(device_.get()));
}

AVPixelFormat FakeHardware::choose_format(HwDecodeApi, const AVPixelFormat* offered) {
  if (fails(HwDecodeCall::ChooseFormat) < 0) return AV_PIX_FMT_NONE;
  while (*offered != AV_PIX_FMT_NONE && is_hardware_format(*offered)) ++offered;
  return *offered;
}

int FakeHardware::frames_parameters(AVCodecContext& context, HwDecodeApi, AVBufferRef*, AVPixelFormat,
                                    BufferRef&) {
  if (const int code = fails(HwDecodeCall::FramesParameters); code < 0) return code;
  if (max_width > 0 && context.coded_width > max_width) return AVERROR(ENOSYS);
  // A frame pool is not needed, since FFmpeg's software decoder has its own. to_surface() copies each decoded
  // frame to a frame of the fake device and crops the copy, so the decoder must not crop.
  context.apply_cropping = 0;
  return 0;
}

int FakeHardware::init_frames(AVBufferRef*) {
  return fails(HwDecodeCall::InitFrames);
}

int FakeHardware::send(AVCodecContext& context, const AVPacket* packet) {
  if (const int code = fails(HwDecodeCall::Send); code < 0) return code;
  return avcodec_send_packet(&context, packet);
}

int FakeHardware::receive(AVCodecContext& context, AVFrame& frame) {
  if (const int code = fails(HwDecodeCall::Receive); code < 0) return code;
  const int code = avcodec_receive_frame(&context, &frame);
  return code < 0 ? code : to_surface(frame, context);
}

int FakeHardware::to_surface(AVFrame& frame, AVCodecContext& context) {
  if (*alive_ >= context.extra_hw_frames) return AVERROR(ENOMEM);
  const auto decoded_format = static_cast<AVPixelFormat>(frame.format);
  const AVPixelFormat format = surface_format != AV_PIX_FMT_NONE ? surface_format : decoded_format;
  auto* frames = frames_ ? reinterpret_cast<AVHWFramesContext*>(frames_->data) : nullptr;
  if (frames == nullptr || frames->sw_format != format || frames->width != frame.width ||
      frames->height != frame.height) {
    frames_.reset(av_hwframe_ctx_alloc(device_.get()));
    frames = reinterpret_cast<AVHWFramesContext*>(frames_->data);
    frames->format = AV_PIX_FMT_DRM_PRIME;
    frames->sw_format = format;
    frames->width = frame.width;
    frames->height = frame.height;
    if (const int code = av_hwframe_ctx_init(frames_.get()); code < 0) return code;
  }

  constexpr int RowAlignment = 64;
  const int size = av_image_get_buffer_size(format, frame.width, frame.height, RowAlignment);
  auto memory = std::make_unique<MemoryFrame>();
  memory->alive = alive_;
  ++*alive_;
  AVDRMFrameDescriptor& descriptor = memory->descriptor;
  const int fd = ::memfd_create("fake-surface", 0);
  descriptor.nb_objects = 1;
  descriptor.objects[0] = {.fd = fd, .size = static_cast<std::size_t>(size), .format_modifier = 0};
  CHECK(fd >= 0 && ::ftruncate(fd, size) == 0, "no memory file");
  void* mapped = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(mapped != MAP_FAILED, "no mapping");
  auto* bytes = static_cast<std::uint8_t*>(mapped);
  std::array<std::uint8_t*, 4> planes{};
  std::array<int, 4> strides{};
  av_image_fill_arrays(planes.data(), strides.data(), bytes, format, frame.width, frame.height, RowAlignment);
  if (format == decoded_format) {
    av_image_copy(planes.data(), strides.data(), const_cast<const std::uint8_t**>(frame.data), frame.linesize,
                  format, frame.width, frame.height);
  }
  descriptor.nb_layers = 1;
  descriptor.layers[0].nb_planes = av_pix_fmt_count_planes(format);
  for (int i = 0; i < descriptor.layers[0].nb_planes; ++i) {
    descriptor.layers[0].planes[i] = {.object_index = 0,
                                      .offset = planes[static_cast<std::size_t>(i)] - bytes,
                                      .pitch = strides[static_cast<std::size_t>(i)]};
  }
  ::munmap(mapped, static_cast<std::size_t>(size));
  if (const int number = surfaces_++ - first_lost; number >= 0 && number < lost_surfaces) {
    ::close(fd);
    descriptor.objects[0].fd = ::open("/", O_PATH | O_CLOEXEC);  // cannot be mapped
  }

  media::FramePtr surface = media::new_frame();
  surface->format = AV_PIX_FMT_DRM_PRIME;
  surface->width = frame.width;
  surface->height = frame.height;
  MemoryFrame* held = memory.release();
  surface->data[0] = reinterpret_cast<std::uint8_t*>(&held->descriptor);
  surface->buf[0] = av_buffer_create(
      surface->data[0], sizeof(AVDRMFrameDescriptor),
      [](void* opaque, std::uint8_t*) { delete static_cast<MemoryFrame*>(opaque); }, held, 0);
  surface->hw_frames_ctx = av_buffer_ref(frames_.get());
  av_frame_copy_props(surface.get(), &frame);
  av_frame_apply_cropping(surface.get(), 0);  // crops as FFmpeg does for hardware frames
  av_frame_unref(&frame);
  av_frame_move_ref(&frame, surface.get());
  return 0;
}

}  // namespace glyphreel::test
