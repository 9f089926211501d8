#include "text/font_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/code_points/unicode.h"
#include "text/drawn_glyphs.h"
#include "text/glyph_set.h"

namespace glyphreel::text {
namespace {

bool needs_font(char32_t code_point) {
  return !is_blank_character(code_point) && !is_drawn_without_font(code_point);
}

/// Returns the advance, in font units, that must fit in one cell: the largest that any of `characters` needs.
/// A wide character needs half of its advance. A narrow character of a fixed-pitch font needs the pitch,
/// even if its own advance is larger: such glyphs, for example the Greek letters of many CJK fonts, are drawn
/// smaller. If no character has an advance, returns widest_letter().
int cell_advance(const FontFace& face, std::span<const char32_t> characters) {
  const int pitch = fixed_pitch(face);
  int widest = std::ranges::all_of(characters, is_wide) ? 0 : pitch;
  for (const char32_t code_point : characters) {
    const bool wide = is_wide(code_point);
    if (!wide && pitch > 0) continue;
    widest = std::max(widest, wide ? (face.advance(code_point) + 1) / 2 : face.advance(code_point));
  }
  return widest > 0 ? widest : widest_letter(face);
}

/// Returns the largest extents of any of `characters` above and below the baseline, in font units.
GlyphExtents combined_extents(const FontFace& face, std::span<const char32_t> characters) {
  GlyphExtents furthest;
  for (const char32_t code_point : characters) {
    const GlyphExtents extents = face.extents(code_point);
    furthest = {std::max(furthest.above, extents.above), std::max(furthest.below, extents.below)};
  }
  return furthest;
}

/// Returns the error for a character that no outline font has. `others`: the fonts that have some of the
/// missing characters. FallbackFont::characters must be sorted.
Error missing_character(char32_t code_point, std::span<const FallbackFont> others) {
  const std::string name = fmt::format("\"{}\" ({})", encode_utf8(code_point), code_point_name(code_point));
  const auto has_it = [&](const FallbackFont& font) {
    return font.source != GlyphSource::Outlines && std::ranges::binary_search(font.characters, code_point);
  };
  const auto other = std::ranges::find_if(others, has_it);
  if (other == others.end()) {
    return {ErrorCode::Usage, fmt::format("No installed font has a glyph for {}; install a font that has it, "
                                          "or choose a different --charset.",
                                          name)};
  }
  return {ErrorCode::Usage,
          fmt::format("Only the {} font \"{}\" has {}, and glyphs are drawn from outlines in one color; "
                      "install an outline font that has it, or choose a different --charset.",
                      other->source == GlyphSource::Colors ? "color" : "bitmap", other->family, name)};
}

}  // namespace

Result<FontStack> FontStack::make(const std::string& requested, std::span<const char32_t> characters,
                                  CellSize cell, Missing missing_allowed) {
  TRY_ASSIGN(const FontFile file, find_font(requested));
  TRY_ASSIGN(FontFace face, FontFace::open(file, requested));
  FontStack stack(cell);
  Font& first = stack.fonts_.emplace_back(Font{.face = std::move(face)});
  std::vector<char32_t> missing;
  for (const char32_t code_point : characters) {
    if (!needs_font(code_point)) continue;
    (first.face.has(code_point) ? first.characters : missing).push_back(code_point);
  }
  if (!missing.empty() && missing_allowed != Missing::NoFallback) {
    TRY(stack.add_fallbacks(std::move(missing), missing_allowed));
  }
  for (std::size_t font = 0; font < stack.fonts_.size(); ++font) {
    for (const char32_t code_point : stack.fonts_[font].characters)
      stack.font_of_[code_point] = static_cast<int>(font);
  }

  // The leader, which sets the baseline and the maximum size for the other fonts, is the requested font. If
  // the requested font draws none of the characters, the leader is the font that draws the most characters.
  const auto character_count = [](const Font& font) { return font.characters.size(); };
  Font& leader = stack.fonts_.front().characters.empty()
                     ? *std::ranges::max_element(stack.fonts_, {}, character_count)
                     : stack.fonts_.front();
  stack.place_leader(leader);
  for (Font& font : stack.fonts_) {
    if (!font.leads) stack.size_follower(font);
  }
  return stack;
}

Result<void> FontStack::add_fallbacks(std::vector<char32_t> missing, Missing allowed) {
  std::ranges::sort(missing);
  const std::vector<FallbackFont> candidates = fallback_fonts(fonts_.front().face.family(), missing);
  for (const FallbackFont& candidate : candidates) {
    if (missing.empty()) break;
    if (candidate.source != GlyphSource::Outlines) continue;
    std::vector<char32_t> wanted;
    std::ranges::set_intersection(candidate.characters, missing, std::back_inserter(wanted));
    if (wanted.empty()) continue;
    Result<FontFace> face = FontFace::open(candidate.file, candidate.family);
    if (!face) continue;  // damaged or unusable: try the next font
    Font font{.face = *std::move(face)};
    std::ranges::copy_if(wanted, std::back_inserter(font.characters),
                         [&](char32_t code_point) { return font.face.has(code_point); });
    if (font.characters.empty()) continue;
    std::vector<char32_t> left;
    std::ranges::set_difference(missing, font.characters, std::back_inserter(left));
    missing = std::move(left);
    fonts_.push_back(std::move(font));
  }
  if (!missing.empty() && allowed == Missing::Fail) return missing_character(missing.front(), candidates);
  add_color_fonts(std::move(missing), candidates);
  return {};
}

void FontStack::add_color_fonts(std::vector<char32_t> missing, std::span<const FallbackFont> candidates) {
  for (const FallbackFont& candidate : candidates) {
    if (missing.empty()) return;
    if (candidate.source != GlyphSource::Colors) continue;
    Result<ColorFont> font = ColorFont::open(candidate.file);
    if (!font) continue;  // for example a font of colored outlines
    for (const char32_t character : candidate.characters) {
      if (font->has(character) && std::erase(missing, character) > 0)
        color_font_of_[character] = static_cast<int>(color_fonts_.size());
    }
    color_fonts_.push_back(*std::move(font));
  }
}

void FontStack::place_leader(Font& leader) {
  const FontMetrics metrics = leader.face.metrics();
  const int advance = cell_advance(leader.face, leader.characters);
  const GlyphExtents extents = combined_extents(leader.face, leader.characters);
  const bool all_wide = !leader.characters.empty() && std::ranges::all_of(leader.characters, is_wide);
  // If all characters are wide, fit the outlines of the ideographs, not the line box, to the cell's height.
  const FontMetrics box = all_wide && extents.above + extents.below > 0
                              ? FontMetrics{extents.above, extents.below, metrics.units_per_em}
                              : metrics;
  placement_ = place(box, advance, extents, cell_);
  leader.narrow_em_26_6 = placement_.em_26_6;
  leader.wide_em_26_6 = placement_.em_26_6;
  leader.leads = true;
}

/// Sets the sizes of a font that is not the leader. Narrow glyphs are at most as large as the leader's. All
/// wide glyphs have the same size, the largest at which each of them fits its two cells, since ideographs of
/// different sizes look wrong side by side.
void FontStack::size_follower(Font& font) const {
  font.narrow_em_26_6 = placement_.em_26_6;
  for (const char32_t code_point : font.characters) {
    if (!is_wide(code_point)) continue;
    const int em = fitting_em(font, code_point);
    font.wide_em_26_6 = font.wide_em_26_6 == 0 ? em : std::min(font.wide_em_26_6, em);
  }
}

/// Returns the largest em, in 1/64 pixels, at which the glyph fits the width of its cells. For a font that is
/// not the leader, the glyph must also fit the height above and below the leader's baseline.
int FontStack::fitting_em(const Font& font, char32_t character) const {
  const std::int64_t pixel = std::int64_t{64} * font.face.metrics().units_per_em;
  std::int64_t em = std::int64_t{64} * 2 * std::max(cell_.width, cell_.height);
  const auto limit = [&](std::int64_t pixels, int units) {
    if (units > 0) em = std::min(em, pixels * pixel / units);
  };
  limit(canvas_of(character).width, font.face.advance(character));
  if (!font.leads) {
    const GlyphExtents extents = font.face.extents(character);
    limit(canvas_of(character).width, font.face.centered_width(character));
    limit(placement_.baseline, extents.above);
    limit(cell_.height - placement_.baseline, extents.below);
  }
  return static_cast<int>(std::max<std::int64_t>(1, em));
}

CellSize FontStack::canvas_of(char32_t character) const {
  return {is_wide(character) ? 2 * cell_.width : cell_.width, cell_.height};
}

Result<void> FontStack::draw(char32_t character, std::uint8_t* mask) {
  const CellSize canvas = canvas_of(character);
  if (const auto found = color_font_of_.find(character); found != color_font_of_.end())
    return color_fonts_[static_cast<std::size_t>(found->second)].draw(character, canvas, mask);
  const int index = font_of(character);
  if (index < 0) {
    const bool drawn = draw_without_font(character, CellCanvas(canvas, mask));
    CHECK(drawn || is_blank_character(character), "the font stack was not made for this character");
    return {};
  }
  Font& font = fonts_[static_cast<std::size_t>(index)];
  const int em =
      is_wide(character) ? font.wide_em_26_6 : std::min(font.narrow_em_26_6, fitting_em(font, character));
  if (em != font.size_26_6) {
    TRY(font.face.set_size(em));
    font.size_26_6 = em;
  }
  const GlyphPlacement placement{em, placement_.baseline};
  const int origin = centered_origin(font.face.metrics(), placement, font.face.advance(character), canvas);
  const Hinting hinting = font.face.best_hinting(character, placement.baseline, canvas);
  return font.face.draw(character, hinting, origin, placement.baseline, canvas, mask);
}

bool FontStack::can_draw(char32_t character) const {
  return font_of(character) >= 0 || color_font_of_.contains(character) || !needs_font(character);
}

int FontStack::font_of(char32_t character) const {
  const auto found = font_of_.find(character);
  return found == font_of_.end() ? -1 : found->second;
}

const std::string& FontStack::description(int font) const {
  return fonts_[static_cast<std::size_t>(font)].face.description();
}

int fixed_pitch(const FontFace& face) {
  const int advance = face.advance(U'M');
  return advance == face.advance(U'i') ? advance : 0;
}

int widest_letter(const FontFace& face) {
  for (const char32_t letter : {U'M', U'0'}) {
    if (const int advance = face.advance(letter); advance > 0) return advance;
  }
  return face.metrics().units_per_em;
}

}  // namespace glyphreel::text
