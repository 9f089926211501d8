#pragma once

#include <cstdint>

#include "media/ffmpeg.h"

// Which packet a decoded frame comes of, whatever the decoder does with timestamps.

namespace glyphreel::media {

/// The number of the packet that a frame comes of, see give_number(); negative: none was given.
[[nodiscard]] std::int64_t frame_number(const AVFrame& frame);
/// Has the frame of the packet sent next carry `number`. The context has let_numbers_pass().
void give_number(AVCodecContext& context, AVPacket& packet, std::int64_t number);
/// Before the context is opened.
void let_numbers_pass(AVCodecContext& context);

}  // namespace glyphreel::media
