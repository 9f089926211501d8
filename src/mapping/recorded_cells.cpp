#include "mapping/recorded_cells.h"

#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "mapping/tables/palette.h"

namespace glyphreel::mapping {
namespace {

RecordedGlyph::Part part_of(text::GlyphColumns columns) {
  return columns == text::GlyphColumns::Narrow     ? RecordedGlyph::Part::Whole
         : columns == text::GlyphColumns::WideLeft ? RecordedGlyph::Part::Left
                                                   : RecordedGlyph::Part::Right;
}

/// Returns the mean coverage of each glyph, 0 to 255.
std::vector<std::uint8_t> mean_coverages(const text::GlyphSet& set) {
  const std::size_t area = set.masks().size() / static_cast<std::size_t>(set.size());
  std::vector<std::uint8_t> means;
  for (auto mask = set.masks().begin(); mask != set.masks().end();
       mask += static_cast<std::ptrdiff_t>(area)) {
    const std::size_t sum = std::accumulate(mask, mask + static_cast<std::ptrdiff_t>(area), std::size_t{0});
    means.push_back(static_cast<std::uint8_t>((sum + area / 2) / area));
  }
  return means;
}

/// Returns the narrow glyph whose mean coverage is nearest to `wanted`.
std::uint32_t similar_glyph(const std::vector<std::uint8_t>& coverage, int narrow_count, int wanted) {
  int best = 0;
  for (int i = 1; i < narrow_count; ++i) {
    const auto distance = [&](int glyph) {
      return std::abs(coverage[static_cast<std::size_t>(glyph)] - wanted);
    };
    if (distance(i) < distance(best)) best = i;
  }
  return static_cast<std::uint32_t>(best);
}

}  // namespace

void RecordedCells::configure(std::shared_ptr<const text::GlyphSet> glyphs, GridSize grid,
                              const Parameters& parameters) {
  set_ = std::move(glyphs);
  grid_ = grid;
  parameters_ = parameters;
  nearest_.clear();
  if (!parameters.palette.empty()) nearest_ = nearest_table(parameters.palette);
  glyphs_.reset();
}

void RecordedCells::find_glyphs(const std::shared_ptr<const RecordedGlyphs>& glyphs) {
  if (glyphs_ == glyphs) return;
  const text::GlyphSet& set = *set_;
  std::map<std::pair<char32_t, RecordedGlyph::Part>, std::uint32_t> known;
  for (int i = 0; i < set.size(); ++i) {
    known.emplace(std::pair(set.code_points()[static_cast<std::size_t>(i)], part_of(set.columns(i))),
                  static_cast<std::uint32_t>(i));
  }
  const std::vector<std::uint8_t> coverage = mean_coverages(set);
  glyph_of_.clear();
  for (const RecordedGlyph& glyph : glyphs->glyphs) {
    const auto found = known.find({glyph.code_point, glyph.part});
    glyph_of_.push_back(found != known.end() ? found->second
                                             : similar_glyph(coverage, set.narrow_count(), glyph.coverage));
  }
  glyphs_ = glyphs;
}

std::uint32_t RecordedCells::shown(std::uint32_t color) const {
  if (nearest_.empty()) return color;
  const std::uint32_t entry = (color >> 9 & 0x7c00) | (color >> 6 & 0x3e0) | (color >> 3 & 0x1f);
  return 0xff000000 | parameters_.palette[nearest_[entry]];
}

void RecordedCells::translate(const CellFrame& frame, shared::Cell* cells) {
  find_glyphs(frame.glyphs);
  const bool has_foreground = parameters_.color != Color::Mono;
  const bool has_background = parameters_.color == Color::Full;
  for (int row = 0; row < grid_.rows; ++row) {
    const int from_row = row * frame.grid.rows / grid_.rows;
    for (int column = 0; column < grid_.columns; ++column) {
      const int from_column = column * frame.grid.columns / grid_.columns;
      const RecordedCell& from =
          frame.cells[static_cast<std::size_t>(from_row) * static_cast<std::size_t>(frame.grid.columns) +
                      static_cast<std::size_t>(from_column)];
      *cells++ = {
          .glyph = glyph_of_[from.glyph],
          .foreground = has_foreground ? shown(from.foreground) : 0xff000000 | parameters_.foreground,
          .background = has_background ? shown(from.background) : 0xff000000 | parameters_.background};
    }
  }
}

}  // namespace glyphreel::mapping
