#pragma once

#include <cstdint>

#include "media/ffmpeg/ffmpeg.h"

// Functions that identify the packet of a decoded frame even if the decoder changes timestamps.

namespace glyphreel::media {

/// Returns the number of the packet from which a frame was decoded, see tag_packet(); negative if none was
/// set.
[[nodiscard]] std::int64_t frame_number(const AVFrame& frame);
/// Sets the number that frame_number() will return for the frame of `packet`. Call directly before sending
/// `packet` to `context`, which must have been passed to enable_packet_ids().
void tag_packet(AVCodecContext& context, AVPacket& packet, std::int64_t number);
/// Makes the decoder copy packet numbers to frames. Call before the context is opened.
void enable_packet_ids(AVCodecContext& context);

}  // namespace glyphreel::media
