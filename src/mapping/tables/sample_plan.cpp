#include "mapping/tables/sample_plan.h"

#include <algorithm>
#include <cmath>

#include <glm/mat3x3.hpp>
#include <glm/matrix.hpp>
#include <glm/vec3.hpp>

#include "base/result.h"
#include "mapping/color/numbers.h"
#include "mapping/tables/adjustments.h"
#include "mapping/tables/source_color.h"

namespace glyphreel::mapping {
namespace {

using shared::AxisOutside;
using shared::AxisWeightSum;

constexpr double StretchTolerance = 0.01;  // the largest relative error of the aspect that is invisible

bool turns_axes(Rotation rotation) {
  return rotation == Rotation::Clockwise90 || rotation == Rotation::Clockwise270;
}

Extent plane_extent(const ComponentLayout& component, Extent size) {
  const auto reduce = [](int pixels, int log2) { return (pixels + (1 << log2) - 1) >> log2; };
  return {reduce(size.width, component.log2_subsampling_x),
          reduce(size.height, component.log2_subsampling_y)};
}

/// Rounds `shares` (which sum to `total` within rounding) to integers that sum to `total`. The shares with
/// the largest remainders are rounded up.
std::vector<std::uint32_t> round_shares(const std::vector<double>& shares, std::uint32_t total) {
  std::vector<std::uint32_t> whole(shares.size());
  std::vector<std::size_t> order(shares.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    whole[i] = static_cast<std::uint32_t>(shares[i]);
    sum += whole[i];
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shares[a] - std::floor(shares[a]) > shares[b] - std::floor(shares[b]) + 1e-9;
  });
  for (std::size_t i = 0; sum < total; i = (i + 1) % order.size()) {
    ++whole[order[i]];
    ++sum;
  }
  return whole;
}

/// The source samples under one lattice position, with their weights.
struct Taps {
  int first = 0;
  std::vector<std::uint32_t> weights;
};

/// Returns the source samples that [begin, end) covers. Beyond either end of the source, the sample at that
/// end is repeated.
Taps area_taps(double begin, double end, int size) {
  // Due to rounding errors, as in sums of 1/3, the range may extend slightly into one more sample at either
  // end. A sample of which the range covers less than Hair is ignored.
  constexpr double Hair = 1e-7;
  Taps taps;
  taps.first = std::clamp(static_cast<int>(std::floor(begin + Hair)), 0, size - 1);
  const int last = std::clamp(static_cast<int>(std::ceil(end - Hair)) - 1, taps.first, size - 1);
  std::vector<double> shares;
  double sum = 0;
  for (int i = taps.first; i <= last; ++i) {
    const double from = i == 0 ? begin : std::max(begin, static_cast<double>(i));
    const double to = i == size - 1 ? end : std::min(end, i + 1.0);
    shares.push_back(std::max(0.0, to - from));
    sum += shares.back();
  }
  if (sum <= 0) {
    taps.weights.assign(1, AxisWeightSum);
    return taps;
  }
  for (double& share : shares) share *= AxisWeightSum / sum;
  taps.weights = round_shares(shares, AxisWeightSum);
  return taps;
}

/// Returns the conversion from Y'CbCr to R'G'B' in fixed point: the expansion of limited range and the
/// inverse of the matrix that ITU-T H.273 (equations 38 to 40) builds from MatrixCoefficients' KR and KB.
/// The factors are in units of 2^-14, but are rounded to multiples of 2^-bits.
shared::YuvScale yuv_scale(YuvMatrix matrix, ColorRange range, int bits) {
  const double kr = matrix == YuvMatrix::Bt601 ? 0.299 : matrix == YuvMatrix::Bt2020 ? 0.2627 : 0.2126;
  const double kb = matrix == YuvMatrix::Bt601 ? 0.114 : matrix == YuvMatrix::Bt2020 ? 0.0593 : 0.0722;
  const double kg = 1 - kr - kb;
  const double cb = 2 * (1 - kb);
  const double cr = 2 * (1 - kr);
  // glm's matrices are built column by column: each column is what R', G' or B' contributes to (Y', Cb, Cr).
  const glm::dmat3 from_yuv =
      glm::inverse(glm::dmat3(glm::dvec3(kr, -kr / cb, (1 - kr) / cr), glm::dvec3(kg, -kg / cb, -kg / cr),
                              glm::dvec3(kb, (1 - kb) / cb, -kb / cr)));
  const double luma_gain = range == ColorRange::Limited ? 255.0 / 219.0 : 1.0;
  const double chroma_gain = range == ColorRange::Limited ? 255.0 / 224.0 : 1.0;
  const auto fixed = [bits](double x) { return rounded(x * (1 << bits)) * (1 << (14 - bits)); };
  const glm::dvec3& of_cb = from_yuv[1];
  const glm::dvec3& of_cr = from_yuv[2];
  return {.y_offset = range == ColorRange::Limited ? 16 << 4 : 0,
          .y_scale = fixed(luma_gain),
          .r_from_cr = fixed(of_cr.r * chroma_gain),
          .g_from_cb = fixed(-of_cb.g * chroma_gain),
          .g_from_cr = fixed(-of_cr.g * chroma_gain),
          .b_from_cb = fixed(of_cb.b * chroma_gain)};
}

/// Appends an axis: all elements of `first`, then all weights.
std::uint32_t append_axis(std::vector<std::uint32_t>& words, const Axis& axis) {
  const auto at = static_cast<std::uint32_t>(words.size());
  words.insert(words.end(), axis.first.begin(), axis.first.end());
  words.insert(words.end(), axis.weights.begin(), axis.weights.end());
  return at;
}

}  // namespace

