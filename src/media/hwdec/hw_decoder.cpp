#include "media/hwdec/hw_decoder.h"

#include <fmt/format.h>

#include "media/demux/packet_numbers.h"
#include "media/frame/pixel_layout.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_decode_choice.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

/// More than this many damaged packets in a row count as a hardware failure, as in mpv.
constexpr int MaxDamagedInARow = 2;
/// Number of surfaces needed in addition to the surfaces that consumers hold: one for the frame that a seek
/// found, one for the frame before it, and one for a frame that is being passed to a consumer.
constexpr int FramesInTransit = 3;

}  // namespace

Result<std::unique_ptr<HwDecoder>> HwDecoder::begin(HwDecodeBackend& calls, HwDecodeApi decoder,
                                                    const AVCodecParameters& parameters, AVRational time_base,
                                                    RequestMode mode) {
  using OnUnreadable = FrameFailures::OnUnreadable;
  std::unique_ptr<HwDecoder> self(new HwDecoder(
      calls, decoder, mode == RequestMode::AnyApi ? OnUnreadable::Replace : OnUnreadable::Download));
  const char* codec_name = avcodec_get_name(parameters.codec_id);
  const AVCodec* codec = calls.find_codec(parameters.codec_id, decoder);
  if (codec == nullptr) {
    return Error{ErrorCode::Failed,
                 fmt::format("This FFmpeg has no {} decoder for {}.", spec_of(decoder).title, codec_name),
                 {}};
  }
  TRY_ASSIGN(self->device_, calls.make_device(decoder));
  self->context_ = new_decoder(*codec, parameters, time_base);
  AVCodecContext& context = *self->context_;
  // With one thread, errors belong to the packet just sent. More threads would gain nothing, since the
  // hardware runs in parallel anyway.
  context.thread_count = 1;
  context.hwaccel_flags |= AV_HWACCEL_FLAG_IGNORE_LEVEL | HoldsFewSurfaces;
  context.extra_hw_frames = MaxHeldSurfaces + FramesInTransit;
  context.opaque = self.get();
  context.get_format = get_format;
  enable_packet_ids(context);
  if (const int code = avcodec_open2(&context, codec, nullptr); code < 0) {
    return av_failure(ErrorCode::Failed, fmt::format("FFmpeg's decoder {} cannot be opened.", codec->name),
                      code);
  }
  return self;
}

std::string HwDecoder::description() const {
  return fmt::format("{} (libavcodec {})", spec_of(decoder_).title, context_->codec->name);
}

AVPixelFormat HwDecoder::get_format(AVCodecContext* context, const AVPixelFormat* offered) {
  return static_cast<HwDecoder*>(context->opaque)->prepare_frames(*context, offered);
}

/// Chooses the format and allocates the frames. On failure, returns NONE, so that FFmpeg rejects the packet,
/// and sets failure_, so that the caller abandons this decoder.
AVPixelFormat HwDecoder::prepare_frames(AVCodecContext& context, const AVPixelFormat* offered) {
  if (failure_) return AV_PIX_FMT_NONE;
  const AVPixelFormat format = calls_.choose_format(decoder_, offered);
  if (format == AV_PIX_FMT_NONE) {
    failure_ =
        agreed_ != AV_PIX_FMT_NONE
            ? fmt::format("{} does not support this video: {}x{} pixels, profile {}.",
                          spec_of(decoder_).title, context.coded_width, context.coded_height, context.profile)
            : fmt::format("FFmpeg does not offer {} for this video's pixel format.", spec_of(decoder_).title);
    return AV_PIX_FMT_NONE;
  }
  agreed_ = format;
  BufferRef frames;
  if (const int code = calls_.frames_parameters(context, decoder_, device_.get(), format, frames); code < 0) {
    failure_ = fmt::format("{} cannot decode this video at {}x{} pixels: {}.", spec_of(decoder_).title,
                           context.coded_width, context.coded_height, av_text(code));
    return AV_PIX_FMT_NONE;
  }
  if (const int code = calls_.init_frames(frames.get()); code < 0) {
    failure_ = fmt::format("Memory for {} frames could not be allocated: {}.", spec_of(decoder_).title,
                           av_text(code));
    return AV_PIX_FMT_NONE;
  }
  av_buffer_unref(&context.hw_frames_ctx);
  context.hw_frames_ctx = frames.release();
  return format;
}

int HwDecoder::receive(AVFrame& frame) {
  const int code = classify_error(calls_.receive(*context_, frame));
  if (code < 0) return code;
  failures_in_a_row_ = 0;
  if (!is_hardware(frame)) {
    av_frame_unref(&frame);
    failure_ = fmt::format("FFmpeg decodes this video in software, not with {}.", spec_of(decoder_).title);
    return AVERROR(ENOSYS);
  }
  report_failures_to(frame_failures_, frame);
  if (layout_of(software_format(frame))) return code;
  // PixelLayout cannot describe this format, so no GPU can read the frame.
  const char* format = av_get_pix_fmt_name(software_format(frame));
  if (frame_failures_->report_unreadable(
          fmt::format("{} decodes this video to {}, which the GPU cannot read.", spec_of(decoder_).title,
                      format != nullptr ? format : "an unknown format"))) {
    av_frame_unref(&frame);
    return AVERROR(ENOSYS);
  }
  // Download the frame, to be converted on the host.
  const int copied = copy_to_host(frame);
  if (copied < 0) note_lost_frame(av_text(copied));
  return copied;
}

const std::optional<std::string>& HwDecoder::failure() {
  if (failure_) return failure_;
  if (const std::optional<std::string> cause = frame_failures_->download_cause()) {
    note_lost_frame(*cause);
  } else {
    failure_ = frame_failures_->unreadable_reason();
  }
  return failure_;
}

void HwDecoder::note_lost_frame(const std::string& cause) {
  failure_ = fmt::format("A frame cannot be downloaded from {}: {}.", spec_of(decoder_).title, cause);
}

/// Sets failure_ if `code` means that the hardware failed. FFmpeg reports a damaged packet as INVALIDDATA;
/// more than MaxDamagedInARow such errors in a row, and all other errors, count as failures of the hardware.
int HwDecoder::classify_error(int code) {
  if (code >= 0 || code == AVERROR(EAGAIN) || code == AVERROR_EOF || failure_) return code;
  if (code == AVERROR_INVALIDDATA && ++failures_in_a_row_ <= MaxDamagedInARow) return code;
  failure_ = fmt::format("{} failed: {}.", spec_of(decoder_).title, av_text(code));
  return code;
}

void HwDecoder::flush() {
  avcodec_flush_buffers(context_.get());
  failures_in_a_row_ = 0;
}

}  // namespace glyphreel::media
