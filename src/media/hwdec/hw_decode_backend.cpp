#include "media/hwdec/hw_decode_backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/io/log.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_decode_choice.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

AVHWDeviceType device_type(HwDecodeApi decoder) {
  return av_hwdevice_find_type_by_name(spec_of(decoder).ffmpeg_device);
}

AVPixelFormat pixel_format(HwDecodeApi decoder) {
  return av_get_pix_fmt(spec_of(decoder).ffmpeg_surface);
}

/// Whether `codec` accepts a frames context created by the caller and outputs frames of the API `decoder`.
bool outputs_frames_of(const AVCodec& codec, HwDecodeApi decoder) {
  for (int i = 0;; ++i) {
    const AVCodecHWConfig* config = avcodec_get_hw_config(&codec, i);
    if (config == nullptr) return false;
    if (config->device_type == device_type(decoder) && config->pix_fmt == pixel_format(decoder) &&
        (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_FRAMES_CTX) != 0) {
      return true;
    }
  }
}

class FfmpegBackend final : public HwDecodeBackend {
 public:
  FfmpegBackend(std::shared_ptr<HwDeviceProvider> devices, RequestMode mode)
      : devices_(std::move(devices)), mode_(mode) {}

  const AVCodec* find_codec(AVCodecID codec, HwDecodeApi decoder) override {
    // FFmpeg's first AV1 decoder is a library without hardware support, so check all decoders.
    void* position = nullptr;
    while (const AVCodec* candidate = av_codec_iterate(&position)) {
      if (candidate->id == codec && av_codec_is_decoder(candidate) != 0 &&
          outputs_frames_of(*candidate, decoder))
        return candidate;
    }
    return nullptr;
  }

  Result<BufferRef> make_device(HwDecodeApi decoder) override {
    rendering_api_.reset();
    if (devices_ != nullptr) {
      Result<BufferRef> device = devices_->device(decoder);
      if (device) rendering_api_ = decoder;
      if (device || mode_ == RequestMode::AnyApi) return device;
      log::debug("{} is unavailable on the rendering GPU: {} Its frames will be copied to host memory.",
                 spec_of(decoder).title, device.error().message);
    }
    AVBufferRef* made = nullptr;
    const int code = av_hwdevice_ctx_create(&made, device_type(decoder), nullptr, nullptr, 0);
    if (code < 0) {
      return av_failure(
          ErrorCode::Failed,
          fmt::format("No device or driver for {} was found; install its driver or use --hwdec no.",
                      spec_of(decoder).title),
          code);
    }
    return BufferRef(made);
  }

  void discard_device(HwDecodeApi decoder) override {
    if (devices_ != nullptr) devices_->discard(decoder);
  }

  AVPixelFormat choose_format(HwDecodeApi decoder, const AVPixelFormat* offered) override {
    for (; *offered != AV_PIX_FMT_NONE; ++offered) {
      if (*offered == pixel_format(decoder)) return *offered;
    }
    return AV_PIX_FMT_NONE;
  }

  int frames_parameters(AVCodecContext& context, HwDecodeApi decoder, AVBufferRef* device,
                        AVPixelFormat format, BufferRef& frames) override {
    AVBufferRef* made = nullptr;
    const int code = avcodec_get_hw_frames_parameters(&context, device, format, &made);
    frames.reset(made);
    if (code < 0) return code;
    auto& parameters = *reinterpret_cast<AVHWFramesContext*>(made->data);
    if (parameters.initial_pool_size > 0)
      parameters.initial_pool_size -= MaxHeldSurfaces - max_held_surfaces(parameters);
    // If the pool has more surfaces than the API supports, creating the decoder fails. A smaller pool has
    // only one drawback: consumers can hold fewer frames at once.
    parameters.initial_pool_size = std::min(parameters.initial_pool_size, spec_of(decoder).max_surfaces);
    if (rendering_api_) devices_->adjust_frames(decoder, parameters);
    return code;
  }

  int init_frames(AVBufferRef* frames) override { return av_hwframe_ctx_init(frames); }
  int send(AVCodecContext& context, const AVPacket* packet) override {
    return avcodec_send_packet(&context, packet);
  }
  int receive(AVCodecContext& context, AVFrame& frame) override {
    const int code = avcodec_receive_frame(&context, &frame);
    if (code >= 0 && rendering_api_) devices_->finish_frame(*rendering_api_, frame);
    return code;
  }

 private:
  std::shared_ptr<HwDeviceProvider> devices_;
  RequestMode mode_;
  /// The API passed to the last make_device() call; empty if `devices_` did not provide the device.
  std::optional<HwDecodeApi> rendering_api_;
};

}  // namespace

std::unique_ptr<HwDecodeBackend> make_hw_decode_backend(std::shared_ptr<HwDeviceProvider> devices,
                                                        RequestMode mode) {
  return std::make_unique<FfmpegBackend>(std::move(devices), mode);
}

}  // namespace glyphreel::media
