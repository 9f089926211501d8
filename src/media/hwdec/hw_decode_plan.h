#pragma once

#include <vector>

#include "media/hwdec/hw_device_provider.h"
#include "media/hwdec/hw_decode_choice.h"

namespace glyphreel::media {

/// Returns the hardware decoders to try for a stream, as far as its headers describe it, in order, before the
/// CPU. Empty: none.
[[nodiscard]] std::vector<HwDecodeApi> rank_hw_decoders(const AVCodecParameters& stream,
                                                        HwDecodeChoice choice, RenderedBy drawn_by);

}  // namespace glyphreel::media
