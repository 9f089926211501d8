#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"

namespace glyphreel::text {

/// Which glyphs, from which font, at which size.
struct GlyphSetOptions {
  std::string font = "DejaVu Sans Mono";  ///< a file, or a name that fontconfig resolves
  CellSize cell{8, 16};                   ///< pixels, 1x1 to 255x255
  std::string characters;  ///< UTF-8, in the order that gives the glyph indices; duplicates dropped
};

/// Glyphs of one font drawn into cells of one size.
/// Every glyph is placed by the font's own metrics on a common baseline, the font's size chosen as the
/// largest whose advance and line height fit the cell; what sticks out is clipped. Immutable once made, so it
/// may be shared.
class GlyphSet {
 public:
  /// Errors: Usage with one sentence: the font is not found, is no outline font, lacks a character (named
  /// with its code point), or `characters` is empty or no valid UTF-8.
  [[nodiscard]] static Result<std::shared_ptr<const GlyphSet>> make(const GlyphSetOptions& options);

  [[nodiscard]] int size() const { return static_cast<int>(code_points_.size()); }
  [[nodiscard]] CellSize cell() const { return cell_; }
  [[nodiscard]] const std::vector<char32_t>& code_points() const { return code_points_; }
  /// UTF-8 of glyph `index`.
  [[nodiscard]] const std::string& utf8(int index) const { return utf8_[static_cast<std::size_t>(index)]; }
  /// Coverage masks of all glyphs, one byte a pixel (0..255), rows from top to bottom, glyph after glyph
  /// without padding: glyph g's pixel (x, y) is at (g * cell.height + y) * cell.width + x.
  [[nodiscard]] const std::vector<std::uint8_t>& masks() const { return masks_; }
  /// Index of the first glyph without any ink, or -1: what a flat cell shows.
  [[nodiscard]] int blank() const { return blank_; }
  /// The font's family, style and file, for people.
  [[nodiscard]] const std::string& font_description() const { return font_description_; }

  /// Width over height of the font's own cell (advance / line height): what `--cell auto` sizes keep.
  [[nodiscard]] double font_aspect() const { return font_aspect_; }

 private:
  GlyphSet() = default;

  CellSize cell_;
  std::vector<char32_t> code_points_;
  std::vector<std::string> utf8_;
  std::vector<std::uint8_t> masks_;
  int blank_ = -1;
  std::string font_description_;
  double font_aspect_ = 0.5;
};

/// A named character set (ascii, ascii-ramp, latin, digits ...), "@FILE", or the string itself, as UTF-8
/// characters. Errors: Usage where the file cannot be read or nothing is left.
[[nodiscard]] Result<std::string> resolve_charset(const std::string& name_or_string);

/// Names that resolve_charset knows, with one line about each.
struct NamedCharset {
  const char* name;
  const char* description;
};
[[nodiscard]] std::vector<NamedCharset> named_charsets();

/// Splits valid UTF-8 into code points. Errors: Usage at the first invalid byte, with its offset.
[[nodiscard]] Result<std::vector<char32_t>> decode_utf8(const std::string& utf8);
/// One code point as UTF-8.
[[nodiscard]] std::string encode_utf8(char32_t code_point);

}  // namespace glyphreel::text
