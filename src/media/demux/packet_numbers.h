#pragma once

#include <cstdint>

#include "media/ffmpeg/ffmpeg.h"

// Identifies the packet that a decoded frame comes from, whatever the decoder does with timestamps.

namespace glyphreel::media {

/// Returns the number of the packet that a frame comes from, see tag_packet(); negative if none was set.
[[nodiscard]] std::int64_t frame_number(const AVFrame& frame);
/// Makes the frame of the packet sent next carry `number`. The context must have enable_packet_ids().
void tag_packet(AVCodecContext& context, AVPacket& packet, std::int64_t number);
/// Call before the context is opened.
void enable_packet_ids(AVCodecContext& context);

}  // namespace glyphreel::media
