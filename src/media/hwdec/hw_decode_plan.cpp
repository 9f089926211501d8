#include "media/hwdec/hw_decode_plan.h"

#include <algorithm>
#include <array>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

constexpr int UnknownValue = -99;
constexpr Extent Sd{2048, 2048}, Hd{4096, 4096}, Uhd{8192, 8192}, Most{16384, 16384};
constexpr unsigned Any = Chroma420 | Chroma422 | Chroma444;

using enum HwDecodeApi;

// Sources of the sizes, bit depths and chroma formats: NVIDIA's decode support matrix up to Blackwell;
// Intel's and AMD's media drivers up to 2024.
constexpr auto Abilities = std::to_array<HwDecodeCaps>({
    {.api = Cuda, .codec = AV_CODEC_ID_H264, .most_bits = 10, .shapes = Chroma420 | Chroma422, .most = Uhd},
    {.api = Cuda, .codec = AV_CODEC_ID_HEVC, .most_bits = 12, .shapes = Any | ChromaNone, .most = Uhd},
    {.api = Cuda,
     .codec = AV_CODEC_ID_AV1,
     .most_bits = 10,
     .shapes = Chroma420 | ChromaNone,
     .most = Uhd,
     .only_profile = 0},
    {.api = Cuda, .codec = AV_CODEC_ID_VP9, .most_bits = 12, .shapes = Chroma420, .most = Uhd},
    {.api = Cuda, .codec = AV_CODEC_ID_VP8, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.api = Cuda, .codec = AV_CODEC_ID_MPEG2VIDEO, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.api = Cuda, .codec = AV_CODEC_ID_MPEG1VIDEO, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.api = Cuda, .codec = AV_CODEC_ID_VC1, .most_bits = 8, .shapes = Chroma420, .most = Sd},
    {.api = Vulkan, .codec = AV_CODEC_ID_H264, .most_bits = 8, .shapes = Chroma420, .most = Uhd},
    {.api = Vulkan, .codec = AV_CODEC_ID_HEVC, .most_bits = 12, .shapes = Any, .most = Uhd},
    {.api = Vulkan,
     .codec = AV_CODEC_ID_AV1,
     .most_bits = 10,
     .shapes = Chroma420,
     .most = Most,
     .only_profile = 0},
    {.api = Vaapi, .codec = AV_CODEC_ID_H264, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.api = Vaapi, .codec = AV_CODEC_ID_HEVC, .most_bits = 12, .shapes = Any | ChromaNone, .most = Most},
    {.api = Vaapi,
     .codec = AV_CODEC_ID_AV1,
     .most_bits = 10,
     .shapes = Chroma420,
     .most = Most,
     .only_profile = 0},
    {.api = Vaapi, .codec = AV_CODEC_ID_VP9, .most_bits = 12, .shapes = Chroma420 | Chroma444, .most = Most},
    {.api = Vaapi, .codec = AV_CODEC_ID_VP8, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.api = Vaapi, .codec = AV_CODEC_ID_MPEG2VIDEO, .most_bits = 8, .shapes = Chroma420, .most = Sd},
    {.api = Vaapi, .codec = AV_CODEC_ID_VC1, .most_bits = 8, .shapes = Chroma420, .most = Hd},
});
static_assert(has_every_api(Abilities));

unsigned shape_of(const AVPixFmtDescriptor& format) {
  if (format.nb_components < 3) return ChromaNone;
  if (format.log2_chroma_w == 1) return format.log2_chroma_h == 1 ? Chroma420 : Chroma422;
  return format.log2_chroma_w == 0 && format.log2_chroma_h == 0 ? Chroma444 : 0;
}

bool can(const HwDecodeCaps& ability, const StreamRequirements& needs) {
  if (ability.codec != needs.codec) return false;
  if (needs.size.width > ability.most.width || needs.size.height > ability.most.height) return false;
  if (ability.only_profile != UnknownValue && needs.profile != UnknownValue &&
      needs.profile != ability.only_profile)
    return false;
  if (needs.level != UnknownValue && needs.level > ability.most_level) return false;
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(needs.format);
  if (format == nullptr) return true;
  // No hardware decoder supports alpha.
  if ((format->flags & AV_PIX_FMT_FLAG_ALPHA) != 0) return false;
  return format->comp[0].depth <= ability.most_bits && (shape_of(*format) & ability.shapes) != 0;
}

}  // namespace

StreamRequirements needs_of(const AVCodecParameters& parameters) {
  return {.codec = parameters.codec_id,
          .profile = parameters.profile,
          .level = parameters.level,
          .format = static_cast<AVPixelFormat>(parameters.format),
          .size = {parameters.width, parameters.height}};
}

std::span<const HwDecodeCaps> hardware_abilities() {
  return Abilities;
}

std::vector<HwDecodeApi> rank_hw_decoders(const StreamRequirements& needs,
                                          std::span<const HwDecodeCaps> abilities, HwDecodeChoice choice,
                                          RenderedBy drawn_by) {
  std::vector<HwDecodeApi> chain;
  for (const HwDecodeApiSpec& spec : HwDecodeApis) {
    const bool is_asked_for =
        choice == HwDecodeChoice::Auto ? drawn_by == RenderedBy::Gpu : choice == only(spec.api);
    const bool fits = std::ranges::any_of(abilities, [&](const HwDecodeCaps& ability) {
      return ability.api == spec.api && can(ability, needs);
    });
    if (is_asked_for && fits) chain.push_back(spec.api);
  }
  return chain;
}

}  // namespace glyphreel::media
