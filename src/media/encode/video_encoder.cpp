#include "media/encode/video_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "media/encode/encoders.h"
#include "media/hwdec/hw_device_provider.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

// Time between keyframes. It limits how much a killed recording loses and how slowly players seek.
constexpr double GopSeconds = 2;
constexpr double AssumedRate = 30;            // frames per second, if the source does not state its rate
constexpr int MaxMpeg4Ticks = 65535;          // per second; vop_time_increment_resolution has 16 bits
constexpr double FallbackBitsPerPixel = 0.2;  // for encoders without a known quality setting

double rate_of(const WriterOptions& options) {
  return options.frame_rate.is_positive() ? options.frame_rate.value() : AssumedRate;
}

/// Sets constant quality, a bit rate, or constant quality with a maximum bit rate. Errors: Usage if the
/// encoder does not support the requested quality.
Result<void> set_rate_control(AVCodecContext& context, const WriterOptions& options,
                              const EncoderProfile* profile) {
  if (is_lossless_only(*context.codec)) return {};
  const char* quality_option = profile != nullptr ? profile->quality_option : nullptr;
  if (options.crf && quality_option == nullptr) {
    return Error{ErrorCode::Usage,
                 fmt::format("--crf does not work with the encoder {}; use --bitrate.", context.codec->name),
                 ""};
  }
  context.bit_rate = options.bits_per_second.value_or(0);
  if (quality_option != nullptr && (options.crf || !options.bits_per_second)) {
    const int quality = options.crf.value_or(profile->default_quality);
    if (const int code = av_opt_set_int(context.priv_data, quality_option, quality, 0); code < 0) {
      return av_failure(
          ErrorCode::Usage,
          fmt::format("The encoder {} does not support the quality {}; choose a different --crf.",
                      context.codec->name, quality),
          code);
    }
    if (options.bits_per_second) {
      context.rc_max_rate = *options.bits_per_second;
      context.rc_buffer_size =
          static_cast<int>(std::min<std::int64_t>(2 * *options.bits_per_second, INT32_MAX));
      // libvpx uses bit_rate as the maximum rate. In the other encoders, a bit rate would disable constant
      // quality.
      if (!std::string_view(context.codec->name).starts_with("libvpx")) context.bit_rate = 0;
    }
  } else if (!options.bits_per_second && context.codec_id == AV_CODEC_ID_MPEG4) {
    constexpr int GoodQuantizer = 3;
    context.flags |= AV_CODEC_FLAG_QSCALE;
    context.global_quality = GoodQuantizer * FF_QP2LAMBDA;
  } else if (!options.bits_per_second) {
    context.bit_rate =
        static_cast<std::int64_t>(static_cast<double>(options.size.width) * options.size.height *
                                  rate_of(options) * FallbackBitsPerPixel);
  }
  return {};
}

void describe_pictures(AVCodecContext& context, const WriterOptions& options, AVPixelFormat format) {
  context.width = options.size.width;
  context.height = options.size.height;
  context.sample_aspect_ratio = {1, 1};
  context.pix_fmt = format;
  context.color_primaries = AVCOL_PRI_BT709;
  if ((av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_RGB) == 0) {
    context.colorspace = AVCOL_SPC_BT709;
    context.color_trc = AVCOL_TRC_BT709;
    context.color_range = AVCOL_RANGE_MPEG;
    context.chroma_sample_location = AVCHROMA_LOC_LEFT;
  } else {
    context.colorspace = AVCOL_SPC_RGB;
    context.color_trc = AVCOL_TRC_IEC61966_2_1;
    context.color_range = AVCOL_RANGE_JPEG;
  }
}

using Converter = std::unique_ptr<SwsContext, FreeDirect<sws_freeContext>>;