double display_aspect(const FrameView& frame) {
  const double sar = frame.sample_aspect_ratio.is_positive() ? frame.sample_aspect_ratio.value() : 1.0;
  const double stored = sar * frame.size.width / std::max(1, frame.size.height);
  return turns_axes(frame.rotation) ? 1 / stored : stored;
}

GridSize fit_grid(double aspect, CellSize cell, Extent bounds) {
  const int max_columns = std::max(1, bounds.width / cell.width);
  const int max_rows = std::max(1, bounds.height / cell.height);
  const double cell_aspect = static_cast<double>(cell.width) / cell.height;
  const double exact_rows = max_columns / aspect * cell_aspect;
  const int rows = std::max(1, rounded(exact_rows));
  if (rows <= max_rows) return {max_columns, rows};
  if (max_rows > exact_rows * (1 - StretchTolerance)) return {max_columns, max_rows};
  const int columns = rounded(max_rows * aspect / cell_aspect);
  return {std::clamp(columns, 1, max_columns), max_rows};
}

GridPlacement place(double aspect, GridSize grid, CellSize cell, Fit fit) {
  GridPlacement placement{.grid = grid, .columns = grid.columns, .rows = grid.rows};
  const double grid_aspect =
      static_cast<double>(grid.columns) * cell.width / (static_cast<double>(grid.rows) * cell.height);
  if (fit == Fit::Stretch || aspect <= 0) return placement;
  const bool wide = aspect > grid_aspect;  // the picture is wider than the grid
  // The fraction of the grid (Contain) or of the picture (Cover) that is used.
  const double share = wide ? grid_aspect / aspect : aspect / grid_aspect;
  const int cells = wide ? grid.rows : grid.columns;
  if (share > 1 - StretchTolerance || cells * (1 - share) < 1) return placement;
  if (fit == Fit::Cover) {
    if (wide) {
      placement.source_left = (1 - share) / 2;
      placement.source_width = share;
    } else {
      placement.source_top = (1 - share) / 2;
      placement.source_height = share;
    }
    return placement;
  }
  const int covered = std::clamp(rounded(cells * share), 1, cells);
  if (wide) {
    placement.rows = covered;
    placement.top = (grid.rows - covered) / 2;
  } else {
    placement.columns = covered;
    placement.left = (grid.columns - covered) / 2;
  }
  return placement;
}

GridSize samples_per_cell(CellSize cell, Sampling sampling) {
  if (sampling == Sampling::Corner) return {1, 1};
  return {std::min(4, cell.width), std::min(8, cell.height)};
}

Axis make_axis(const AxisOptions& options) {
  std::vector<Taps> entries(static_cast<std::size_t>(options.count));
  const int pixels = options.pixels > 0 ? options.pixels : options.size;
  const int first_pixel = rounded(options.begin * pixels);
  const int range = std::max(1, rounded(options.end * pixels) - first_pixel);
  const int whole_step = range / std::max(1, options.count);
  Axis axis;
  for (int i = 0; i < options.count; ++i) {
    const int position = options.mirrored ? options.count - 1 - i : i;
    Taps& taps = entries[static_cast<std::size_t>(i)];
    if (options.corner) {
      // If there are more lattice positions than pixels, whole_step is 0. With that step, all positions would
      // read the same pixel, so compute each position's pixel separately.
      const int within = whole_step > 0 ? position * whole_step : position * range / options.count;
      taps.first = std::min((first_pixel + within) >> options.log2_subsampling, options.size - 1);
      taps.weights.assign(1, AxisWeightSum);
    } else {
      const double span = (options.end - options.begin) * options.size / options.count;
      const double begin = options.begin * options.size + position * span;
      taps = area_taps(begin, begin + span, options.size);
    }
    axis.taps = std::max(axis.taps, static_cast<int>(taps.weights.size()));
  }
  axis.first.assign(static_cast<std::size_t>(options.lattice), AxisOutside);
  axis.weights.assign(static_cast<std::size_t>(options.lattice) * axis.taps, 0);
  for (int i = 0; i < options.count; ++i) {
    const Taps& taps = entries[static_cast<std::size_t>(i)];
    // All entries read the same number of samples. An entry that would read past the source's end begins
    // earlier. The additional samples in front have zero weights.
    const int first = std::min(taps.first, options.size - axis.taps);
    const auto k = static_cast<std::size_t>(options.from + i);
    axis.first[k] = static_cast<std::uint32_t>(first);
    std::copy(taps.weights.begin(), taps.weights.end(),
              axis.weights.begin() + static_cast<std::ptrdiff_t>(k * axis.taps + (taps.first - first)));
  }
  return axis;
}

