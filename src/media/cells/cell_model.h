#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/cell_frame.h"
#include "media/cells/bit_coder.h"

namespace glyphreel::media {

/// The state that the encoder and the decoder of a chunk share: the last two frames, and the models learned
/// from the bits coded so far. docs/cells-format.md describes the algorithm.
/// Thread-safety: one thread at a time.
class CellModel {
 public:
  explicit CellModel(GridSize grid);

  static constexpr int MaxGlyphBits = 20;
  /// Resets all state. `glyph_bits`: bits in a glyph number, up to MaxGlyphBits.
  void begin_chunk(int glyph_bits);

  /// Codes one frame. With a BitEncoder, `cells` are read; with a BitDecoder, they are written. Returns false
  /// if a glyph number is not an index into `glyphs`.
  template <class Coder>
  [[nodiscard]] bool code_frame(Coder& coder, std::span<RecordedCell> cells,
                                std::span<const RecordedGlyph> glyphs);

 private:
  static constexpr std::size_t Planes = 6;  // green, red, blue of the background, then of the foreground
  static constexpr std::size_t Groups = Planes * 3;  // model groups: first frame, same glyph, changed glyph
  static constexpr std::size_t Levels = 9;           // number of values that level_of() can return
  static constexpr std::size_t MaxSize = 7;          // maximum bit width of (absolute residual - 1)
  // Models of a residual's bits: whether it is 0, its sign, and the unary bit width, separately for each
  // sign.
  static constexpr std::size_t Symbols = 2 + 2 * MaxSize;
  static constexpr std::size_t GlyphNodes = 1 << 16;

  /// The vectors have an empty row above and below the grid, and an empty column to the left of it. The right
  /// neighbor of a row's last cell is the next row's element in that column. So each cell has all neighbors.
  struct Frame {
    std::vector<RecordedCell> cells;
    std::vector<std::uint8_t> same;     ///< 1: equals the cell in the previous frame
    std::vector<std::uint8_t> changed;  ///< 1: the glyph differs from the previous frame's
    std::array<std::vector<std::int8_t>, Planes> residuals;
  };
  /// The models, which adapt to the bits coded so far in the chunk.
  struct Models {
    std::array<BitModel, 1 << 7> same;
    std::array<BitModel, 1 << 10> changed;
    std::array<std::vector<BitModel>, BitMixer::Models> glyphs;
    std::array<BitMixer, MaxGlyphBits> glyph_mixers;
    using Residual = std::array<BitModel, Symbols>;
    std::array<Residual, Groups * Levels * Levels> by_neighbors, by_past;
    std::array<std::array<BitMixer, Symbols>, Groups> mixers;
    std::array<std::array<BitModel, 1 << MaxSize>, Groups*(MaxSize + 1)> digits;
  };

  template <class Coder>
  void code_glyph(Coder& coder, std::size_t i, RecordedCell& cell);
  template <class Coder>
  void code_colors(Coder& coder, std::size_t i, RecordedCell& cell, std::span<const RecordedGlyph> glyphs);
  template <class Coder>
  [[nodiscard]] int code_residual(Coder& coder, std::size_t plane, std::size_t i, int residual);
  [[nodiscard]] int predict(std::size_t plane, std::size_t i, std::span<const RecordedGlyph> glyphs) const;
  [[nodiscard]] std::size_t flags_around(std::vector<std::uint8_t> Frame::*flags, std::size_t i) const;
  /// Calls visit(index into a frame's vectors, cell) for all cells.
  void for_each(std::span<RecordedCell> cells, auto&& visit);

  const GridSize grid_;
  const std::size_t pitch_;
  const std::size_t size_;  ///< number of elements in each of a frame's vectors
  int glyph_bits_ = 0;
  bool is_first_ = true;
  Frame now_, before_;
  Models models_;
};

}  // namespace glyphreel::media
