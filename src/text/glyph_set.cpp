#include "text/glyph_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>

#include "text/drawn_glyphs.h"
#include "text/font.h"
#include "text/placement.h"
#include "text/unicode.h"

namespace glyphreel::text {
namespace {

constexpr int MaxCellPixels = 255;

Error usage(std::string sentence) {
  return {ErrorCode::Usage, std::move(sentence), {}};
}

bool needs_font(char32_t code_point) {
  return !is_blank_character(code_point) && !is_drawn_without_font(code_point);
}

/// The distinct code points in their first order. Errors: none at all, or one that cannot have a cell of its
/// own.
Result<std::vector<char32_t>> distinct_characters(const std::string& utf8) {
  TRY_ASSIGN(const std::vector<char32_t> all, decode_utf8(utf8));
  if (all.empty()) return usage("The character set is empty; give at least one character with --charset.");
  std::vector<char32_t> distinct;
  std::unordered_set<char32_t> seen;
  for (const char32_t code_point : all) {
    switch (cell_fitness(code_point)) {
      case CellFitness::Control:
        return usage(fmt::format("{} is a control character and cannot be drawn; leave it out of --charset.",
                                 code_point_name(code_point)));
      case CellFitness::Combining:
        return usage(
            fmt::format("{} combines with its neighbours and cannot fill a cell of its own; leave it out of "
                        "--charset.",
                        code_point_name(code_point)));
      case CellFitness::Fits:
        break;
    }
    if (seen.insert(code_point).second) distinct.push_back(code_point);
  }
  return distinct;
}

Result<void> check_coverage(const FontFace& face, std::span<const char32_t> code_points) {
  for (const char32_t code_point : code_points) {
    if (needs_font(code_point) && !face.has(code_point)) {
      return usage(
          fmt::format("The font \"{}\" has no glyph for \"{}\" ({}); choose another font with --font or "
                      "another --charset.",
                      face.family(), encode_utf8(code_point), code_point_name(code_point)));
    }
  }
  return {};
}

/// The advance that a cell must hold, in font units: the widest of the characters taken from the font, or
/// that of a letter where none is.
int cell_advance(const FontFace& face, std::span<const char32_t> code_points) {
  int widest = 0;
  for (const char32_t code_point : code_points) {
    if (needs_font(code_point)) widest = std::max(widest, face.advance(code_point));
  }
  for (const char32_t letter : {U'M', U'0'}) {
    if (widest == 0) widest = face.advance(letter);
  }
  return widest > 0 ? widest : face.metrics().units_per_em;
}

/// The furthest that any character taken from the font reaches from the baseline, in font units.
Reach widest_reach(const FontFace& face, std::span<const char32_t> code_points) {
  Reach furthest;
  for (const char32_t code_point : code_points) {
    if (!needs_font(code_point)) continue;
    const Reach reach = face.reach(code_point);
    furthest = {std::max(furthest.above, reach.above), std::max(furthest.below, reach.below)};
  }
  return furthest;
}

Result<void> draw_glyph(FontFace& face, char32_t code_point, Placement placement, CellSize cell,
                        std::uint8_t* mask) {
  if (is_blank_character(code_point)) return {};
  if (draw_without_font(code_point, CellCanvas(cell, mask))) return {};
  const int origin = centred_origin(face.metrics(), placement, face.advance(code_point), cell);
  const Hinting hinting = face.best_hinting(code_point, placement.baseline, cell);
  return face.draw(code_point, hinting, origin, placement.baseline, cell, mask);
}

}  // namespace

Result<std::shared_ptr<const GlyphSet>> GlyphSet::make(const GlyphSetOptions& options) {
  const CellSize cell = options.cell;
  if (cell.width < 1 || cell.height < 1 || cell.width > MaxCellPixels || cell.height > MaxCellPixels) {
    return usage(fmt::format("A cell of {}x{} pixels cannot be drawn; give --cell a size from 1x1 to {}x{}.",
                             cell.width, cell.height, MaxCellPixels, MaxCellPixels));
  }
  TRY_ASSIGN(std::vector<char32_t> code_points, distinct_characters(options.characters));
  TRY_ASSIGN(const FontFile file, find_font(options.font));
  TRY_ASSIGN(FontFace face, FontFace::open(file, options.font));
  TRY(check_coverage(face, code_points));

  const int advance = cell_advance(face, code_points);
  const Placement placement = place(face.metrics(), advance, widest_reach(face, code_points), cell);
  TRY(face.set_size(placement.em_26_6));

  const std::shared_ptr<GlyphSet> set(new GlyphSet);  // make_shared cannot reach the private constructor
  set->cell_ = cell;
  set->font_description_ = face.description();
  set->font_aspect_ = static_cast<double>(advance) / (face.metrics().ascent + face.metrics().descent);
  const std::size_t mask_bytes = static_cast<std::size_t>(cell.width) * static_cast<std::size_t>(cell.height);
  set->masks_.resize(code_points.size() * mask_bytes);
  for (std::size_t glyph = 0; glyph < code_points.size(); ++glyph) {
    std::uint8_t* mask = set->masks_.data() + glyph * mask_bytes;
    TRY(draw_glyph(face, code_points[glyph], placement, cell, mask));
    set->utf8_.push_back(encode_utf8(code_points[glyph]));
    const bool has_ink =
        std::any_of(mask, mask + mask_bytes, [](std::uint8_t coverage) { return coverage != 0; });
    if (!has_ink && set->blank_ < 0) set->blank_ = static_cast<int>(glyph);
  }
  set->code_points_ = std::move(code_points);
  return std::shared_ptr<const GlyphSet>(set);
}

}  // namespace glyphreel::text
