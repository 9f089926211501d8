#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "cli/settings.h"
#include "text/glyph_set.h"

namespace glyphreel::tools {

/// The characters of a glyph set with the light that each gives.
struct CharsetSheet {
  std::string name;  ///< what the user called the set
  std::shared_ptr<const text::GlyphSet> glyphs;

  struct Character {
    int glyph = 0;       ///< its only one, or its left half
    int cells = 1;       ///< 1 or 2
    double light = 0.0;  ///< mean linear light of its cells, 1: all ink
  };
  std::vector<Character> characters;  ///< in the order of the glyphs
  std::vector<double> tones;          ///< the light of all of them, rising
};

[[nodiscard]] CharsetSheet measure_charset(std::string name, std::shared_ptr<const text::GlyphSet> glyphs);

/// The tone that step `step` of `steps` of a plot shows, the first being the darkest and the last the
/// brightest.
[[nodiscard]] double tone_at(const std::vector<double>& tones, int step, int steps);

/// `charset`, `cell`, `characters`, `glyphs`, `blank`, `fonts`, `tone_curve` and `sheet`, a list of the
/// characters.
[[nodiscard]] nlohmann::json charset_json(const CharsetSheet& sheet);

/// The same for people: facts, a plot of the tone curve, the characters in rows.
[[nodiscard]] std::string charset_text(const CharsetSheet& sheet);

/// Prints the glyphs of --charset, and draws them into --output where one is given.
[[nodiscard]] Result<void> show_charset(const cli::Settings& settings);

}  // namespace glyphreel::tools
