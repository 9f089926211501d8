#include "media/hwdec/hw_decoder_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/io/log.h"
#include "media/hwdec/hw_decode_plan.h"

namespace glyphreel::media {
namespace {

constexpr const char* InterlacedReason = "Interlaced video is decoded and deinterlaced on the CPU.";

}  // namespace

HwDecoderChain::~HwDecoderChain() {
  if (current_ && current_->failure()) backend_->discard_device(current_->decoder());
}

bool HwDecoderChain::plan(bool fits) {
  is_planned_ = true;
  const HwDecodeContext context =
      options_.hardware != nullptr ? options_.hardware->context().value() : HwDecodeContext{};
  // AV_FIELD_UNKNOWN and AV_FIELD_PROGRESSIVE are the first two values of the enum; the rest mean interlaced.
  const bool is_unfit = !options_.supports_interlaced && parameters_.field_order > AV_FIELD_PROGRESSIVE;
  if (fits && !is_unfit) {
    candidates_ = rank_hw_decoders(parameters_, options_.choice, context.rendered_by);
    std::reverse(candidates_.begin(), candidates_.end());
  }
  if (candidates_.empty()) {
    if (options_.choice != HwDecodeChoice::Auto) report_no_candidate(is_unfit);
    return false;
  }
  backend_ = options_.backend;
  if (backend_ == nullptr) {
    own_backend_ = make_hw_decode_backend(context.devices, mode());
    backend_ = own_backend_.get();
  }
  return true;
}

/// Reports why the hardware API that the user requested by name is not tried.
void HwDecoderChain::report_no_candidate(bool is_interlaced) const {
  const HwDecodeApiSpec& spec = *std::ranges::find_if(
      HwDecodeApis, [this](const HwDecodeApiSpec& each) { return choice_of(each.api) == options_.choice; });
  report_fallback(spec.api,
                  is_interlaced ? InterlacedReason
                                : fmt::format("{} cannot decode this kind of {} video.", spec.title,
                                              avcodec_get_name(parameters_.codec_id)),
                  "Falling back to the CPU.", true);
}

void HwDecoderChain::report_fallback(HwDecodeApi from, const std::string& reason, const std::string& next,
                                     bool is_visible) const {
  const bool is_new =
      options_.report == nullptr || options_.report->add_fallback(std::string(spec_of(from).name), reason);
  if (is_new && is_visible)
    log::warn("{} {}", reason, next);
  else
    log::debug("{} {}", reason, next);
}

void HwDecoderChain::advance(bool has_frames, std::string_view consequence) {
  std::optional<HwDecodeApi> failed;
  std::string reason;
  // Users who did not request hardware decoding need not know that their machine lacks it.
  const bool matters = (current_ != nullptr && has_frames) || options_.choice != HwDecodeChoice::Auto;
  if (current_) {
    failed = current_->decoder();
    reason = current_->failure().value_or("");
    // Discard the device before the decoder, so that the decoder's reference to the device is the last one.
    backend_->discard_device(*failed);
    current_.reset();
  }
  const auto say = [&](std::string_view next) {
    if (failed)
      report_fallback(*failed, reason, fmt::format("Falling back to {}.{}", next, consequence), matters);
  };
  while (!current_ && !candidates_.empty()) {
    const HwDecodeApi next = candidates_.back();
    candidates_.pop_back();
    say(spec_of(next).title);
    auto begun = HwDecoder::begin(*backend_, next, parameters_, time_base_, mode());
    if (begun) {
      current_ = *std::move(begun);
      if (options_.report != nullptr) options_.report->set_decoder(std::string(spec_of(next).name));
    } else {
      failed = next;
      reason = begun.error().message;
      backend_->discard_device(next);
    }
  }
  if (!current_) say("the CPU");
}

bool HwDecoderChain::refuses(const AVFrame& frame) {
  if (options_.supports_interlaced || !is_interlaced(frame)) return false;
  current_->give_up(InterlacedReason);
  candidates_.clear();
  return true;
}

}  // namespace glyphreel::media
