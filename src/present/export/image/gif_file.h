#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "present/export/image/cell_picture.h"
#include "present/export/image/color_quantizer.h"
#include "present/export/image/gif_lzw.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// Makes the bytes of a GIF from cells. Only cells that change are drawn: all others keep their pixels, even
/// if the palette changes, so they do not flicker. Colors are exact if the changed cells together have at
/// most 255 colors. If all cells of an opaque frame change, 256 colors are exact, too, because a frame that
/// is drawn whole needs no transparent index. If the changed cells have more colors, a palette is computed
/// from all cells, with fewer than 255 colors if the error is invisible, and kept until its error becomes too
/// large. With a computed palette, a pixel may keep its previous color if this color is close to the pixel's
/// exact color, and if the cell's mean color remains close to its exact mean color. Also, the edges of glyphs
/// may have similar palette colors that compress better. Differences are measured from the exact colors, so
/// they do not add up over time. Performs no I/O.
/// Thread-safety: one thread at a time.
class GifFile {
 public:
  /// `transparent`: cells with this background show only their glyphs, and every frame draws all cells;
  /// empty: no transparency.
  GifFile(std::shared_ptr<const text::GlyphSet> glyphs, std::optional<std::uint32_t> transparent);

  struct EncodedFrame {
    std::string bytes;
    std::size_t delay_at = 0;  ///< position of the two bytes of the delay

    /// Sets how long the frame is shown, in hundredths of a second. `delay` is clamped to 0..65535.
    void set_delay(std::int64_t delay);
    /// Removes the file's header from the bytes of the first frame. No effect on other frames.
    void leave_out_header();
  };
  static constexpr std::int64_t MaxDelay = 65535;
  /// Returns the bytes of the next frame; empty if it looks like the previous frame.
  [[nodiscard]] std::optional<EncodedFrame> add(const render::RenderedFrame& frame);
  /// Returns the bytes after the last frame.
  [[nodiscard]] static std::string end() { return ";"; }

 private:
  void count_colors(const render::RenderedFrame& frame, std::span<const std::size_t> cells);
  void choose_palette(const render::RenderedFrame& frame, std::span<const std::size_t> changed);
  void draw_cell(const render::RenderedFrame& frame, std::size_t cell);
  void clear_canvas();
  [[nodiscard]] PixelArea drawn_area() const;
  [[nodiscard]] EncodedFrame encode(PixelArea area);
  [[nodiscard]] std::vector<std::uint32_t> reduce_palette();
  [[nodiscard]] std::string compress(PixelArea area, const std::vector<std::uint32_t>& palette);
  [[nodiscard]] std::vector<std::size_t> changed_cells(const render::RenderedFrame& frame) const;
  [[nodiscard]] std::size_t row_at(std::size_t cell, int y) const;

  const std::shared_ptr<const text::GlyphSet> glyphs_;
  const std::optional<std::uint32_t> transparent_;
  GridSize grid_;
  Extent size_;
  std::vector<render::Cell> shown_;    ///< of the last drawn frame
  std::vector<std::uint32_t> canvas_;  ///< the pixels that a viewer shows, 0xRRGGBB or Nothing
  std::vector<std::uint32_t> wanted_;  ///< the exact color of each pixel of `canvas_`, 0xRRGGBB or Nothing
  std::vector<GifPixel> pixels_;       ///< what each pixel of the frame being drawn may be written as
  ColorCounts counts_;
  NearestColor colors_{{}};
  double palette_error_ = 0;                   ///< mean error when colors_ was made; 0: exact palette
  std::vector<std::uint32_t> global_palette_;  ///< of the first frame; empty before that frame
};

}  // namespace glyphreel::present
