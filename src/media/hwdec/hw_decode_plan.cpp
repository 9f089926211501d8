#include "media/hwdec/hw_decode_plan.h"

#include <algorithm>
#include <array>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

constexpr int Unknown = -99;
constexpr Extent Sd{2048, 2048}, Hd{4096, 4096}, Uhd{8192, 8192}, Most{16384, 16384};
constexpr unsigned Any = Chroma420 | Chroma422 | Chroma444;

using enum HwDecodeApi;

// Sources of the sizes, bit depths and chroma formats: NVIDIA's decode support matrix up to Blackwell;
// Intel's and AMD's media drivers up to 2024.
constexpr auto Abilities = std::to_array<HwDecodeCaps>({
    {.decoder = Cuda,
     .codec = AV_CODEC_ID_H264,
     .most_bits = 10,
     .shapes = Chroma420 | Chroma422,
     .most = Uhd},
    {.decoder = Cuda, .codec = AV_CODEC_ID_HEVC, .most_bits = 12, .shapes = Any | ChromaNone, .most = Uhd},
    {.decoder = Cuda,
     .codec = AV_CODEC_ID_AV1,
     .most_bits = 10,
     .shapes = Chroma420 | ChromaNone,
     .most = Uhd,
     .only_profile = 0},
    {.decoder = Cuda, .codec = AV_CODEC_ID_VP9, .most_bits = 12, .shapes = Chroma420, .most = Uhd},
    {.decoder = Cuda, .codec = AV_CODEC_ID_VP8, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.decoder = Cuda, .codec = AV_CODEC_ID_MPEG2VIDEO, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.decoder = Cuda, .codec = AV_CODEC_ID_MPEG1VIDEO, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.decoder = Cuda, .codec = AV_CODEC_ID_VC1, .most_bits = 8, .shapes = Chroma420, .most = Sd},
    {.decoder = Vulkan, .codec = AV_CODEC_ID_H264, .most_bits = 8, .shapes = Chroma420, .most = Uhd},
    {.decoder = Vulkan, .codec = AV_CODEC_ID_HEVC, .most_bits = 12, .shapes = Any, .most = Uhd},
    {.decoder = Vulkan,
     .codec = AV_CODEC_ID_AV1,
     .most_bits = 10,
     .shapes = Chroma420,
     .most = Most,
     .only_profile = 0},
    {.decoder = Vaapi, .codec = AV_CODEC_ID_H264, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.decoder = Vaapi, .codec = AV_CODEC_ID_HEVC, .most_bits = 12, .shapes = Any | ChromaNone, .most = Most},
    {.decoder = Vaapi,
     .codec = AV_CODEC_ID_AV1,
     .most_bits = 10,
     .shapes = Chroma420,
     .most = Most,
     .only_profile = 0},
    {.decoder = Vaapi,
     .codec = AV_CODEC_ID_VP9,
     .most_bits = 12,
     .shapes = Chroma420 | Chroma444,
     .most = Most},
    {.decoder = Vaapi, .codec = AV_CODEC_ID_VP8, .most_bits = 8, .shapes = Chroma420, .most = Hd},
    {.decoder = Vaapi, .codec = AV_CODEC_ID_MPEG2VIDEO, .most_bits = 8, .shapes = Chroma420, .most = Sd},
    {.decoder = Vaapi, .codec = AV_CODEC_ID_VC1, .most_bits = 8, .shapes = Chroma420, .most = Hd},
});

unsigned shape_of(const AVPixFmtDescriptor& format) {
  if (format.nb_components < 3) return ChromaNone;
  if (format.log2_chroma_w == 1) return format.log2_chroma_h == 1 ? Chroma420 : Chroma422;
  return format.log2_chroma_w == 0 && format.log2_chroma_h == 0 ? Chroma444 : 0;
}

bool can(const HwDecodeCaps& ability, const StreamRequirements& needs) {
  if (ability.codec != needs.codec) return false;
  if (needs.size.width > ability.most.width || needs.size.height > ability.most.height) return false;
  if (ability.only_profile != Unknown && needs.profile != Unknown && needs.profile != ability.only_profile)
    return false;
  if (needs.level != Unknown && needs.level > ability.most_level) return false;
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(needs.format);
  if (format == nullptr) return true;
  // No hardware decoder supports alpha.
  if ((format->flags & AV_PIX_FMT_FLAG_ALPHA) != 0) return false;
  return format->comp[0].depth <= ability.most_bits && (shape_of(*format) & ability.shapes) != 0;
}

bool is_asked_for(HwDecodeApi decoder, HwDecodeChoice choice, RenderedBy drawn_by) {
  switch (choice) {
    case HwDecodeChoice::Auto:
      return drawn_by == RenderedBy::Gpu;
    case HwDecodeChoice::No:
      return false;
    case HwDecodeChoice::Vaapi:
      return decoder == Vaapi;
    case HwDecodeChoice::Cuda:
      return decoder == Cuda;
    case HwDecodeChoice::Vulkan:
      return decoder == Vulkan;
  }
  return false;
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
  for (const HwDecodeApi decoder : HardwareOrder) {
    if (!is_asked_for(decoder, choice, drawn_by)) continue;
    const bool fits = std::any_of(abilities.begin(), abilities.end(), [&](const HwDecodeCaps& ability) {
      return ability.decoder == decoder && can(ability, needs);
    });
    if (fits) chain.push_back(decoder);
  }
  return chain;
}

std::string_view hardware_name(HwDecodeApi decoder) {
  return decoder == Vaapi ? "vaapi" : decoder == Cuda ? "cuda" : "vulkan";
}

std::string_view hardware_title(HwDecodeApi decoder) {
  return decoder == Vaapi ? "VAAPI" : decoder == Cuda ? "NVDEC" : "Vulkan Video";
}

}  // namespace glyphreel::media