/// Makes a converter for drawn pictures. `from` is their pixel format, and `to` is the encoder's pixel
/// format. Uses the BT.709 coefficients. Errors: Failed if this FFmpeg lacks the conversion.
Result<Converter> make_converter(const AVCodecContext& context, AVPixelFormat from, AVPixelFormat to) {
  constexpr int Exact =
      SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_FULL_CHR_H_INT | SWS_BITEXACT;
  Converter converter(sws_getContext(context.width, context.height, from, context.width, context.height, to,
                                     Exact, nullptr, nullptr, nullptr));
  if (converter == nullptr) {
    return Error{ErrorCode::Failed,
                 fmt::format("This FFmpeg cannot convert pictures to {}; choose a different --pix-fmt.",
                             av_get_pix_fmt_name(to)),
                 ""};
  }
  if (from != AV_PIX_FMT_BGR0) return converter;  // only the order of the samples changes
  const int* coefficients = sws_getCoefficients(SWS_CS_ITU709);
  const int is_full_range = context.color_range == AVCOL_RANGE_JPEG ? 1 : 0;
  constexpr int Unity = 1 << 16;
  sws_setColorspaceDetails(converter.get(), coefficients, 1, coefficients, is_full_range, 0, Unity, Unity);
  return converter;
}

/// Makes the pool of surfaces to which pictures are uploaded. Errors: Usage if the machine has no GPU or
/// driver for the encoder's API, or if the GPU does not support the format.
Result<BufferRef> make_surfaces(const AVCodecContext& context, const ChosenEncoder& encoder) {
  const auto unusable = [&](int code) {
    return av_failure(
        ErrorCode::Usage,
        fmt::format("The encoder {} needs a GPU and driver that support {} for {} pictures, but this "
                    "machine has none; choose a different --codec, such as libx264.",
                    encoder.codec->name, av_hwdevice_get_type_name(encoder.device),
                    av_get_pix_fmt_name(encoder.format)),
        code);
  };
  AVBufferRef* device = nullptr;
  if (const int code = av_hwdevice_ctx_create(&device, encoder.device, nullptr, nullptr, 0); code < 0)
    return unusable(code);
  const BufferRef owned(device);
  BufferRef surfaces(checked(av_hwframe_ctx_alloc(device)));
  auto& frames = *reinterpret_cast<AVHWFramesContext*>(surfaces->data);
  frames.format = encoder.surface;
  frames.sw_format = encoder.format;
  frames.width = context.width;
  frames.height = context.height;
  if (const int code = av_hwframe_ctx_init(surfaces.get()); code < 0) return unusable(code);
  return surfaces;
}

/// Returns the error for an encoder that could not be opened.
Error rejected(const AVCodec& codec, Extent size, int code) {
  const bool needs_hardware = (codec.capabilities & AV_CODEC_CAP_HARDWARE) != 0;
  return av_failure(
      ErrorCode::Usage,
      needs_hardware
          ? fmt::format("The encoder {} does not work on this machine, or rejects {}x{} pictures with these "
                        "settings; check the GPU and driver, or choose a different --codec, such as libx264.",
                        codec.name, size.width, size.height)
          : fmt::format("The encoder {} rejects {}x{} pictures with these settings; change the "
                        "settings, or choose a different --codec.",
                        codec.name, size.width, size.height),
      code);
}

void release_block(void* opaque, std::uint8_t* /*bytes*/) {
  delete static_cast<std::shared_ptr<const HostBlock>*>(opaque);
}

}  // namespace

