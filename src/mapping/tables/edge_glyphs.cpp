#include "mapping/tables/edge_glyphs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "base/result.h"
#include "mapping/color/numbers.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {
namespace {

constexpr std::uint32_t None = 0xFFFFFFFF;
constexpr int Directions = static_cast<int>(shared::EdgeDirections);
constexpr int Places = static_cast<int>(shared::EdgePlaces);

// Contrast in code values, tuned by looking at drawn frames: with a lower LowStrength, lines flicker with
// compression noise; with a higher HighStrength, faces lose their outlines.
constexpr std::uint32_t HighStrength = 24;
constexpr std::uint32_t LowStrength = 10;

constexpr double MinLikeness = 0.615;  // minimum likeness() of a glyph that counts as a line; 1 = identical
constexpr double MinShare = 0.9;       // minimum ratio of likeness() to the direction's best likeness()
constexpr double LineWidth = 0.2;      // sigma of the Gaussian Line::nearness, in cell widths
constexpr double MaxMoved = 0.45;      // maximum distance of a substitute glyph from the line, in cell widths
// Upper limit of word 2 of each direction in the edge table (edge.glsl), so that products with this word fit
// in 31 bits. With usual cell sizes, the word is below 200.
constexpr double MaxShare = 1024;
constexpr double Power = 1 / 7.5;  // makes likeness()'s product of powers 4, 3 and 1/2 a geometric mean

struct Normal {
  double x, y;
};

/// Returns the unit vector perpendicular to the lines of a direction. It points to the right or, for
/// directions 3 to 5, down. Positions are numbered along this vector.
Normal normal_of(int direction) {
  const double angle = direction * std::numbers::pi / Directions;
  const double sign = direction > Directions / 2 + 1 ? -1 : 1;
  return {sign * std::cos(angle), sign * std::sin(angle)};
}

/// Returns the length along the normal, in pixels, that is divided into a direction's positions. Half a
/// sample at each border is left out, because the centroid of gradients between samples cannot be closer to
/// the border.
double reach_of(Normal normal, CellSize cell, GridSize samples) {
  return std::abs(normal.x) * cell.width * (samples.columns - 1) / samples.columns +
         std::abs(normal.y) * cell.height * (samples.rows - 1) / samples.rows;
}

/// Returns the distance in pixels along the normal from the middle of the cell to the middle of a position.
/// The outermost positions include all lines up to the border.
double offset_of(int place, Normal normal, CellSize cell, GridSize samples) {
  const double reach = reach_of(normal, cell, samples);
  const int step = place - Places / 2;
  if (std::abs(step) < Places / 2) return step * reach / Places;
  const double border = (std::abs(normal.x) * cell.width + std::abs(normal.y) * cell.height) / 2;
  return std::copysign((reach * (Places - 2) / (2.0 * Places) + 2 * border) / 3, step);
}

/// A line that glyphs are compared with: each pixel's nearness to the line, and its position along the line.
struct Line {
  std::vector<double> nearness;  // per pixel, 0 to 1
  std::vector<int> bin;          // per pixel: its position along the line, one bin for each pixel of length
  std::vector<bool> crossed;     // per bin: whether the line itself passes through it
};

Line draw_line(CellSize cell, Normal normal, double offset) {
  const double sigma = cell.width * LineWidth;
  const int bins = 2 * (cell.width + cell.height);
  Line line;
  line.crossed.resize(static_cast<std::size_t>(bins));
  for (int y = 0; y < cell.height; ++y) {
    for (int x = 0; x < cell.width; ++x) {
      const double right = x + 0.5 - cell.width / 2.0;
      const double down = y + 0.5 - cell.height / 2.0;
      const double away = normal.x * right + normal.y * down - offset;
      const auto bin = static_cast<int>(std::floor(normal.x * down - normal.y * right)) + bins / 2;
      line.nearness.push_back(std::exp(-away * away / (2 * sigma * sigma)));
      line.bin.push_back(bin);
      if (std::abs(away) <= 0.75) line.crossed[static_cast<std::size_t>(bin)] = true;
    }
  }
  return line;
}

/// Sums of gx * gx, gx * gy and gy * gy over the gradients (gx, gy) of a glyph's mask. Pixels outside the
/// mask count as 0.
struct Gradients {
  double xx = 0, xy = 0, yy = 0;
};

Gradients measure_gradients(const std::uint8_t* mask, CellSize cell) {
  const auto at = [&](int x, int y) -> double {
    const bool inside = x >= 0 && x < cell.width && y >= 0 && y < cell.height;
    return inside ? mask[y * cell.width + x] : 0;
  };
  Gradients sums;
  for (int y = 0; y <= cell.height; ++y) {
    for (int x = 0; x <= cell.width; ++x) {
      const double gx = at(x, y - 1) + at(x, y) - at(x - 1, y - 1) - at(x - 1, y);
      const double gy = at(x - 1, y) + at(x, y) - at(x - 1, y - 1) - at(x, y - 1);
      sums.xx += gx * gx;
      sums.xy += gx * gy;
      sums.yy += gy * gy;
    }
  }
  return sums;
}

/// Returns the fraction of the gradients' energy that points along the normal: 1 for a long stroke, 1/2 for a
/// blob or a star.
double straightness(const Gradients& sums, Normal normal) {
  const double all = sums.xx + sums.yy;
  const double along =
      normal.x * normal.x * sums.xx + 2 * normal.x * normal.y * sums.xy + normal.y * normal.y * sums.yy;
  return all > 0 ? along / all : 0;
}

/// Returns how similar a glyph is to a line, 0 to 1: a weighted geometric mean of the fraction of the glyph's
/// coverage that is on the line, the glyph's straightness, and the fraction of the line that is covered. The
/// weights accept strokes that are too short, but not strokes with branches or hooks, which read as letters.
double likeness(const std::uint8_t* mask, double straight, const Line& line) {
  double ink = 0;
  double near = 0;
  std::vector<double> covered(line.crossed.size(), 0.0);
  for (std::size_t i = 0; i < line.nearness.size(); ++i) {
    ink += mask[i];
    near += mask[i] * line.nearness[i];
    covered[static_cast<std::size_t>(line.bin[i])] += mask[i] / 255.0 * line.nearness[i];
  }
  double length = 0;
  double sum = 0;
  for (std::size_t bin = 0; bin < covered.size(); ++bin) {
    if (!line.crossed[bin]) continue;
    length += 1;
    sum += std::min(1.0, covered[bin]);
  }
  if (ink == 0 || length == 0) return 0;
  const double product = std::pow(near / ink, 4) * std::pow(straight, 3) * std::sqrt(sum / length);
  return std::pow(product, Power);
}

struct Match {
  std::uint32_t glyph = None;
  double likeness = 0;
  double offset = 0;
};

Match best_match(const text::GlyphSet& glyphs, const std::vector<Gradients>& gradients, Normal normal,
                 double offset) {
  const Line line = draw_line(glyphs.cell(), normal, offset);
  Match best{None, MinLikeness, offset};
  for (std::size_t glyph = 0; glyph < gradients.size(); ++glyph) {
    const double straight = straightness(gradients[glyph], normal);
    if (std::pow(straight, 3 * Power) <= best.likeness) continue;
    const double like = likeness(glyphs.masks().data() + glyph * line.nearness.size(), straight, line);
    if (like > best.likeness) {
      best.likeness = like;
      best.glyph = static_cast<std::uint32_t>(glyph);
    }
  }
  return best;
}

/// Appends the glyph of each direction and position.
void append_edge_glyphs(const text::GlyphSet& glyphs, GridSize samples, std::vector<std::uint32_t>& words) {
  const CellSize cell = glyphs.cell();
  std::vector<Gradients> gradients;
  const auto pixels = static_cast<std::size_t>(cell.width * cell.height);
  for (std::size_t glyph = 0; glyph < static_cast<std::size_t>(glyphs.narrow_count()); ++glyph) {
    gradients.push_back(measure_gradients(glyphs.masks().data() + glyph * pixels, cell));
  }
  for (int direction = 0; direction < Directions; ++direction) {
    const Normal normal = normal_of(direction);
    std::vector<Match> matches;
    for (int place = 0; place < Places; ++place) {
      matches.push_back(best_match(glyphs, gradients, normal, offset_of(place, normal, cell, samples)));
    }
    double most = 0;
    for (const Match& match : matches) most = std::max(most, match.likeness);
    for (Match& match : matches) {
      if (match.likeness < MinShare * most) match.glyph = None;
    }
    for (int place = 0; place < Places; ++place) {
      // A position without a glyph gets the glyph of the nearest position that has one, up to MaxMoved away.
      // A line that is slightly off its position still keeps a contour connected.
      const auto own = static_cast<std::size_t>(place);
      std::uint32_t glyph = matches[own].glyph;
      double least = MaxMoved * cell.width;
      for (const Match& match : matches) {
        const double moved = std::abs(match.offset - matches[own].offset);
        if (matches[own].glyph == None && match.glyph != None && moved < least) {
          glyph = match.glyph;
          least = moved;
        }
      }
      words.push_back(glyph);
    }
  }
}

}  // namespace

