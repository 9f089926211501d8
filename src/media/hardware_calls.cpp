#include "media/hardware_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "media/hardware_plan.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace glyphreel::media {
namespace {

constexpr int MostNvdecSurfaces = 32;

AVHWDeviceType device_type(HardwareDecoder decoder) {
  switch (decoder) {
    case HardwareDecoder::Vaapi:
      return AV_HWDEVICE_TYPE_VAAPI;
    case HardwareDecoder::Cuda:
      return AV_HWDEVICE_TYPE_CUDA;
    case HardwareDecoder::Vulkan:
      return AV_HWDEVICE_TYPE_VULKAN;
  }
  return AV_HWDEVICE_TYPE_NONE;
}

AVPixelFormat pixel_format(HardwareDecoder decoder) {
  switch (decoder) {
    case HardwareDecoder::Vaapi:
      return AV_PIX_FMT_VAAPI;
    case HardwareDecoder::Cuda:
      return AV_PIX_FMT_CUDA;
    case HardwareDecoder::Vulkan:
      return AV_PIX_FMT_VULKAN;
  }
  return AV_PIX_FMT_NONE;
}

/// Whether the decoder takes frames that we made for it.
bool takes_frames_of(const AVCodec& codec, HardwareDecoder decoder) {
  for (int i = 0;; ++i) {
    const AVCodecHWConfig* config = avcodec_get_hw_config(&codec, i);
    if (config == nullptr) return false;
    if (config->device_type == device_type(decoder) && config->pix_fmt == pixel_format(decoder) &&
        (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX) != 0) {
      return true;
    }
  }
}

class FfmpegCalls final : public HardwareCalls {
 public:
  FfmpegCalls(std::shared_ptr<HardwareDevices> devices, Asked asked)
      : devices_(std::move(devices)), asked_(asked) {}

  const AVCodec* find_codec(AVCodecID codec, HardwareDecoder decoder) override {
    // AV1's first decoder is a library without hardware, so all of them are looked at.
    void* position = nullptr;
    while (const AVCodec* candidate = av_codec_iterate(&position)) {
      if (candidate->id == codec && av_codec_is_decoder(candidate) != 0 &&
          takes_frames_of(*candidate, decoder))
        return candidate;
    }
    return nullptr;
  }

  Result<BufferRef> make_device(HardwareDecoder decoder) override {
    is_gpus_own_ = false;
    if (devices_ != nullptr) {
      Result<BufferRef> device = devices_->device(decoder);
      is_gpus_own_ = bool(device);
      if (device || asked_ == Asked::Generally) return device;
      log::debug("{} for the GPU that draws: {} Its frames will come back to the host.",
                 hardware_title(decoder), device.error().message);
    }
    AVBufferRef* made = nullptr;
    const int code = av_hwdevice_ctx_create(&made, device_type(decoder), nullptr, nullptr, 0);
    if (code < 0) {
      return av_failure(ErrorCode::Failed,
                        fmt::format("There is no device or no driver for {}.", hardware_title(decoder)),
                        code);
    }
    return BufferRef(made);
  }

  AVPixelFormat choose_format(HardwareDecoder decoder, const AVPixelFormat* offered) override {
    for (; *offered != AV_PIX_FMT_NONE; ++offered) {
      if (*offered == pixel_format(decoder)) return *offered;
    }
    return AV_PIX_FMT_NONE;
  }

  int frames_parameters(AVCodecContext& context, HardwareDecoder decoder, AVBufferRef* device,
                        AVPixelFormat format, BufferRef& frames) override {
    AVBufferRef* made = nullptr;
    const int code = avcodec_get_hw_frames_parameters(&context, device, format, &made);
    frames.reset(made);
    if (code < 0) return code;
    auto& parameters = *reinterpret_cast<AVHWFramesContext*>(made->data);
    // A decoder with more surfaces would not be made: rather some fewer are held.
    if (decoder == HardwareDecoder::Cuda)
      parameters.initial_pool_size = std::min(parameters.initial_pool_size, MostNvdecSurfaces);
    if (is_gpus_own_) devices_->adjust_frames(decoder, parameters);
    return code;
  }

  int init_frames(AVBufferRef* frames) override { return av_hwframe_ctx_init(frames); }
  int send(AVCodecContext& context, const AVPacket* packet) override {
    return avcodec_send_packet(&context, packet);
  }
  int receive(AVCodecContext& context, AVFrame& frame) override {
    return avcodec_receive_frame(&context, &frame);
  }

 private:
  std::shared_ptr<HardwareDevices> devices_;
  Asked asked_;
  bool is_gpus_own_ = false;  ///< the device made last
};

}  // namespace

std::unique_ptr<HardwareCalls> make_hardware_calls(std::shared_ptr<HardwareDevices> devices, Asked asked) {
  return std::make_unique<FfmpegCalls>(std::move(devices), asked);
}

}  // namespace glyphreel::media
