#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "text/glyph_set.h"

// Computes the sums that the top of fit.glsl defines with the blur K, in doubles, over every pair of a cell's
// pixels.
namespace glyphreel::mapping {

/// Returns the coverage of each pixel of a glyph, from 0 to 1.
inline std::vector<double> mask_of(const text::GlyphSet& set, int glyph) {
  const std::size_t pixels = static_cast<std::size_t>(set.cell().width) * set.cell().height;
  std::vector<double> mask;
  for (std::size_t i = 0; i < pixels; ++i) {
    mask.push_back(set.masks()[static_cast<std::size_t>(glyph) * pixels + i] / 255.0);
  }
  return mask;
}

/// Returns, for each of `count` samples along an axis, how much of each of `size` pixels is under the sample.
inline std::vector<std::vector<double>> axis_shares(int size, int count) {
  std::vector<std::vector<double>> shares;
  for (int i = 0; i < count; ++i) {
    shares.emplace_back();
    for (int x = 0; x < size; ++x) {
      const double begin = static_cast<double>(i) * size / count;
      const double end = static_cast<double>(i + 1) * size / count;
      shares.back().push_back(
          std::max(0.0, std::min(end, x + 1.0) - std::max(begin, static_cast<double>(x))));
    }
  }
  return shares;
}

/// Holds the blur K of fit.glsl for every pair of a cell's pixels, scaled to a total of 1.
class PerceivedByEyes {
 public:
  PerceivedByEyes(CellSize cell, GridSize samples)
      : pixels_(static_cast<std::size_t>(cell.width) * cell.height) {
    const double sigma = 1.5 / 16 * cell.height;
    for (int y = 0; y < cell.height; ++y) {
      for (int x = 0; x < cell.width; ++x) {
        for (int v = 0; v < cell.height; ++v) {
          for (int u = 0; u < cell.width; ++u) {
            // K is a Gaussian blur applied twice, so its variance is 2 sigma^2.
            kernel_.push_back(std::exp(-((x - u) * (x - u) + (y - v) * (y - v)) / (2 * 2 * sigma * sigma)));
          }
        }
      }
    }
    const double all = std::accumulate(kernel_.begin(), kernel_.end(), 0.0);
    for (double& k : kernel_) k /= all;
    const auto across = axis_shares(cell.width, samples.columns);
    const auto down = axis_shares(cell.height, samples.rows);
    for (const auto& row : down) {
      for (const auto& column : across) {
        shares_.emplace_back();
        for (const double y : row) {
          for (const double x : column) shares_.back().push_back(x * y);
        }
      }
    }
  }

  /// Returns the sum over all pixels x and y of a[x] K[x, y] b[y].
  [[nodiscard]] double product(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (std::size_t x = 0; x < pixels_; ++x) {
      const double* row = kernel_.data() + x * pixels_;
      sum += a[x] * std::inner_product(b.begin(), b.end(), row, 0.0);
    }
    return sum;
  }

  /// Returns, for each sample, the sum of a[y] K[x, y] over all pixels y and the pixels x under the sample.
  [[nodiscard]] std::vector<double> by_samples(const std::vector<double>& a) const {
    std::vector<double> sums;
    for (const auto& share : shares_) sums.push_back(product(share, a));
    return sums;
  }

  /// Returns the pixels of a cell in which all pixels under a sample have the sample's value.
  [[nodiscard]] std::vector<double> to_pixels(const std::vector<double>& samples) const {
    std::vector<double> values(pixels_);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      for (std::size_t x = 0; x < pixels_; ++x) values[x] += shares_[i][x] * samples[i];
    }
    return values;
  }

  [[nodiscard]] std::size_t pixels() const { return pixels_; }

 private:
  std::size_t pixels_;
  std::vector<double> kernel_;
  std::vector<std::vector<double>> shares_;
};

}  // namespace glyphreel::mapping