std::vector<std::uint32_t> edge_table(const text::GlyphSet& glyphs, GridSize samples) {
  const CellSize cell = glyphs.cell();
  const double sample_width = static_cast<double>(cell.width) / samples.columns;
  const double sample_height = static_cast<double>(cell.height) / samples.rows;

  std::vector<std::uint32_t> words(shared::EdgeHeader);
  // Along the axis on which samples are farther apart, differences weigh less.
  const double finer = std::min(sample_width, sample_height);
  words[shared::EdgeWeightXx] = rounded_word(256 * finer * finer / (sample_width * sample_width));
  words[shared::EdgeWeightXy] = rounded_word(256 * finer * finer / (sample_width * sample_height));
  words[shared::EdgeWeightYy] = rounded_word(256 * finer * finer / (sample_height * sample_height));
  words[shared::EdgeHigh] = HighStrength;
  words[shared::EdgeLow] = LowStrength;

  for (int direction = 0; direction < Directions; ++direction) {
    const Normal normal = normal_of(direction);
    const double reach = std::max(1e-3, reach_of(normal, cell, samples));
    words.push_back(rounded_word(4096.0 / 32 * Places * normal.x * sample_width / reach));
    words.push_back(rounded_word(4096.0 / 32 * Places * normal.y * sample_height / reach));
    // Each square of 2 x 2 adjacent samples has a gradient. A line in direction (-normal.y, normal.x) crosses
    // the area of these gradients over the distance `length`. Sampling smears a sharp step over the distance
    // `depth` across this line. Each gradient in the resulting area of length x depth is (finer / depth)
    // times the step's contrast.
    const double across = (samples.columns - 1) * sample_width / std::max(1e-9, std::abs(normal.y));
    const double down = (samples.rows - 1) * sample_height / std::max(1e-9, std::abs(normal.x));
    const double depth = std::abs(normal.x) * sample_width + std::abs(normal.y) * sample_height;
    const double length = std::max(finer, std::min(across, down));
    const double share = 256 * depth * sample_width * sample_height / (finer * finer * length);
    words.push_back(rounded_word(std::min(share, MaxShare)));
  }
  CHECK(words.size() == shared::EdgeGlyphs, "the glyphs of the edge table do not start at EdgeGlyphs");

  append_edge_glyphs(glyphs, samples, words);
  return words;
}

}  // namespace glyphreel::mapping
