#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "cli/options/settings.h"
#include "text/glyph_set.h"

namespace glyphreel::commands {

/// The characters of a glyph set with the light that each one emits.
struct CharsetSheet {
  std::string name;  ///< the value of --charset
  std::shared_ptr<const text::GlyphSet> glyphs;

  struct Character {
    int glyph = 0;       ///< index of the glyph, or of the left half of a wide character
    int cells = 1;       ///< 1 or 2
    double light = 0.0;  ///< mean linear light of its cells; 1: all pixels are foreground
  };
  std::vector<Character> characters;  ///< in the order of the glyphs
  std::vector<double> tones;          ///< the light of all characters, ascending
};

/// Measures the light of each character.
[[nodiscard]] CharsetSheet measure_charset(std::string name, std::shared_ptr<const text::GlyphSet> glyphs);

/// Returns the tone at position `step` of a plot of `steps` positions, from the darkest to the brightest.
[[nodiscard]] double tone_at(const std::vector<double>& tones, int step, int steps);

/// Returns an object with the members `charset`, `cell`, `characters`, `glyphs`, `blank`, `fonts`,
/// `tone_curve`, and `sheet`, which is a list of the characters.
[[nodiscard]] nlohmann::json charset_json(const CharsetSheet& sheet);

/// Returns readable text: facts about the charset, a plot of the tone curve, and the characters in rows.
[[nodiscard]] std::string charset_text(const CharsetSheet& sheet);

/// Measures the characters of --charset and prints the result: charset_json() with --json, otherwise
/// charset_text(). Errors: those of session::make_glyphs().
[[nodiscard]] Result<void> show_charset(const cli::Settings& settings);

}  // namespace glyphreel::commands