Result<std::unique_ptr<VideoEncoder>> VideoEncoder::open(const WriterOptions& options,
                                                         const ChosenEncoder& encoder, CodecHeaders headers) {
  const AVCodec& codec = *encoder.codec;
  CodecContextPtr context(checked(avcodec_alloc_context3(&codec)));
  describe_pictures(*context, options, encoder.format);
  if (encoder.device != AV_HWDEVICE_TYPE_NONE) {
    TRY_ASSIGN(BufferRef surfaces, make_surfaces(*context, encoder));
    context->pix_fmt = encoder.surface;
    context->hw_frames_ctx = surfaces.release();
  }
  const AVRational time_base = to_av(options.time_base);
  context->time_base = time_base;
  if (codec.id == AV_CODEC_ID_MPEG4 && time_base.den > MaxMpeg4Ticks) context->time_base = {1, MaxMpeg4Ticks};
  if (codec.id == AV_CODEC_ID_MPEG4) context->max_b_frames = 0;
  if (options.frame_rate.is_positive()) context->framerate = to_av(options.frame_rate);
  context->gop_size =
      is_lossless_only(codec) ? 1 : std::max(1, static_cast<int>(std::lround(GopSeconds * rate_of(options))));
  context->thread_count = options.threads;
  if (headers == CodecHeaders::InContainer) context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;

  const EncoderProfile* profile = find_encoder_profile(codec.name);
  if (profile != nullptr) {
    for (const auto& [key, value] : profile->options) {
      if (key == nullptr) continue;
      // "level" and "slices" belong to the AVCodecContext, the other options to its child, the encoder.
      av_opt_set(context.get(), key, value, AV_OPT_SEARCH_CHILDREN);
    }
  }
  if (!options.preset.empty() && av_opt_set(context->priv_data, "preset", options.preset.c_str(), 0) < 0) {
    return Error{ErrorCode::Usage,
                 fmt::format("The encoder {} has no preset {}; omit --preset, or see `ffmpeg -h encoder={}`.",
                             codec.name, options.preset, codec.name),
                 ""};
  }
  TRY(set_rate_control(*context, options, profile));
  if (const int code = avcodec_open2(context.get(), &codec, nullptr); code < 0) {
    const bool has_threads = encoder.device == AV_HWDEVICE_TYPE_NONE && options.threads != 1;
    if (has_threads) {  // retry: the system may lack resources for the encoder's threads
      WriterOptions alone = options;
      alone.threads = 1;
      return open(alone, encoder, headers);
    }
    return rejected(codec, options.size, code);
  }
  std::unique_ptr<VideoEncoder> opened(new VideoEncoder(std::move(context), time_base, encoder));
  const AVPixelFormat drawn =
      opened->format_ == PictureFormat::Yuv420p ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_BGR0;
  if (drawn != encoder.format) {
    TRY_ASSIGN(opened->converter_, make_converter(opened->context(), drawn, encoder.format));
  }
  return opened;
}

Error VideoEncoder::failure(int averror) const {
  return av_failure(ErrorCode::Failed,
                    fmt::format("The encoder {} failed; choose a different --codec.", context_->codec->name),
                    averror);
}

/// Returns an empty frame in host memory with the encoder's format, size and colors.
FramePtr VideoEncoder::describe_frame() const {
  FramePtr frame = new_frame();
  frame->format = encoder_.format;
  frame->width = context_->width;
  frame->height = context_->height;
  frame->sample_aspect_ratio = context_->sample_aspect_ratio;
  frame->colorspace = context_->colorspace;
  frame->color_primaries = context_->color_primaries;
  frame->color_trc = context_->color_trc;
  frame->color_range = context_->color_range;
  frame->chroma_location = context_->chroma_sample_location;
  return frame;
}

/// Returns a frame that shares the picture's memory.
FramePtr VideoEncoder::wrap(Picture picture) const {
  FramePtr frame = describe_frame();
  for (std::size_t i = 0; i < picture.planes.size(); ++i) {
    frame->data[i] = reinterpret_cast<std::uint8_t*>(picture.planes[i]);
    frame->linesize[i] = picture.strides[i];
  }
  auto* bytes = reinterpret_cast<std::uint8_t*>(picture.block->bytes);
  const std::size_t size = picture.block->size;
  auto held = std::make_unique<std::shared_ptr<const HostBlock>>(std::move(picture.block));
  frame->buf[0] = checked(av_buffer_create(bytes, size, release_block, held.get(), AV_BUFFER_FLAG_READONLY));
  static_cast<void>(held.release());  // release_block() deletes `held`
  return frame;
}

