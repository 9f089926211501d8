#pragma once

#include <cstdint>
#include <memory>

#include "base/geometry.h"
#include "base/result.h"
#include "text/fonts/font_search.h"

namespace glyphreel::text {

/// A picture in BGRA with premultiplied alpha. The rows begin at the top and are `pitch` bytes apart.
struct ColorBitmap {
  Extent size;
  int pitch = 0;
  const std::uint8_t* pixels = nullptr;
};

/// Draws a picture in gray levels, as coverage: white pixels have the coverage 255, and opaque black ones a
/// third of it, so that they are visible too. Scales the picture to the largest size that fits the canvas,
/// and centers it. `mask` has canvas.width * canvas.height bytes, zeroed by the caller.
void draw_as_coverage(const ColorBitmap& bitmap, CellSize canvas, std::uint8_t* mask);

/// A font of color bitmaps, as many emoji fonts are. Thread-safety: one thread at a time.
class ColorFont {
 public:
  /// Errors: Usage if the file is not a font of color bitmaps.
  [[nodiscard]] static Result<ColorFont> open(const FontFile& file);

  ColorFont(ColorFont&&) noexcept;
  ColorFont& operator=(ColorFont&&) noexcept;
  ~ColorFont();

  /// Whether the font has a color bitmap for the character.
  [[nodiscard]] bool has(char32_t character) const;
  /// Draws a character as in draw_as_coverage(). Errors: Usage if the font has no bitmap for the character.
  [[nodiscard]] Result<void> draw(char32_t character, CellSize canvas, std::uint8_t* mask);

 private:
  struct State;
  explicit ColorFont(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::text
