#include "text/glyph_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>

#include "text/code_points/unicode.h"
#include "text/font_stack.h"
#include "text/near_duplicate_filter.h"

namespace glyphreel::text {
namespace {

constexpr int MaxCellPixels = 255;

Error usage(std::string sentence) {
  return {ErrorCode::Usage, std::move(sentence)};
}

/// Returns the distinct code points in order of first occurrence. Errors: Usage if there are none, or if one
/// is a control or combining character.
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
            fmt::format("{} combines with its neighbors and cannot fill a cell alone; leave it out of "
                        "--charset.",
                        code_point_name(code_point)));
      case CellFitness::Fits:
        break;
    }
    if (seen.insert(code_point).second) distinct.push_back(code_point);
  }
  return distinct;
}

/// Draws characters of one width and stores their masks one after the other.
class Drawing {
 public:
  Drawing(FontStack& fonts, CellSize canvas, Duplicates duplicates)
      : fonts_(fonts), canvas_(canvas), duplicates_(duplicates), seen_(canvas) {}

  /// Draws `character`. With Duplicates::Prune, leaves it out if it looks like an earlier character.
  [[nodiscard]] Result<void> add(char32_t character) {
    const std::size_t at = masks_.size();
    masks_.resize(at + static_cast<std::size_t>(canvas_.width) * canvas_.height);
    TRY(fonts_.draw(character, masks_.data() + at));
    if (duplicates_ == Duplicates::Prune && !seen_.add(mask(characters_.size()))) {
      masks_.resize(at);
    } else {
      characters_.push_back(character);
    }
    return {};
  }

  [[nodiscard]] const std::vector<char32_t>& characters() const { return characters_; }
  [[nodiscard]] std::span<const std::uint8_t> mask(std::size_t index) const {
    const std::size_t bytes = static_cast<std::size_t>(canvas_.width) * canvas_.height;
    return std::span(masks_).subspan(index * bytes, bytes);
  }

 private:
  FontStack& fonts_;
  CellSize canvas_;
  Duplicates duplicates_;
  NearDuplicateFilter seen_;
  std::vector<char32_t> characters_;
  std::vector<std::uint8_t> masks_;
};

bool has_coverage(std::span<const std::uint8_t> mask) {
  return std::ranges::any_of(mask, [](std::uint8_t coverage) { return coverage != 0; });
}

/// Appends one half of a two-cell mask: cell.width columns from `first_column` on.
void append_half(std::vector<std::uint8_t>& masks, std::span<const std::uint8_t> wide, CellSize cell,
                 int first_column) {
  for (int row = 0; row < cell.height; ++row) {
    const auto half = wide.subspan(static_cast<std::size_t>(row * 2 * cell.width + first_column),
                                   static_cast<std::size_t>(cell.width));
    masks.insert(masks.end(), half.begin(), half.end());
  }
}

std::vector<UsedFont> used_fonts(const FontStack& fonts, std::span<const char32_t> characters) {
  std::vector<UsedFont> used;
  for (int font = 0; font < fonts.size(); ++font) {
    const auto count = std::ranges::count_if(
        characters, [&](char32_t character) { return fonts.font_of(character) == font; });
    if (count > 0) used.push_back({fonts.description(font), static_cast<int>(count)});
  }
  return used;
}

}  // namespace

Result<std::shared_ptr<const GlyphSet>> GlyphSet::make(const GlyphSetOptions& options) {
  const CellSize cell = options.cell;
  if (cell.width < 1 || cell.height < 1 || cell.width > MaxCellPixels || cell.height > MaxCellPixels) {
    return usage(fmt::format("A cell of {}x{} pixels cannot be drawn; give --cell a size from 1x1 to {}x{}.",
                             cell.width, cell.height, MaxCellPixels, MaxCellPixels));
  }
  TRY_ASSIGN(std::vector<char32_t> characters, distinct_characters(options.characters));
  if (std::ranges::all_of(characters, is_wide)) characters.insert(characters.begin(), U' ');
  TRY_ASSIGN(FontStack fonts, FontStack::make(options.font, characters, cell, options.missing));
  if (options.missing != Missing::Fail) {
    std::erase_if(characters, [&](char32_t character) { return !fonts.can_draw(character); });
    if (characters.empty())
      return usage(
          "No installed font has any of the characters; install a font that has them, or choose a "
          "different --charset.");
  }

  const bool prune = options.duplicates == Duplicates::Prune;
  const std::size_t most = prune ? MaxPrunedCharacters : characters.size();
  Drawing narrow(fonts, cell, options.duplicates);
  for (const char32_t character : characters) {
    if (!is_wide(character) && narrow.characters().size() < most) TRY(narrow.add(character));
  }
  Drawing wide(fonts, {2 * cell.width, cell.height}, options.duplicates);
  for (const char32_t character : characters) {
    const bool is_left_out =
        prune && is_blank_character(character);  // two narrow blanks look like a wide blank
    const std::size_t drawn = narrow.characters().size() + wide.characters().size();
    if (is_wide(character) && !is_left_out && drawn < most) TRY(wide.add(character));
  }

  const std::shared_ptr<GlyphSet> set(new GlyphSet);  // make_shared cannot call the private constructor
  set->cell_ = cell;
  set->font_description_ = fonts.description(0);
  set->narrow_count_ = static_cast<int>(narrow.characters().size());
  for (std::size_t i = 0; i < narrow.characters().size(); ++i) {
    const auto mask = narrow.mask(i);
    set->masks_.insert(set->masks_.end(), mask.begin(), mask.end());
    set->code_points_.push_back(narrow.characters()[i]);
    set->utf8_.push_back(encode_utf8(narrow.characters()[i]));
    if (set->blank_ < 0 && !has_coverage(mask)) set->blank_ = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < wide.characters().size(); ++i) {
    append_half(set->masks_, wide.mask(i), cell, 0);
    append_half(set->masks_, wide.mask(i), cell, cell.width);
    set->code_points_.insert(set->code_points_.end(), 2, wide.characters()[i]);
    set->utf8_.insert(set->utf8_.end(), {encode_utf8(wide.characters()[i]), ""});
  }
  std::vector<char32_t> shown = narrow.characters();
  shown.insert(shown.end(), wide.characters().begin(), wide.characters().end());
  set->fonts_ = used_fonts(fonts, shown);
  return std::shared_ptr<const GlyphSet>(set);
}

}  // namespace glyphreel::text
