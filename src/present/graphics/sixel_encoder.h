#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "present/export/image/cell_picture.h"
#include "present/export/image/color_quantizer.h"
#include "present/graphics/graphics_encoder.h"

namespace glyphreel::present {

/// Encodes pictures as sixels (DEC STD 070): only rows of the screen that change, in colors from 0 to 100. A
/// palette is kept as long as it fits, so that areas that stay the same do not flicker; with another palette
/// the whole picture is sent.
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
  double palette_error_ = 0;  ///< mean squared error of colors_ where it was made; 0: exact

  /// Where a color has pixels in the band.
  struct Columns {
    int first = 0, last = -1;  ///< last < first: nowhere
  };
  std::vector<Columns> used_;        ///< by color
  std::vector<std::uint8_t> masks_;  ///< by color and column: a bit per row, bit 0 for the top row
};

}  // namespace glyphreel::present
