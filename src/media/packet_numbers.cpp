#include "media/packet_numbers.h"

namespace glyphreel::media {

#if GLYPHREEL_AV_COPY_OPAQUE
std::int64_t frame_number(const AVFrame& frame) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(frame.opaque)) - 1;
}
void give_number(AVCodecContext&, AVPacket& packet, std::int64_t number) {
  packet.opaque = reinterpret_cast<void*>(static_cast<std::intptr_t>(number + 1));
}
void let_numbers_pass(AVCodecContext& context) {
  context.flags |= AV_CODEC_FLAG_COPY_OPAQUE;
}
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::int64_t frame_number(const AVFrame& frame) {
  return frame.reordered_opaque;
}
void give_number(AVCodecContext& context, AVPacket&, std::int64_t number) {
  context.reordered_opaque = number;
}
#pragma GCC diagnostic pop
void let_numbers_pass(AVCodecContext&) {}
#endif

}  // namespace glyphreel::media
