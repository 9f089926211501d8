#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "render/renderer.h"

namespace glyphreel::present {

/// Converts frames to the bytes of an .ans file in code page 437, for a screen as wide as the frames. A file
/// has one of two dialects: Ice has the 16 colors of SGR, and the blink attribute means a bright background
/// (iCE colors); TrueColor has PabloDraw's sequences for 24-bit colors. Performs no I/O.
/// Thread-safety: one thread at a time.
class AnsEncoder {
 public:
  enum class Dialect { Ice, TrueColor };
  AnsEncoder(Dialect dialect, std::shared_ptr<const text::GlyphSet> glyphs)
      : dialect_(dialect), glyphs_(std::move(glyphs)) {
    for (const char32_t character : glyphs_->code_points()) bytes_.push_back(byte_of(character));
  }

  /// Returns the bytes that show the next frame: all cells of the first frame, but only the changed cells of
  /// later frames. Later frames never write the last cell, which would scroll the screen.
  [[nodiscard]] std::string encode(const render::RenderedFrame& frame);

  /// Returns the 16 VGA colors in the order of SGR, 0xRRGGBB.
  [[nodiscard]] static std::vector<std::uint32_t> palette();

 private:
  struct Cell {
    unsigned char byte = ' ';
    std::uint32_t foreground = 0, background = 0;  ///< 0xRRGGBB, or indices in palette()
    bool operator==(const Cell&) const = default;
  };
  [[nodiscard]] static unsigned char byte_of(char32_t character);
  [[nodiscard]] std::vector<Cell> cells_of(const render::RenderedFrame& frame) const;
  [[nodiscard]] std::uint32_t color_of(std::uint32_t color) const;
  void set_colors(std::string& bytes, const Cell& cell);
  void set_indexed(std::string& bytes, std::uint32_t foreground, std::uint32_t background) const;

  const Dialect dialect_;
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  std::vector<unsigned char> bytes_;  ///< the byte_of() of each glyph
  std::vector<Cell> shown_;
  Cell pen_;
  bool is_pen_known_ = false;
};

/// Returns the first character of a glyph set that is not in code page 437; empty if all are in it.
[[nodiscard]] std::optional<char32_t> outside_code_page_437(const text::GlyphSet& glyphs);

}  // namespace glyphreel::present