/// Returns the drawn picture in the encoder's pixel format.
Result<FramePtr> VideoEncoder::convert(const Picture& picture) {
  FramePtr frame = describe_frame();
  if (const int code = av_frame_get_buffer(frame.get(), 0); code < 0) return failure(code);
  std::array<const std::uint8_t*, 3> planes{};
  for (std::size_t i = 0; i < planes.size(); ++i)
    planes[i] = reinterpret_cast<const std::uint8_t*>(picture.planes[i]);
  const int code = sws_scale(converter_.get(), planes.data(), picture.strides.data(), 0, context_->height,
                             frame->data, frame->linesize);
  if (code < 0) return failure(code);
  return frame;
}

/// Returns a copy of the frame in GPU memory.
Result<FramePtr> VideoEncoder::upload(FramePtr frame) const {
  FramePtr surface = new_frame();
  int code = av_hwframe_get_buffer(context_->hw_frames_ctx, surface.get(), 0);
  if (code >= 0) code = av_hwframe_transfer_data(surface.get(), frame.get(), 0);
  if (code >= 0) code = av_frame_copy_props(surface.get(), frame.get());
  if (code < 0) return failure(code);
  return surface;
}

Result<void> VideoEncoder::send(Picture picture, std::int64_t pts, std::int64_t duration) {
  CHECK(picture.format == format_ && picture.size == (Extent{context_->width, context_->height}),
        "the picture's format or size differs from the encoder's");
  CHECK(picture.block != nullptr, "a picture without memory");
  std::int64_t encoder_pts = av_rescale_q(pts, time_base_, context_->time_base);
  // If the encoder's ticks are coarser than the source's, the times of consecutive pictures may round to the
  // same tick, but the encoder needs increasing times.
  if (last_encoder_pts_) encoder_pts = std::max(encoder_pts, *last_encoder_pts_ + 1);
  last_encoder_pts_ = encoder_pts;
  in_flight_[encoder_pts] = {pts, duration};
  ++frames_sent_;

  FramePtr frame;
  if (converter_ != nullptr) {
    TRY_ASSIGN(frame, convert(picture));
  } else {
    frame = wrap(std::move(picture));
  }
  frame->pts = encoder_pts;
  // Count the copy to the GPU. Encoders that receive frames in host memory make this copy themselves.
  if ((context_->codec->capabilities & AV_CODEC_CAP_HARDWARE) != 0) {
    bytes_copied_ += static_cast<std::uint64_t>(
        av_image_get_buffer_size(encoder_.format, context_->width, context_->height, 1));
  }
  if (encoder_.device != AV_HWDEVICE_TYPE_NONE) {
    TRY_ASSIGN(frame, upload(std::move(frame)));
  }
  const int code = avcodec_send_frame(context_.get(), frame.get());
  if (code < 0) return failure(code);
  return {};
}

Result<void> VideoEncoder::end() {
  is_ended_ = true;
  const int code = avcodec_send_frame(context_.get(), nullptr);
  if (code < 0 && code != AVERROR_EOF) return failure(code);
  return {};
}

Result<PacketPtr> VideoEncoder::receive() {
  PacketPtr packet = new_packet();
  const int code = avcodec_receive_packet(context_.get(), packet.get());
  if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return PacketPtr();
  if (code < 0) return failure(code);
  const bool is_same_clock = av_cmp_q(context_->time_base, time_base_) == 0;
  const auto found = in_flight_.find(packet->pts);
  if (found != in_flight_.end()) {
    // An encoder with its own time base has no B-frames (see open()), so the decoding order is the
    // presentation order.
    if (!is_same_clock) packet->dts = found->second.pts;
    packet->pts = found->second.pts;
    packet->duration = found->second.duration;
    // If a stream has only one or two frames, libx265 leaves the dts uninitialized. Such frames are never
    // reordered, so the dts equals the pts.
    if (is_ended_ && frames_sent_ <= 2) packet->dts = packet->pts;
    in_flight_.erase(found);
  } else if (!is_same_clock) {
    av_packet_rescale_ts(packet.get(), context_->time_base, time_base_);
  }
  packet->time_base = time_base_;
  return packet;
}

}  // namespace glyphreel::media
