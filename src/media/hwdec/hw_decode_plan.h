#pragma once

#include <vector>

#include "media/hwdec/hw_decode_choice.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::media {

/// Returns the hardware decoders to try for a stream, in order, before the CPU; empty if there are none.
/// `stream` has the parameters that the stream's headers declare.
[[nodiscard]] std::vector<HwDecodeApi> rank_hw_decoders(const AVCodecParameters& stream,
                                                        HwDecodeChoice choice, RenderedBy rendered_by);

}  // namespace glyphreel::media
