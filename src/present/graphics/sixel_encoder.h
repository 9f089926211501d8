#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "present/export/image/cell_picture.h"
#include "present/export/image/color_quantizer.h"
#include "present/graphics/graphics_encoder.h"

namespace glyphreel::present {

/// Encodes pictures as sixels (DEC STD 070), with color components from 0 to 100. Sends only the screen rows
/// that change. Keeps the palette as long as it fits, so that unchanged areas do not flicker; a new palette
/// requires sending the whole picture.
class SixelEncoder final : public GraphicsEncoder {
 public:
  /// `colors`: the number of the terminal's color registers, up to 256.
  explicit SixelEncoder(int colors) : max_colors_(static_cast<std::size_t>(colors)) {}

  /// Leaves the last row free: a terminal scrolls if the cursor leaves the screen below a picture.
  [[nodiscard]] Extent area() const override;

 private:
  void append(const Picture& picture, const Picture* before, ScreenPosition at, std::string& bytes) override;
  [[nodiscard]] bool palette_fits();
  [[nodiscard]] bool choose_palette(const Picture& changed, const Picture& whole);
  void count(const Picture& picture);
  void append_sixels(const Picture& picture, std::string& bytes);
  void append_band(const Picture& picture, int top, std::string& bytes);

  const std::size_t max_colors_;
  ColorCounts counts_;
  NearestColor colors_{{}};
  double palette_error_ = 0;  ///< colors_.error() when the palette was made; 0: exact palette

  /// The columns in which a color has pixels in the current band.
  struct Columns {
    int first = 0, last = -1;  ///< last < first: nowhere
  };
  std::vector<Columns> used_;        ///< by color
  std::vector<std::uint8_t> masks_;  ///< by color and column: a bit per row, bit 0 for the top row
};

}  // namespace glyphreel::present
