#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// The content of an XBin file (www.acid.org/info/xbin/x_spec.htm).
struct Xbin {
  struct Cell {
    std::uint8_t character = 0;
    std::uint8_t attribute = 0;  ///< background in the upper four bits, foreground in the lower four
    bool operator==(const Cell&) const = default;
  };
  static constexpr int Characters = 256;

  GridSize grid;
  std::vector<std::uint32_t> palette;  ///< up to 16 colors, 0xRRGGBB; the file keeps 6 bits of each component
  int font_height = 16;                ///< pixels, up to 32
  std::vector<std::uint8_t> font;  ///< font_height bytes per character: one per row; top bit: leftmost pixel
  std::vector<Cell> cells;
};

/// Converts a frame to XBin. The font has the glyphs that the frame uses, in black and white; characters of
/// code page 437 keep their usual indices. If there are more than 256 glyphs, similar glyphs replace the
/// rarest. The palette approximates the cells' colors. `glyphs` must be 8 pixels wide and at most 32 high.
[[nodiscard]] Xbin make_xbin(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);

/// Returns the content of the .xb file, compressed, without a SAUCE record.
[[nodiscard]] std::string xbin_bytes(const Xbin& screen);

/// Compresses one row of cells.
[[nodiscard]] std::string xbin_row(std::span<const Xbin::Cell> row);

}  // namespace glyphreel::present