namespace {

enum class LatticeAxis { Columns, Rows };

/// Along one axis, a chroma sample belongs to 2^log2_subsampling luma samples. Returns the distance from the
/// chroma sample's position to the center of these luma samples, in units of chroma samples; positive: the
/// chroma sample is left of or above the center.
double siting_offset(ChromaSiting siting, LatticeAxis source_axis, int log2_subsampling) {
  using enum ChromaSiting;
  const bool down = source_axis == LatticeAxis::Rows;
  const bool before =
      down ? siting == TopLeft || siting == Top : siting == Left || siting == TopLeft || siting == BottomLeft;
  const bool behind = down && (siting == BottomLeft || siting == Bottom);
  const double half_span = 0.5 - 0.5 / (1 << log2_subsampling);
  return before ? half_span : behind ? -half_span : 0;
}

/// Returns one axis of the lattice over one component's plane.
Axis component_axis(const SampleKey& key, const ComponentLayout& component, LatticeAxis axis) {
  const GridPlacement& placement = key.placement;
  const bool rows = axis == LatticeAxis::Rows;
  // If the picture is rotated by 90 or 270 degrees, the lattice's column index runs over the source's rows.
  const bool down_source = rows != turns_axes(key.rotation);
  const Extent plane = plane_extent(component, key.size);
  const Rotation mirroring = rows ? Rotation::Clockwise270 : Rotation::Clockwise90;
  const int per_cell = rows ? key.samples.rows : key.samples.columns;
  double begin = rows ? placement.source_top : placement.source_left;
  double end = begin + (rows ? placement.source_height : placement.source_width);
  const int size = down_source ? plane.height : plane.width;
  const int pixels = down_source ? key.size.height : key.size.width;
  const int log2_subsampling = down_source ? component.log2_subsampling_y : component.log2_subsampling_x;
  if (log2_subsampling > 0 && key.sampling == Sampling::Area) {
    // Converts `begin` and `end` from fractions of the picture to fractions of the plane. The plane may
    // extend beyond the picture and is shifted by the siting offset.
    const double offset = siting_offset(
        key.color.siting, down_source ? LatticeAxis::Rows : LatticeAxis::Columns, log2_subsampling);
    const double samples = static_cast<double>(pixels) / (1 << log2_subsampling);
    begin = (begin * samples + offset) / size;
    end = (end * samples + offset) / size;
  }
  return make_axis({.lattice = (rows ? placement.grid.rows : placement.grid.columns) * per_cell,
                    .from = (rows ? placement.top : placement.left) * per_cell,
                    .count = (rows ? placement.rows : placement.columns) * per_cell,
                    .size = size,
                    .begin = begin,
                    .end = end,
                    .mirrored = key.rotation == Rotation::Half || key.rotation == mirroring,
                    .corner = key.sampling == Sampling::Corner,
                    .pixels = pixels,
                    .log2_subsampling = log2_subsampling});
}

/// Sets how luma is computed from R'G'B'. `converted`: whether the samples are converted to R'G'B' with
/// BT.709's primaries before luma is computed.
void add_luma(const SampleKey& key, bool converted, shared::SampleParameters& p) {
  const bool hd = key.luma == Luma::Bt709 ||
                  (key.luma == Luma::Auto && (converted || key.color.matrix != YuvMatrix::Bt601));
  // luma_yuv converts Y'CbCr to the R'G'B' from which luma is computed. It has 13 fractional bits, as in
  // FFmpeg's fast conversion, so that a gray gets the same luma as there. With 14 bits, the luma of white
  // would be 254.
  p.luma_yuv = yuv_scale(hd ? YuvMatrix::Bt709 : YuvMatrix::Bt601, key.color.range, 13);
  // The weights of BT.709-6, or of BT.601 as in the classic program that docs/mapping.md describes. Each set
  // sums to 2^14.
  p.luma_weight_r = hd ? 3483 : 4899;
  p.luma_weight_g = hd ? 11718 : 9617;
  p.luma_weight_b = hd ? 1183 : 1868;
}

/// Sets the axes and the bit layout of each component.
void add_components(const SampleKey& key, SamplePlan& plan) {
  shared::SampleParameters& p = plan.parameters;
  std::array<shared::ComponentSource*, 3> sources{&p.component_0, &p.component_1, &p.component_2};
  for (int c = 0; c < plan.component_count(); ++c) {
    const ComponentLayout& component = key.layout.components[static_cast<std::size_t>(c)];
    shared::ComponentSource& source = *sources[static_cast<std::size_t>(c)];
    const bool turned = p.transpose != 0;
    const Axis columns = component_axis(key, component, LatticeAxis::Columns);
    const Axis rows = component_axis(key, component, LatticeAxis::Rows);
    const Axis& along_x = turned ? rows : columns;
    const Axis& along_y = turned ? columns : rows;
    source.axis_x = append_axis(plan.axis_words, along_x);
    source.taps_x = static_cast<std::uint32_t>(along_x.taps);
    source.axis_y = append_axis(plan.axis_words, along_y);
    source.taps_y = static_cast<std::uint32_t>(along_y.taps);
    const int kept = std::min<int>(component.depth, 12);
    source.step = component.step;
    source.shift = static_cast<std::uint32_t>(component.shift + component.depth - kept);
    source.mask = (1u << kept) - 1;
    source.sum_shift = static_cast<std::uint32_t>(kept + 16 - 12);
  }
}

}  // namespace

