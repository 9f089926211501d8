#pragma once

#include <span>
#include <vector>

#include "base/geometry.h"
#include "media/hwdec/hw_device_provider.h"
#include "media/hwdec/hw_decode_choice.h"

namespace glyphreel::media {

inline constexpr int AnyProfile = -99;  ///< FFmpeg's "unknown"

/// What a stream requires of a decoder, as far as its headers say.
struct StreamRequirements {
  AVCodecID codec = AV_CODEC_ID_NONE;
  int profile = AnyProfile;                ///< FFmpeg's number
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< NONE: unknown
  Extent size;                             ///< pixels
};
[[nodiscard]] StreamRequirements needs_of(const AVCodecParameters& parameters);

/// What the devices of an API can decode of a codec: an upper bound, which a given device may not reach.
struct HwDecodeCaps {
  HwDecodeApi api = HwDecodeApi::Cuda;
  AVCodecID codec = AV_CODEC_ID_NONE;
  int max_bits = 8;               ///< per sample
  unsigned chroma = 0;            ///< formats: a sum of Chroma420 and so on
  Extent max_size;                ///< pixels
  int only_profile = AnyProfile;  ///< FFmpeg's number
};
/// Chroma formats; a set of them is their sum.
inline constexpr unsigned Chroma420 = 1, Chroma422 = 2, Chroma444 = 4, ChromaNone = 8;

/// Returns the most that FFmpeg supports and current drivers can decode.
[[nodiscard]] std::span<const HwDecodeCaps> hardware_abilities();

/// Returns the hardware decoders to try for a stream, in order, before the CPU. Empty: none.
[[nodiscard]] std::vector<HwDecodeApi> rank_hw_decoders(const StreamRequirements& needs,
                                                        std::span<const HwDecodeCaps> abilities,
                                                        HwDecodeChoice choice, RenderedBy drawn_by);

}  // namespace glyphreel::media
