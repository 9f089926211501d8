#include "media/hwdec/hw_decode_plan.h"

#include <algorithm>
#include <array>

#include "base/geometry.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

// Chroma formats as flags; a set of formats is their sum.
constexpr unsigned Chroma420 = 1, Chroma422 = 2, Chroma444 = 4, ChromaNone = 8;
constexpr int AnyProfile = -99;  // FFmpeg's value for an unknown profile

/// The limits of an API's decoders for one codec. They are upper bounds: a given device may support less.
struct HwDecodeCaps {
  HwDecodeApi api = HwDecodeApi::Cuda;
  AVCodecID codec = AV_CODEC_ID_NONE;
  int max_bits = 8;     ///< per sample
  unsigned chroma = 0;  ///< a sum of Chroma420, Chroma422 ...
  Extent max_size;
  int only_profile = AnyProfile;  ///< the only supported profile (FFmpeg's number); AnyProfile: all profiles
};

constexpr Extent Sd{2048, 2048}, Hd{4096, 4096}, Uhd{8192, 8192}, Max{16384, 16384};
constexpr unsigned Any = Chroma420 | Chroma422 | Chroma444;

using enum HwDecodeApi;

// Sources of the sizes, bit depths and chroma formats: NVIDIA's decode support matrix up to Blackwell;
// Intel's and AMD's media drivers up to 2024.
constexpr auto Abilities = std::to_array<HwDecodeCaps>({
    {Cuda, AV_CODEC_ID_H264, 10, Chroma420 | Chroma422, Uhd},
    {Cuda, AV_CODEC_ID_HEVC, 12, Any | ChromaNone, Uhd},
    {Cuda, AV_CODEC_ID_AV1, 10, Chroma420 | ChromaNone, Uhd, 0},
    {Cuda, AV_CODEC_ID_VP9, 12, Chroma420, Uhd},
    {Cuda, AV_CODEC_ID_VP8, 8, Chroma420, Hd},
    {Cuda, AV_CODEC_ID_MPEG2VIDEO, 8, Chroma420, Hd},
    {Cuda, AV_CODEC_ID_MPEG1VIDEO, 8, Chroma420, Hd},
    {Cuda, AV_CODEC_ID_VC1, 8, Chroma420, Sd},
    {Vulkan, AV_CODEC_ID_H264, 8, Chroma420, Uhd},
    {Vulkan, AV_CODEC_ID_HEVC, 12, Any, Uhd},
    {Vulkan, AV_CODEC_ID_AV1, 10, Chroma420, Max, 0},
    {Vaapi, AV_CODEC_ID_H264, 8, Chroma420, Hd},
    {Vaapi, AV_CODEC_ID_HEVC, 12, Any | ChromaNone, Max},
    {Vaapi, AV_CODEC_ID_AV1, 10, Chroma420, Max, 0},
    {Vaapi, AV_CODEC_ID_VP9, 12, Chroma420 | Chroma444, Max},
    {Vaapi, AV_CODEC_ID_VP8, 8, Chroma420, Hd},
    {Vaapi, AV_CODEC_ID_MPEG2VIDEO, 8, Chroma420, Sd},
    {Vaapi, AV_CODEC_ID_VC1, 8, Chroma420, Hd},
});
static_assert(has_every_api(Abilities));

unsigned chroma_of(const AVPixFmtDescriptor& format) {
  if (format.nb_components < 3) return ChromaNone;
  if (format.log2_chroma_w == 1) return format.log2_chroma_h == 1 ? Chroma420 : Chroma422;
  return format.log2_chroma_w == 0 && format.log2_chroma_h == 0 ? Chroma444 : 0;
}

bool can(const HwDecodeCaps& ability, const AVCodecParameters& stream) {
  if (ability.codec != stream.codec_id) return false;
  if (stream.width > ability.max_size.width || stream.height > ability.max_size.height) return false;
  if (ability.only_profile != AnyProfile && stream.profile != AnyProfile &&
      stream.profile != ability.only_profile)
    return false;
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.format));
  if (format == nullptr) return true;
  // No hardware decoder supports alpha.
  if ((format->flags & AV_PIX_FMT_FLAG_ALPHA) != 0) return false;
  return format->comp[0].depth <= ability.max_bits && (chroma_of(*format) & ability.chroma) != 0;
}

}  // namespace

std::vector<HwDecodeApi> rank_hw_decoders(const AVCodecParameters& stream, HwDecodeChoice choice,
                                          RenderedBy rendered_by) {
  std::vector<HwDecodeApi> chain;
  for (const HwDecodeApiSpec& spec : HwDecodeApis) {
    const bool is_asked_for =
        choice == HwDecodeChoice::Auto ? rendered_by == RenderedBy::Gpu : choice == choice_of(spec.api);
    const bool fits = std::ranges::any_of(Abilities, [&](const HwDecodeCaps& ability) {
      return ability.api == spec.api && can(ability, stream);
    });
    if (is_asked_for && fits) chain.push_back(spec.api);
  }
  return chain;
}

}  // namespace glyphreel::media
