#include "media/encode/adts_filter.h"

extern "C" {
#include <libavcodec/bsf.h>
}

namespace glyphreel::media {

bool AdtsFilter::is_needed(const AVCodecParameters& parameters) {
  return parameters.codec_id == AV_CODEC_ID_AAC && parameters.extradata_size == 0;
}

Result<std::unique_ptr<AdtsFilter>> AdtsFilter::open(const AudioStream& stream) {
  const AVBitStreamFilter* filter = av_bsf_get_by_name("aac_adtstoasc");
  if (filter == nullptr) {
    return Error{ErrorCode::Failed, "This FFmpeg cannot copy AAC from transport streams: use --audio no.",
                 ""};
  }
  std::unique_ptr<AdtsFilter> opened(new AdtsFilter());
  check_memory(av_bsf_alloc(filter, &opened->context_) >= 0);
  check_memory(avcodec_parameters_copy(opened->context_->par_in, stream.parameters.get()) >= 0);
  opened->context_->time_base_in = stream.time_base;
  if (const int code = av_bsf_init(opened->context_); code < 0) {
    return av_failure(ErrorCode::Failed, "The sound cannot be copied: use --audio no.", code);
  }
  return opened;
}

AdtsFilter::~AdtsFilter() {
  av_bsf_free(&context_);
}

PacketPtr AdtsFilter::unwrap(PacketPtr packet) {
  // Each packet yields at most one, so nothing is buffered. An empty packet would end the filter's stream.
  if (packet->size == 0) return nullptr;
  if (av_bsf_send_packet(context_, packet.get()) < 0) return nullptr;
  if (av_bsf_receive_packet(context_, packet.get()) < 0) return nullptr;
  return packet;
}

}  // namespace glyphreel::media