SamplePlan make_sample_plan(const SampleKey& key) {
  SamplePlan plan;
  shared::SampleParameters& p = plan.parameters;
  const GridPlacement& placement = key.placement;
  p.columns = static_cast<std::uint32_t>(placement.grid.columns);
  p.samples_x = static_cast<std::uint32_t>(key.samples.columns);
  p.samples_y = static_cast<std::uint32_t>(key.samples.rows);
  p.lattice_width = p.columns * p.samples_x;
  p.lattice_height = static_cast<std::uint32_t>(placement.grid.rows) * p.samples_y;
  p.bytes_per_sample = key.layout.bytes_per_sample;
  p.transpose = turns_axes(key.rotation) ? 1 : 0;
  const bool rgb = key.layout.model == ColorModel::Rgb;
  const bool yuv = key.layout.model == ColorModel::Yuv;
  const bool weigh_luma = rgb || (yuv && key.luma != Luma::Auto);
  // Tone-mapped samples are R'G'B' with BT.709's primaries, regardless of the source's matrix.
  const bool converted = source_tone(key.color) != shared::ToneNone;
  const bool luma_suffices = key.luma_alone && !weigh_luma && !converted;
  p.model = rgb ? shared::ModelRgb : yuv && !luma_suffices ? shared::ModelYuv : shared::ModelGray;

  p.yuv = yuv_scale(key.color.matrix, rgb ? ColorRange::Full : key.color.range, 14);
  p.luma_from_rgb = weigh_luma ? 1 : 0;
  add_luma(key, converted, p);
  add_components(key, plan);
  const int depth = std::min<int>(key.layout.components[0].depth, 12);
  const bool limited = !rgb && key.color.range == ColorRange::Limited;
  add_source_color(key.color, key.adjustments.tone_mapping,
                   limited ? 255 << 4 : ((1 << depth) - 1) << (12 - depth), p, plan.axis_words);
  add_adjustments(key.adjustments, p, plan.axis_words);
  return plan;
}

void set_planes(shared::SampleParameters& parameters, const PixelLayout& layout,
                const std::array<std::size_t, 4>& plane_offsets,
                const std::array<std::ptrdiff_t, 4>& strides) {
  std::array<shared::ComponentSource*, 3> sources{&parameters.component_0, &parameters.component_1,
                                                  &parameters.component_2};
  for (int c = 0; c < layout.component_count(); ++c) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(c)];
    CHECK(strides[component.plane] >= 0, "a plane with bottom-up rows reached the sampler");
    shared::ComponentSource& source = *sources[static_cast<std::size_t>(c)];
    source.base = static_cast<std::uint32_t>(plane_offsets[component.plane] + component.offset);
    source.stride = static_cast<std::uint32_t>(strides[component.plane]);
  }
}

}  // namespace glyphreel::mapping
