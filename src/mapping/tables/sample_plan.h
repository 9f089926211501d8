#pragma once

#include <cstdint>
#include <vector>

#include "base/frame.h"
#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// The cells of a grid that a picture covers. All other cells are black.
struct GridPlacement {
  GridSize grid;
  int left = 0, top = 0;                   ///< first column and row that the picture covers
  int columns = 0, rows = 0;               ///< number of cells that the picture covers
  double source_left = 0, source_top = 0;  ///< visible part of the rotated picture, in fractions of its size
  double source_width = 1, source_height = 1;
  bool operator==(const GridPlacement&) const = default;
};

/// Returns the width over the height of a frame as displayed, with sample aspect ratio and rotation applied.
[[nodiscard]] double display_aspect(const FrameView& frame);

/// Returns the largest grid of `cell`-sized cells that fits in `bounds` (pixels) and keeps the picture's
/// `aspect` (width / height) as closely as whole cells allow. If a grid as wide as `bounds` would be too tall
/// by less than about 1 %, the grid fills `bounds` instead. The grid always has at least one cell.
[[nodiscard]] GridSize fit_grid(double aspect, CellSize cell, Extent bounds);

/// Places a picture with this aspect (width / height) in a grid. Contain and Cover keep the aspect; Contain
/// rounds the covered area to whole cells. If Contain would leave less than 1 % of the grid black, or less
/// than one row or column, Contain and Cover stretch the picture to the grid instead, since a thin black
/// border would look like a defect.
[[nodiscard]] GridPlacement place(double aspect, GridSize grid, CellSize cell, Fit fit);

/// Returns the number of samples across and down a cell: 4 x 8, but no more than the cell has pixels; 1 x 1
/// for Sampling::Corner.
[[nodiscard]] GridSize samples_per_cell(CellSize cell, Sampling sampling);

/// The integer weights of one axis of the lattice. Position k averages the `taps` source samples that start
/// at first[k].
struct Axis {
  int taps = 1;
  std::vector<std::uint32_t> first;    ///< per position: index of the first sample; AxisOutside: black
  std::vector<std::uint32_t> weights;  ///< `taps` weights per position, which sum to shared::AxisWeightSum
};

/// Options of an Axis. The axis has `lattice` positions. Positions [from, from + count) divide the range
/// [begin, end) of the source evenly; all other positions are black. The source has `size` samples.
/// `mirrored` reverses the range. Unless `corner` is set, a position averages all samples in its part of the
/// range. Its weights are rounded by the largest remainder method, so that they sum to exactly AxisWeightSum.
struct AxisOptions {
  int lattice = 1;
  int from = 0;
  int count = 1;
  int size = 1;
  /// The range in fractions of the source. If the range extends below 0 or above 1, the first or the last
  /// sample is repeated there.
  double begin = 0, end = 1;
  bool mirrored = false;
  /// Uses one tap: position i reads pixel i * (P / count), where P is the number of pixels in the range, so
  /// that luma and subsampled chroma are read at the same pixel. `size` is `pixels` shifted right by
  /// `log2_subsampling` and rounded up.
  bool corner = false;
  int pixels = 0;            ///< pixels of the picture along the axis; for `corner` only; 0: use `size`
  int log2_subsampling = 0;  ///< for `corner` only
};
[[nodiscard]] Axis make_axis(const AxisOptions& options);

/// How frames of one kind are sampled to the lattice: parameters for the shared code, and the axis table that
/// they refer to. `component_k.base` and `.stride` are 0: they differ from frame to frame, and set_planes()
/// sets them.
struct SamplePlan {
  shared::SampleParameters parameters{};
  std::vector<std::uint32_t> axis_words;
  /// Returns the number of components that are read: 1 for gray sources, and for Y'CbCr sources if only Y' is
  /// needed; otherwise 3.
  [[nodiscard]] int component_count() const { return parameters.model == shared::ModelGray ? 1 : 3; }
};

/// All inputs of a SamplePlan; equal keys share a plan.
struct SampleKey {
  PixelLayout layout;
  ColorTags color;
  Extent size;
  Rotation rotation = Rotation::None;
  GridPlacement placement;
  GridSize samples;  ///< per cell
  Sampling sampling = Sampling::Area;
  Luma luma = Luma::Auto;
  bool luma_alone = false;  ///< only luma is used, so chroma is read only if luma depends on it
  Adjustments adjustments;
  bool operator==(const SampleKey&) const = default;
};
[[nodiscard]] SamplePlan make_sample_plan(const SampleKey& key);

/// Sets the components' byte offsets and strides for a frame whose plane p starts `plane_offsets[p]` bytes
/// into the buffer. Strides must not be negative, so the caller must first copy a frame whose rows are stored
/// bottom-up.
void set_planes(shared::SampleParameters& parameters, const PixelLayout& layout,
                const std::array<std::size_t, 4>& plane_offsets,
                const std::array<std::ptrdiff_t, 4>& strides);

}  // namespace glyphreel::mapping
