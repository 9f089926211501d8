#include "media/hwdec/software_redecoder.h"

#include <fmt/format.h>

#include <utility>

#include "media/demux/packet_numbers.h"

namespace glyphreel::media {

SoftwareRedecoder::SoftwareRedecoder(const AVCodec& codec, const AVCodecParameters& parameters,
                                     AVRational time_base)
    : codec_(codec), parameters_(copy_of(parameters)), time_base_(time_base) {}

Result<FramePtr> SoftwareRedecoder::decode(const DecodeRange& recipe) {
  const Error failure{
      ErrorCode::Failed, "A frame lost by the hardware decoder cannot be decoded again: try --hwdec no.", {}};
  if (!recipe.first) return failure;
  const std::lock_guard lock(decoding_);
  const bool is_ahead = context_ != nullptr && !is_drained_ && sent_ != nullptr &&
                        sent_->number >= recipe.first->number && sent_->number <= recipe.last;
  if (is_ahead) {
    if (FramePtr found = find(recipe)) return found;
  }
  TRY(begin());
  if (FramePtr found = find(recipe)) return found;
  return failure;
}

Result<void> SoftwareRedecoder::begin() {
  sent_.reset();
  is_drained_ = false;
  if (context_ != nullptr) {
    avcodec_flush_buffers(context_.get());
    return {};
  }
  CodecContextPtr context = new_decoder(codec_, *parameters_, time_base_);
  // More threads would delay frames, and every request would then decode all delayed frames to the end.
  context->thread_count = 1;
  context->flags |= AV_CODEC_FLAG_UNALIGNED;
  enable_packet_ids(*context);
  if (const int code = avcodec_open2(context.get(), &codec_, nullptr); code < 0) {
    return av_failure(ErrorCode::Failed, fmt::format("FFmpeg's {} cannot be opened.", codec_.name), code);
  }
  context_ = std::move(context);
  return {};
}

FramePtr SoftwareRedecoder::find(const DecodeRange& recipe) {
  FramePtr frame = new_frame();
  for (;;) {
    const int code = avcodec_receive_frame(context_.get(), frame.get());
    if (code == 0) {
      if (frame_number(*frame) == recipe.number && frame->pts == recipe.pts) return frame;
    } else if (code == AVERROR_EOF || !send_next(recipe)) {  // codes other than EAGAIN: damaged packets
      return nullptr;
    }
  }
}

bool SoftwareRedecoder::send_next(const DecodeRange& recipe) {
  if (is_drained_) return false;
  // Another thread may be writing `next` of the last packet, so it is not read.
  std::shared_ptr<const PacketHistory::Entry> entry;
  if (sent_ == nullptr) {
    entry = recipe.first;
  } else if (sent_->number < recipe.last) {
    entry = sent_->next;
  }
  if (entry == nullptr) {
    is_drained_ = true;
    (void)avcodec_send_packet(context_.get(), nullptr);
    return true;
  }
  context_->skip_frame = entry->is_skippable ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
  const PacketPtr numbered(av_packet_clone(entry->packet.get()));
  check_memory(numbered != nullptr);
  tag_packet(*context_, *numbered, entry->number);
  (void)avcodec_send_packet(context_.get(), numbered.get());
  sent_ = std::move(entry);
  return true;
}

void SoftwareRedecoder::report_loss(std::string cause) {
  const std::lock_guard lock(reporting_);
  if (!loss_) loss_ = std::move(cause);
  is_lost_ = true;
}

std::optional<std::string> SoftwareRedecoder::loss() const {
  if (!is_lost_) return std::nullopt;
  const std::lock_guard lock(reporting_);
  return loss_;
}

void SoftwareRedecoder::keep(std::shared_ptr<const void> memory) {
  const std::lock_guard lock(reporting_);
  kept_.push_back(std::move(memory));
}

void attach_origin(AVFrame& frame, DecodeOrigin origin) {
  auto* kept = new DecodeOrigin(std::move(origin));
  av_buffer_unref(&frame.opaque_ref);
  frame.opaque_ref = av_buffer_create(
      reinterpret_cast<std::uint8_t*>(kept), sizeof *kept,
      [](void* opaque, std::uint8_t*) { delete static_cast<DecodeOrigin*>(opaque); }, kept,
      AV_BUFFER_FLAG_READONLY);
  check_memory(frame.opaque_ref != nullptr);
}

const DecodeOrigin* origin_of(const AVFrame& frame) {
  return frame.opaque_ref != nullptr ? reinterpret_cast<const DecodeOrigin*>(frame.opaque_ref->data)
                                     : nullptr;
}

}  // namespace glyphreel::media
