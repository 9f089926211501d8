#include "text/code_points/visual_order.h"

#include <fribidi.h>

#include <algorithm>
#include <numeric>

namespace glyphreel::text {

bool needs_reordering(std::u32string_view line) {
  constexpr char32_t FirstHebrew = 0x590;  // right-to-left characters start here
  return std::ranges::any_of(line, [](char32_t c) {
    return c >= FirstHebrew && (FRIBIDI_IS_RTL(fribidi_get_bidi_type(c)) != 0 ||
                                FRIBIDI_IS_EXPLICIT_OR_BN(fribidi_get_bidi_type(c)) != 0);
  });
}

VisualLine visual_order(std::u32string_view line) {
  VisualLine visual{.characters = std::u32string(line), .from = std::vector<std::size_t>(line.size())};
  std::iota(visual.from.begin(), visual.from.end(), std::size_t{0});
  if (!needs_reordering(line)) return visual;

  const auto length = static_cast<FriBidiStrIndex>(line.size());
  std::vector<FriBidiChar> characters(line.begin(), line.end());
  std::vector<FriBidiCharType> types(line.size());
  std::vector<FriBidiBracketType> brackets(line.size());
  std::vector<FriBidiLevel> levels(line.size());
  std::vector<FriBidiArabicProp> joining(line.size());
  std::vector<FriBidiStrIndex> map(visual.from.begin(), visual.from.end());
  FriBidiParType direction = FRIBIDI_PAR_ON;
  fribidi_get_bidi_types(characters.data(), length, types.data());
  fribidi_get_bracket_types(characters.data(), length, types.data(), brackets.data());
  // 0 means that memory has run out. In that case, draw the line in the order in which it is stored.
  if (fribidi_get_par_embedding_levels_ex(types.data(), brackets.data(), length, &direction, levels.data()) ==
      0) {
    return visual;
  }
  constexpr FriBidiFlags Flags = FRIBIDI_FLAGS_DEFAULT | FRIBIDI_FLAGS_ARABIC;
  fribidi_get_joining_types(characters.data(), length, joining.data());
  fribidi_join_arabic(types.data(), length, levels.data(), joining.data());
  fribidi_shape(Flags, levels.data(), length, joining.data(), characters.data());
  if (fribidi_reorder_line(Flags, types.data(), length, 0, direction, levels.data(), characters.data(),
                           map.data()) == 0) {
    return visual;
  }
  visual = {};
  for (std::size_t i = 0; i < characters.size(); ++i) {
    // When fribidi joins two letters into a ligature, it replaces the second letter with a fill character.
    const bool is_drawn = characters[i] != FRIBIDI_CHAR_FILL &&
                          FRIBIDI_IS_EXPLICIT_OR_BN(fribidi_get_bidi_type(characters[i])) == 0;
    if (!is_drawn) continue;
    visual.characters += static_cast<char32_t>(characters[i]);
    visual.from.push_back(static_cast<std::size_t>(map[i]));
  }
  return visual;
}

}  // namespace glyphreel::text
