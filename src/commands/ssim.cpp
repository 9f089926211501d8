#include "commands/ssim.h"

#include <cstring>
#include <memory>
#include <utility>

#include "commands/comparison.h"
#include "mapping/cell_mapper.h"

namespace glyphreel::commands {
namespace {

/// The mean luma of each square that mean_lumas() divides a picture into, row by row.
struct Lumas {
  int columns = 0, rows = 0;
  std::vector<double> of;
};

double luma(std::uint32_t rgb) {
  return 0.2126 * (rgb >> 16 & 255U) + 0.7152 * (rgb >> 8 & 255U) + 0.0722 * (rgb & 255U);
}

/// Divides a picture of `size` into squares that are `square` pixels wide, and returns the mean luma of each.
/// `pixel(x, y)`: returns a pixel of the picture, 0xRRGGBB in the lower bytes.
template <typename Pixel>
Lumas mean_lumas(Extent size, int square, const Pixel& pixel) {
  Lumas lumas{.columns = size.width / square, .rows = size.height / square, .of = {}};
  lumas.of.resize(static_cast<std::size_t>(lumas.columns) * static_cast<std::size_t>(lumas.rows));
  for (int y = 0; y < lumas.rows * square; ++y) {
    double* row = lumas.of.data() + static_cast<std::ptrdiff_t>(y / square) * lumas.columns;
    for (int x = 0; x < lumas.columns * square; ++x) row[x / square] += luma(pixel(x, y)) / (square * square);
  }
  return lumas;
}

/// Returns the SSIM index of one window whose upper left sample is `first`.
double index_at(const Lumas& a, const Lumas& b, std::ptrdiff_t first, int window) {
  constexpr double C1 = (0.01 * 255) * (0.01 * 255);
  constexpr double C2 = (0.03 * 255) * (0.03 * 255);
  double sum_a = 0;
  double sum_b = 0;
  double sum_aa = 0;
  double sum_bb = 0;
  double sum_ab = 0;
  for (int y = 0; y < window; ++y) {
    for (int x = 0; x < window; ++x) {
      const auto at = static_cast<std::size_t>(first + static_cast<std::ptrdiff_t>(y) * a.columns + x);
      sum_a += a.of[at];
      sum_b += b.of[at];
      sum_aa += a.of[at] * a.of[at];
      sum_bb += b.of[at] * b.of[at];
      sum_ab += a.of[at] * b.of[at];
    }
  }
  const double count = window * window;
  const double mean_a = sum_a / count;
  const double mean_b = sum_b / count;
  // Unbiased estimates, as in the paper that ssim.h names.
  const double variance_a = (sum_aa - sum_a * mean_a) / (count - 1);
  const double variance_b = (sum_bb - sum_b * mean_b) / (count - 1);
  const double covariance = (sum_ab - sum_a * mean_b) / (count - 1);
  return (2 * mean_a * mean_b + C1) * (2 * covariance + C2) /
         ((mean_a * mean_a + mean_b * mean_b + C1) * (variance_a + variance_b + C2));
}

}  // namespace

double ssim(const Picture& picture, std::span<const std::uint32_t> source, CellSize cell) {
  constexpr int Window = 8;
  const Lumas shown =
      mean_lumas(picture.size, cell.width, [&](int x, int y) { return pixel_at(picture, x, y); });
  const Lumas wanted = mean_lumas(picture.size, cell.width, [&](int x, int y) {
    return source[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.size.width) +
                  static_cast<std::size_t>(x)];
  });
  double sum = 0;
  int windows = 0;
  for (int y = 0; y + Window <= shown.rows; ++y) {
    for (int x = 0; x + Window <= shown.columns; ++x, ++windows)
      sum += index_at(shown, wanted, static_cast<std::ptrdiff_t>(y) * shown.columns + x, Window);
  }
  return windows == 0 ? 1 : sum / windows;
}

SourceSimilarity::SourceSimilarity(const render::RenderSetup& setup, render::PixelLight light, int threads)
    : setup_(setup), options_{.light = light}, pool_(threads) {
  render::RenderSetup drawn = setup_;
  drawn.picture = PictureFormat::Bgra8;
  drawn.picture_memory = nullptr;
  compositor_.configure(drawn, setup_.tables.get());
}

Result<std::span<const std::uint32_t>> SourceSimilarity::scaled(const Frame& source) {
  TRY_ASSIGN(const Frame host, on_host(source, nullptr));
  const CellSize cell = setup_.glyphs->cell();
  const mapping::SampleKey cells =
      mapping::sample_key(host.view, setup_.grid, cell, setup_.fit, setup_.mapping);
  scaled_.resize(static_cast<std::size_t>(setup_.grid.cells()) *
                 static_cast<std::size_t>(cell.width * cell.height));
  scaler_.scale(host.view, mapping::pixel_key(cells, cell), pool_, scaled_.data());
  return std::span<const std::uint32_t>(scaled_);
}

Result<Picture> SourceSimilarity::picture_of(const render::RenderedFrame& rendered) {
  if (rendered.picture.format == PictureFormat::Bgra8) return rendered.picture;
  TRY_ASSIGN(std::shared_ptr<const HostBlock> cells, compositor_.cell_block());
  std::memcpy(cells->bytes, rendered.cells.data(), rendered.cells.size_bytes());
  TRY_ASSIGN(const render::RenderedFrame drawn, compositor_.paint({.cells = std::move(cells)}, options_));
  return drawn.picture;
}

Result<double> SourceSimilarity::measure(const render::RenderedFrame& rendered, const Frame& source) {
  TRY_ASSIGN(const Picture picture, picture_of(rendered));
  TRY_ASSIGN(const std::span<const std::uint32_t> wanted, scaled(source));
  return ssim(picture, wanted, setup_.glyphs->cell());
}

}  // namespace glyphreel::commands
