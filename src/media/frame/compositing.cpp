#include "media/frame/compositing.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

namespace glyphreel::media {
namespace {

/// Returns a pointer to the first sample of row `y` of a component.
template <typename Sample, typename Byte>
auto* row_of(Byte* plane, std::ptrdiff_t stride, const ComponentLayout& component, int y) {
  using Pointer = std::conditional_t<std::is_const_v<Byte>, const Sample*, Sample*>;
  return reinterpret_cast<Pointer>(plane + stride * y + component.offset);
}

template <typename Sample>
bool rows_are_opaque(const FrameView& view, const ComponentLayout& alpha) {
  const auto opaque = static_cast<Sample>(((1U << alpha.depth) - 1) << alpha.shift);
  const std::size_t step = alpha.step / sizeof(Sample);
  const auto width = static_cast<std::size_t>(view.size.width);
  for (int y = 0; y < view.size.height; ++y) {
    const Sample* row = row_of<Sample>(view.planes[alpha.plane], view.strides[alpha.plane], alpha, y);
    Sample all = opaque;
    for (std::size_t x = 0; x < width; ++x) all = static_cast<Sample>(all & row[x * step]);
    if ((all & opaque) != opaque) return false;
  }
  return true;
}

/// Sets `out` to the opacity of each sample in row `y` of `component`: the mean alpha of the pixels that the
/// sample covers.
template <typename Sample>
void read_opacities(std::vector<std::uint32_t>& out, const FrameView& view, const ComponentLayout& alpha,
                    const ComponentLayout& component, int y) {
  const int across = 1 << component.log2_subsampling_x;
  const int first_row = y << component.log2_subsampling_y;
  const int rows = std::min(1 << component.log2_subsampling_y, view.size.height - first_row);
  const int max_code = (1 << alpha.depth) - 1;
  const std::size_t step = alpha.step / sizeof(Sample);
  for (std::size_t x = 0; x < out.size(); ++x) {
    const int first = static_cast<int>(x) * across;
    const int columns = std::min(across, view.size.width - first);
    std::uint32_t sum = 0;
    for (int row = 0; row < rows; ++row) {
      const Sample* samples =
          row_of<Sample>(view.planes[alpha.plane], view.strides[alpha.plane], alpha, first_row + row);
      for (int i = 0; i < columns; ++i) {
        sum +=
            (static_cast<std::uint32_t>(samples[static_cast<std::size_t>(first + i) * step]) >> alpha.shift) &
            max_code;
      }
    }
    const auto count = static_cast<std::uint32_t>(rows * columns);
    out[x] = (sum + count / 2) / count;
  }
}

template <typename Sample, std::size_t FixedStep>
void mix_row(Sample* __restrict to, const Sample* __restrict from, const ComponentLayout& component,
             const std::uint32_t* __restrict opacities, std::size_t count, std::uint32_t background_code) {
  const std::size_t step = FixedStep != 0 ? FixedStep : component.step / sizeof(Sample);
  const std::uint32_t max_code = (1U << component.depth) - 1;
  const std::uint32_t half = 1U << (component.depth - 1);
  const int shift = component.shift;
  const int depth = component.depth;
  for (std::size_t x = 0; x < count; ++x) {
    const std::uint32_t code = (static_cast<std::uint32_t>(from[x * step]) >> shift) & max_code;
    // The blended code is code * opacity + background_code * (max_code - opacity), divided by max_code and
    // rounded to nearest. The two shifts by `depth` below compute this division exactly. `mixed` fits in 32
    // bits even for 16-bit samples.
    const std::uint32_t mixed = code * opacities[x] + background_code * (max_code - opacities[x]) + half;
    to[x * step] = static_cast<Sample>((mixed + (mixed >> depth)) >> depth << shift);
  }
}

template <typename Sample>
void mix(const FrameView& view, const ComponentLayout& alpha, std::uint32_t background,
         const WritablePlanes& target) {
  const std::array<std::uint32_t, 3> background_codes = codes_of(background, view.layout, view.color);
  std::vector<std::uint32_t> opacities;
  for (int c = 0; c < view.layout.component_count(); ++c) {
    const ComponentLayout& component = view.layout.components[static_cast<std::size_t>(c)];
    const Extent size = plane_size(view.size, component);
    opacities.resize(static_cast<std::size_t>(size.width));
    const std::size_t plane = component.plane;
    for (int y = 0; y < size.height; ++y) {
      read_opacities<Sample>(opacities, view, alpha, component, y);
      const Sample* from = row_of<Sample>(view.planes[plane], view.strides[plane], component, y);
      Sample* to = row_of<Sample>(target.planes[plane], target.strides[plane], component, y);
      const std::uint32_t background_code = background_codes[static_cast<std::size_t>(c)];
      const std::size_t step = component.step / sizeof(Sample);
      const auto mix_samples = step == 1   ? mix_row<Sample, 1>
                               : step == 4 ? mix_row<Sample, 4>
                                           : mix_row<Sample, 0>;
      mix_samples(to, from, component, opacities.data(), opacities.size(), background_code);
    }
  }
}

}  // namespace

Extent plane_size(Extent picture, const ComponentLayout& component) {
  const auto reduced = [](int length, int log2) { return (length + (1 << log2) - 1) >> log2; };
  return {reduced(picture.width, component.log2_subsampling_x),
          reduced(picture.height, component.log2_subsampling_y)};
}

bool is_opaque(const FrameView& view, const ComponentLayout& alpha) {
  return view.layout.bytes_per_sample == 1 ? rows_are_opaque<std::uint8_t>(view, alpha)
                                           : rows_are_opaque<std::uint16_t>(view, alpha);
}

std::array<std::uint32_t, 3> codes_of(std::uint32_t rgb, const PixelLayout& layout, const ColorTags& color) {
  const int depth = layout.components[0].depth;
  const double max_code = (1 << depth) - 1;
  const double red = ((rgb >> 16) & 255) / 255.0;
  const double green = ((rgb >> 8) & 255) / 255.0;
  const double blue = (rgb & 255) / 255.0;
  const auto code = [max_code](double value) {
    return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, max_code)));
  };
  if (layout.model == ColorModel::Rgb)
    return {code(red * max_code), code(green * max_code), code(blue * max_code)};
  // {Kr, Kb} for each YuvMatrix, in the order of the enum: BT.601, BT.709, BT.2020. Source: ITU-T H.273,
  // MatrixCoefficients 5 and 6 (BT.601), 1 (BT.709) and 9 (BT.2020).
  constexpr std::array<std::array<double, 2>, 3> RedAndBlue{
      {{0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}}};
  const auto [kr, kb] = RedAndBlue[static_cast<std::size_t>(color.matrix)];
  const double luma = kr * red + (1 - kr - kb) * green + kb * blue;
  const double cb = (blue - luma) / (2 * (1 - kb));
  const double cr = (red - luma) / (2 * (1 - kr));
  const double unit = 1 << (depth - 8);
  const bool limited = color.range == ColorRange::Limited;
  const double luma_range = limited ? 219 * unit : max_code;
  const double chroma_range = limited ? 224 * unit : max_code;
  return {code((limited ? 16 * unit : 0) + luma_range * luma), code(128 * unit + chroma_range * cb),
          code(128 * unit + chroma_range * cr)};
}

