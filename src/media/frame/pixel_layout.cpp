#include "media/frame/pixel_layout.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace glyphreel::media {
namespace {

constexpr std::uint64_t ForeignFlags = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                                       AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER |
                                       AV_PIX_FMT_FLAG_FLOAT;

/// Returns the layout of component `index`. Returns empty if PixelLayout cannot describe the component: each
/// sample must have a byte or a 16-bit word to itself.
std::optional<ComponentLayout> component_layout(const AVPixFmtDescriptor& format, int index) {
  const AVComponentDescriptor& component = format.comp[index];
  if (component.depth < 8 || component.depth > 16 || component.step > 255 || component.offset > 255)
    return {};
  const int sample_bits = component.depth == 8 ? 8 : 16;
  // A sample must use either the lowest bits of its word (shift 0; all higher bits are then zero) or the
  // highest bits. A sample in the middle of its word, as in X2RGB10, shares the word with other components.
  if (component.shift != 0 && component.shift + component.depth != sample_bits) return {};
  if (sample_bits == 16 && (component.offset % 2 != 0 || component.step % 2 != 0)) return {};
  const bool is_chroma = (format.flags & AV_PIX_FMT_FLAG_RGB) == 0 && (index == 1 || index == 2);
  ComponentLayout layout;
  layout.plane = static_cast<std::uint8_t>(component.plane);
  layout.step = static_cast<std::uint8_t>(component.step);
  layout.offset = static_cast<std::uint8_t>(component.offset);
  layout.shift = static_cast<std::uint8_t>(component.shift);
  layout.depth = static_cast<std::uint8_t>(component.depth);
  layout.log2_subsampling_x = is_chroma ? format.log2_chroma_w : std::uint8_t{0};
  layout.log2_subsampling_y = is_chroma ? format.log2_chroma_h : std::uint8_t{0};
  return layout;
}

/// Returns false if two components share a plane but advance by different numbers of bytes per pixel. For
/// example, UYYVYY411 stores four luma samples in six bytes, which a constant step cannot describe.
bool advance_together(const ComponentLayout& a, const ComponentLayout& b) {
  if (a.plane != b.plane) return true;
  return (a.step << b.log2_subsampling_x) == (b.step << a.log2_subsampling_x);
}

}  // namespace

std::optional<PixelLayout> layout_of(AVPixelFormat format) {
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
  if (descriptor == nullptr || (descriptor->flags & ForeignFlags) != 0) return {};
  if (std::string_view(descriptor->name).starts_with("xyz")) return {};
  constexpr bool NativeIsBig = std::endian::native == std::endian::big;
  const bool is_big = (descriptor->flags & AV_PIX_FMT_FLAG_BE) != 0;
  if (descriptor->comp[0].depth > 8 && is_big != NativeIsBig) return {};

  PixelLayout layout;
  layout.model = (descriptor->flags & AV_PIX_FMT_FLAG_RGB) != 0 ? ColorModel::Rgb
                 : descriptor->nb_components >= 3               ? ColorModel::Yuv
                                                                : ColorModel::Gray;
  layout.bytes_per_sample = descriptor->comp[0].depth == 8 ? 1 : 2;
  for (int i = 0; i < layout.component_count(); ++i) {
    const auto component = component_layout(*descriptor, i);
    if (!component) return {};
    layout.components[static_cast<std::size_t>(i)] = *component;
    if (component->depth != layout.components[0].depth) return {};
    if (!advance_together(layout.components[0], *component)) return {};
  }
  return layout;
}

std::optional<ComponentLayout> alpha_of(AVPixelFormat format) {
  const auto layout = layout_of(format);
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
  if (!layout || (descriptor->flags & AV_PIX_FMT_FLAG_ALPHA) == 0) return {};
  const auto alpha = component_layout(*descriptor, descriptor->nb_components - 1);
  if (!alpha || alpha->depth != layout->components[0].depth) return {};
  return alpha;
}

AVPixelFormat nearest_native_format(AVPixelFormat format) {
  static constexpr std::array WithAlpha = {
      AV_PIX_FMT_YA8,        AV_PIX_FMT_YA16,       AV_PIX_FMT_RGBA,       AV_PIX_FMT_RGBA64,
      AV_PIX_FMT_YUVA420P,   AV_PIX_FMT_YUVA422P,   AV_PIX_FMT_YUVA444P,   AV_PIX_FMT_YUVA420P10,
      AV_PIX_FMT_YUVA422P10, AV_PIX_FMT_YUVA444P10, AV_PIX_FMT_YUVA420P16, AV_PIX_FMT_YUVA422P16,
      AV_PIX_FMT_YUVA444P16, AV_PIX_FMT_NONE};
  static constexpr std::array Candidates = {AV_PIX_FMT_GRAY8,     AV_PIX_FMT_GRAY16,    AV_PIX_FMT_RGB24,
                                            AV_PIX_FMT_RGB48,     AV_PIX_FMT_YUV420P,   AV_PIX_FMT_YUV422P,
                                            AV_PIX_FMT_YUV444P,   AV_PIX_FMT_YUV411P,   AV_PIX_FMT_YUV420P10,
                                            AV_PIX_FMT_YUV422P10, AV_PIX_FMT_YUV444P10, AV_PIX_FMT_YUV420P12,
                                            AV_PIX_FMT_YUV422P12, AV_PIX_FMT_YUV444P12, AV_PIX_FMT_YUV420P16,
                                            AV_PIX_FMT_YUV422P16, AV_PIX_FMT_YUV444P16, AV_PIX_FMT_NONE};
  if (sws_isSupportedInput(format) == 0) return AV_PIX_FMT_NONE;
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
  const bool has_alpha = descriptor != nullptr && (descriptor->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
  int loss = 0;
  return avcodec_find_best_pix_fmt_of_list(has_alpha ? WithAlpha.data() : Candidates.data(), format,
                                           has_alpha ? 1 : 0, &loss);
}

bool is_full_range_by_name(AVPixelFormat format) {
  static constexpr std::array Formats = {AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P,
                                         AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P};
  return std::find(Formats.begin(), Formats.end(), format) != Formats.end();
}

}  // namespace glyphreel::media
