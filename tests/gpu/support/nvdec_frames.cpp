#include "nvdec_frames.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "media/frame/pixel_layout.h"

#include "fake_cuda/fake_cuda.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace glyphreel::gpu {
namespace {

AVPixelFormat choose_cuda(AVCodecContext*, const AVPixelFormat* formats) {
  for (; *formats != AV_PIX_FMT_NONE; ++formats) {
    if (*formats == AV_PIX_FMT_CUDA) return *formats;
  }
  return AV_PIX_FMT_NONE;
}

}  // namespace

ClipFrames::ClipFrames(const std::string& path, AVBufferRef* device) {
  if (avformat_open_input(&format_, path.c_str(), nullptr, nullptr) < 0 ||
      avformat_find_stream_info(format_, nullptr) < 0)
    throw std::runtime_error(path);
  stream_ = av_find_best_stream(format_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  const AVCodecParameters* parameters = format_->streams[stream_]->codecpar;
  // Uses FFmpeg's native decoder: decoders of external libraries accept no device.
  const AVCodec* codec = avcodec_find_decoder(parameters->codec_id);
  decoder_.reset(avcodec_alloc_context3(codec));
  avcodec_parameters_to_context(decoder_.get(), parameters);
  decoder_->thread_count = 1;
  if (device != nullptr) {
    decoder_->hw_device_ctx = av_buffer_ref(device);
    decoder_->get_format = choose_cuda;
    decoder_->extra_hw_frames = 4;
  }
  if (avcodec_open2(decoder_.get(), codec, nullptr) < 0) throw std::runtime_error(codec->name);
}

ClipFrames::~ClipFrames() {
  avformat_close_input(&format_);
}

media::FramePtr ClipFrames::next() {
  media::FramePtr frame = media::new_frame();
  while (true) {
    const int code = avcodec_receive_frame(decoder_.get(), frame.get());
    if (code == 0) return frame;
    if (code != AVERROR(EAGAIN) || drained_) return nullptr;
    const media::PacketPtr packet = media::new_packet();
    if (av_read_frame(format_, packet.get()) < 0) {
      drained_ = true;
      avcodec_send_packet(decoder_.get(), nullptr);
    } else if (packet->stream_index == stream_ && avcodec_send_packet(decoder_.get(), packet.get()) < 0) {
      return nullptr;
    }
  }
}

Frame frame_of(media::FramePtr decoded) {
  Frame frame;
  frame.pts = decoded->pts;
  frame.time_base = {1, 25};
  frame.view.size = {decoded->width - static_cast<int>(decoded->crop_left + decoded->crop_right),
                     decoded->height - static_cast<int>(decoded->crop_top + decoded->crop_bottom)};
  if (decoded->format == AV_PIX_FMT_CUDA) {
    frame.view.layout = *media::layout_of(media::software_format(*decoded));
    frame.surface = std::make_shared<media::HardwareSurface>(std::move(decoded));
    return frame;
  }
  frame.view.layout = *media::layout_of(static_cast<AVPixelFormat>(decoded->format));
  for (std::size_t plane = 0; plane < 3; ++plane) {
    frame.view.planes[plane] = reinterpret_cast<const std::byte*>(decoded->data[plane]);
    frame.view.strides[plane] = decoded->linesize[plane];
  }
  frame.owner = std::shared_ptr<AVFrame>(decoded.release(), [](AVFrame* held) { av_frame_free(&held); });
  return frame;
}

const FakeCuda* fake_cuda() {
  static const std::optional<FakeCuda> Fake = []() -> std::optional<FakeCuda> {
    void* const driver = dlopen(interop::cuda::DriverLibrary, RTLD_NOW);
    if (driver == nullptr || dlsym(driver, "fake_cuda_live") == nullptr) return std::nullopt;
    return FakeCuda{
        .calls = reinterpret_cast<decltype(&fake_cuda_calls)>(dlsym(driver, "fake_cuda_calls")),
        .reset_calls =
            reinterpret_cast<decltype(&fake_cuda_reset_calls)>(dlsym(driver, "fake_cuda_reset_calls")),
        .set_broken = reinterpret_cast<decltype(&fake_cuda_break)>(dlsym(driver, "fake_cuda_break")),
        .live = reinterpret_cast<decltype(&fake_cuda_live)>(dlsym(driver, "fake_cuda_live"))};
  }();
  return Fake ? &*Fake : nullptr;
}

void fill(AVFrame& pixels, unsigned char value) {
  const int rows[] = {pixels.height, pixels.height / 2};
  for (int plane = 0; plane < 2; ++plane)
    std::memset(pixels.data[plane], value, static_cast<std::size_t>(pixels.linesize[plane]) * rows[plane]);
}

media::FramePtr cuda_frame(AVBufferRef* device, Extent size,
                           const std::function<void(AVFrame& pixels)>& write) {
  const media::BufferRef frames(av_hwframe_ctx_alloc(device));
  auto* context = reinterpret_cast<AVHWFramesContext*>(frames->data);
  context->format = AV_PIX_FMT_CUDA;
  context->sw_format = AV_PIX_FMT_NV12;
  context->width = size.width;
  context->height = size.height;
  EXPECT_EQ(av_hwframe_ctx_init(frames.get()), 0);
  media::FramePtr frame = media::new_frame();
  EXPECT_EQ(av_hwframe_get_buffer(frames.get(), frame.get(), 0), 0);
  if (fake_cuda() != nullptr) {
    write(*frame);  // the fake device's memory is host memory
    return frame;
  }
  const media::FramePtr pixels = media::new_frame();
  pixels->format = context->sw_format;
  pixels->width = size.width;
  pixels->height = size.height;
  EXPECT_EQ(av_frame_get_buffer(pixels.get(), 0), 0);
  write(*pixels);
  EXPECT_EQ(av_hwframe_transfer_data(frame.get(), pixels.get(), 0), 0);
  const media::FramePtr downloaded = media::new_frame();  // the download waits until the upload is complete
  EXPECT_EQ(av_hwframe_transfer_data(downloaded.get(), frame.get(), 0), 0);
  return frame;
}

Frame plain_frame(AVBufferRef* device, Extent size, unsigned char value) {
  return frame_of(cuda_frame(device, size, [value](AVFrame& pixels) { fill(pixels, value); }));
}

Result<GpuFrame> CudaFrames::import_frame(const Frame& frame) {
  const auto& surface = dynamic_cast<const media::HardwareSurface&>(*frame.surface);
  return cuda_->import_frame(surface.frame(), frame.view);
}

interop::ExportSemaphore fake_export(VkDevice device) {
  return [device](VkSemaphore semaphore) -> Result<int> {
    FakeSemaphore fake{};
    fake.device = device;
    fake.semaphore = object_id(semaphore);
    fake.signal = reinterpret_cast<void*>(vkGetDeviceProcAddr(device, "vkSignalSemaphore"));
    fake.wait = reinterpret_cast<void*>(vkGetDeviceProcAddr(device, "vkWaitSemaphores"));
    const int fd = memfd_create("semaphore", MFD_CLOEXEC);
    if (fd < 0 || write(fd, &fake, sizeof fake) != static_cast<ssize_t>(sizeof fake))
      return Error{ErrorCode::Failed, "no descriptor", {}};
    return fd;
  };
}

}  // namespace glyphreel::gpu