void composite(const FrameView& view, const ComponentLayout& alpha, std::uint32_t background,
               const WritablePlanes& target) {
  if (view.layout.bytes_per_sample == 1) {
    mix<std::uint8_t>(view, alpha, background, target);
  } else {
    mix<std::uint16_t>(view, alpha, background, target);
  }
}

void composite_palette(const FrameView& indices, const std::uint32_t* palette, std::uint32_t background,
                       const WritablePlanes& target) {
  std::array<std::array<std::uint8_t, 3>, 256> colors{};
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const std::uint32_t opacity = palette[i] >> 24;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto shift = static_cast<int>(16 - 8 * c);
      const std::uint32_t mixed =
          ((palette[i] >> shift) & 255) * opacity + ((background >> shift) & 255) * (255 - opacity) + 128;
      colors[i][c] = static_cast<std::uint8_t>((mixed + (mixed >> 8)) >> 8);
    }
  }
  for (int y = 0; y < indices.size.height; ++y) {
    const std::byte* from = indices.planes[0] + indices.strides[0] * y;
    std::byte* to = target.planes[0] + target.strides[0] * y;
    for (int x = 0; x < indices.size.width; ++x) {
      std::memcpy(to + 3 * x, colors[std::to_integer<std::size_t>(from[x])].data(), 3);
    }
  }
}

}  // namespace glyphreel::media
