#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "media/hardware_devices.h"
#include "media/source.h"

namespace glyphreel::media {

/// Fastest first. NVIDIA's own interface leads where it is there at all: it fails within microseconds
/// elsewhere, decodes most codecs, and its copy on the device costs less than a frame's sampling. Vulkan's
/// frames are drawn where they were decoded, and the GPU alone waits for them. VAAPI's are imported, with a
/// wait for each on the processor.
inline constexpr std::array HardwareOrder = {HardwareDecoder::Cuda, HardwareDecoder::Vulkan,
                                             HardwareDecoder::Vaapi};

/// What a stream asks of a decoder, as far as its headers tell it.
struct StreamNeeds {
  AVCodecID codec = AV_CODEC_ID_NONE;
  int profile = -99;                       ///< FFmpeg's number; -99 (its "unknown"): any
  int level = -99;                         ///< the same
  AVPixelFormat format = AV_PIX_FMT_NONE;  ///< NONE: unknown
  Extent size;                             ///< pixels
};
[[nodiscard]] StreamNeeds needs_of(const AVCodecParameters& parameters);

/// What some device of a kind can decode of a codec: more than any one of them may.
struct HardwareAbility {
  HardwareDecoder decoder = HardwareDecoder::Cuda;
  AVCodecID codec = AV_CODEC_ID_NONE;
  int most_bits = 8;         ///< of a sample
  unsigned shapes = 0;       ///< Chroma420 and so on
  Extent most;               ///< pixels
  int only_profile = -99;    ///< -99: any
  int most_level = 1 << 20;  ///< FFmpeg's number
};
/// Sets of them are sums.
inline constexpr unsigned Chroma420 = 1, Chroma422 = 2, Chroma444 = 4, ChromaNone = 8;

/// What FFmpeg knows how to ask for, and drivers of today at best can.
[[nodiscard]] std::span<const HardwareAbility> hardware_abilities();

/// Who shall try to decode a stream, one after the other, before the processor does. Empty: nobody.
[[nodiscard]] std::vector<HardwareDecoder> plan_hardware(const StreamNeeds& needs,
                                                         std::span<const HardwareAbility> abilities,
                                                         HardwareChoice choice, DrawnBy drawn_by);

/// "vaapi", "cuda", "vulkan": the value of --hwdec.
[[nodiscard]] std::string_view hardware_name(HardwareDecoder decoder);
/// "VAAPI", "NVDEC", "Vulkan Video".
[[nodiscard]] std::string_view hardware_title(HardwareDecoder decoder);

}  // namespace glyphreel::media
