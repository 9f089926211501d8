#include "media/demux/packet_numbers.h"

namespace glyphreel::media {

#if GLYPHREEL_AV_COPY_OPAQUE
std::int64_t frame_number(const AVFrame& frame) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(frame.opaque)) - 1;
}
void tag_packet(AVCodecContext&, AVPacket& packet, std::int64_t number) {
  packet.opaque = reinterpret_cast<void*>(static_cast<std::intptr_t>(number + 1));
}
void enable_packet_ids(AVCodecContext& context) {
  context.flags |= AV_CODEC_FLAG_COPY_OPAQUE;
}
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
std::int64_t frame_number(const AVFrame& frame) {
  return frame.reordered_opaque;
}
void tag_packet(AVCodecContext& context, AVPacket&, std::int64_t number) {
  context.reordered_opaque = number;
}
#pragma GCC diagnostic pop
void enable_packet_ids(AVCodecContext&) {}
#endif

}  // namespace glyphreel::media
