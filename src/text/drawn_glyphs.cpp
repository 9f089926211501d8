#include "text/drawn_glyphs.h"

#include <algorithm>
#include <array>

namespace glyphreel::text {
namespace {

constexpr bool within(char32_t code_point, char32_t first, char32_t last) {
  return code_point >= first && code_point <= last;
}

/// The filled quarters of U+2596..U+259F: bit 0 upper left, 1 upper right, 2 lower left, 3 lower right.
constexpr std::array<unsigned, 10> Quadrants = {0b0100, 0b1000, 0b0001, 0b1101, 0b1001,
                                                0b0111, 0b1011, 0b0010, 0b0110, 0b1110};

/// Draws a mosaic of `columns` x `rows` tiles. The tile at (column, row) is filled if bit
/// (row * columns + column) of `tiles` is set.
void draw_mosaic(CellCanvas& canvas, int columns, int rows, unsigned tiles) {
  for (int tile = 0; tile < columns * rows; ++tile) {
    if ((tiles >> tile & 1u) == 0) continue;
    const int x = tile % columns;
    const int y = tile / columns;
    canvas.fill_fraction(x, x + 1, columns, y, y + 1, rows);
  }
}

void draw_block(char32_t code_point, CellCanvas& canvas) {
  if (code_point == 0x2580) {
    canvas.fill_fraction(0, 1, 1, 0, 1, 2);
  } else if (code_point <= 0x2588) {  // lower eighths up to the full block
    canvas.fill_fraction(0, 1, 1, 8 - static_cast<int>(code_point - 0x2580), 8, 8);
  } else if (code_point <= 0x258F) {  // left eighths, decreasing
    canvas.fill_fraction(0, 8 - static_cast<int>(code_point - 0x2588), 8, 0, 1, 1);
  } else if (code_point == 0x2590) {
    canvas.fill_fraction(1, 2, 2, 0, 1, 1);
  } else if (code_point <= 0x2593) {  // shades: 1/4, 1/2, 3/4
    canvas.fill_uniform(static_cast<std::uint8_t>((255 * static_cast<int>(code_point - 0x2590) + 2) / 4));
  } else if (code_point == 0x2594) {
    canvas.fill_fraction(0, 1, 1, 0, 1, 8);
  } else if (code_point == 0x2595) {
    canvas.fill_fraction(7, 8, 8, 0, 1, 1);
  } else {
    draw_mosaic(canvas, 2, 2, Quadrants[code_point - 0x2596]);
  }
}

/// Returns the filled tiles of a sextant as bits. The code points of sextants ascend with these bits. Four
/// patterns have no sextant, because other characters show them: empty, left half, right half and full.
unsigned sextant_tiles(char32_t code_point) {
  constexpr unsigned LeftHalf = 0b010101;
  constexpr unsigned RightHalf = 0b101010;
  unsigned tiles = static_cast<unsigned>(code_point - 0x1FB00) + 1;
  if (tiles >= LeftHalf) ++tiles;
  if (tiles >= RightHalf) ++tiles;
  return tiles;
}

struct Mosaic {
  unsigned tiles;
  char32_t character;
};

/// The patterns of two by four tiles whose characters are not in the Unicode range of the octants. Most of
/// these characters are older than the octants. Sorted by the pattern's bits.
constexpr auto OtherMosaics = std::to_array<Mosaic>(
    {{0x00, U' '},   {0x01, 0x1CEA8}, {0x02, 0x1CEAB}, {0x03, 0x1FB82}, {0x05, 0x2598},  {0x0A, 0x259D},
     {0x0F, 0x2580}, {0x14, 0x1FBE6}, {0x28, 0x1FBE7}, {0x3F, 0x1FB85}, {0x40, 0x1CEA3}, {0x50, 0x2596},
     {0x55, 0x258C}, {0x5A, 0x259E},  {0x5F, 0x259B},  {0x80, 0x1CEA0}, {0xA0, 0x2597},  {0xA5, 0x259A},
     {0xAA, 0x2590}, {0xAF, 0x259C},  {0xC0, 0x2582},  {0xF0, 0x2584},  {0xF5, 0x2599},  {0xFA, 0x259F},
     {0xFC, 0x2586}, {0xFF, 0x2588}});
constexpr char32_t FirstOctant = 0x1CD00;
constexpr char32_t LastOctant = 0x1CDE5;
static_assert(OtherMosaics.size() + (LastOctant - FirstOctant + 1) == 256);

/// Returns the characters of all 256 patterns of tiles. Patterns that OtherMosaics lacks are octants, whose
/// code points ascend with their tiles.
constexpr std::array<char32_t, 256> octant_table() {
  std::array<char32_t, 256> table{};
  for (const Mosaic& other : OtherMosaics) table[other.tiles] = other.character;
  char32_t octant = FirstOctant;
  for (char32_t& character : table) {
    if (character == 0) character = octant++;
  }
  return table;
}
constexpr std::array<char32_t, 256> Octants = octant_table();

/// Returns true for octants, and for the characters of OtherMosaics above U+259F. The characters of
/// OtherMosaics up to U+259F are the space and block elements, which are not drawn as octants.
bool is_octant(char32_t code_point) {
  return within(code_point, FirstOctant, LastOctant) ||
         (code_point > 0x259F &&
          std::ranges::find(OtherMosaics, code_point, &Mosaic::character) != OtherMosaics.end());
}

/// Draws up to eight round dots, each centered in its own eighth of the cell. Bits 0 to 2 of the code
/// point are the first three dots of the left column, bits 3 to 5 those of the right column, and bits 6 and 7
/// the last row.
void draw_braille(char32_t code_point, CellCanvas& canvas) {
  constexpr std::array<int, 8> Column = {0, 0, 0, 1, 1, 1, 0, 1};
  constexpr std::array<int, 8> Row = {0, 1, 2, 0, 1, 2, 3, 3};
  constexpr double RadiusOfTile = 0.4;  // radius / tile's shorter side; below 0.5, so that dots do not touch
  const double tile_width = canvas.cell().width / 2.0;
  const double tile_height = canvas.cell().height / 4.0;
  const double radius = RadiusOfTile * std::min(tile_width, tile_height);
  for (std::size_t dot = 0; dot < Column.size(); ++dot) {
    if ((code_point >> dot & 1u) == 0) continue;
    const double center_x = (Column[dot] + 0.5) * tile_width;
    const double center_y = (Row[dot] + 0.5) * tile_height;
    const int column = Column[dot];
    const int row = Row[dot];
    const int x1 = (canvas.cell().width * (column + 1) + 1) / 2;
    const int y1 = (canvas.cell().height * (row + 1) + 3) / 4;
    canvas.fill_where(
        canvas.cell().width * column / 2, x1, canvas.cell().height * row / 4, y1, [&](double x, double y) {
          return (x - center_x) * (x - center_x) + (y - center_y) * (y - center_y) <= radius * radius;
        });
  }
}

/// Divides a row of `size` pixels into `parts` equal parts, and fills the parts from..to (end excluded).
/// Returns how much of pixel number `pixel` is filled, in units of 1/parts pixel.
int overlap(int pixel, int size, int from, int to, int parts) {
  return std::max(0, std::min((pixel + 1) * parts, to * size) - std::max(pixel * parts, from * size));
}

}  // namespace

void CellCanvas::add(int x, int y, int coverage) {
  std::uint8_t& pixel = mask_[y * cell_.width + x];
  pixel = static_cast<std::uint8_t>(std::min(255, pixel + coverage));
}

void CellCanvas::fill_fraction(int x0, int x1, int across, int y0, int y1, int down) {
  const int whole = across * down;
  for (int y = 0; y < cell_.height; ++y) {
    for (int x = 0; x < cell_.width; ++x) {
      const int area = overlap(x, cell_.width, x0, x1, across) * overlap(y, cell_.height, y0, y1, down);
      add(x, y, (area * 255 + whole / 2) / whole);
    }
  }
}

void CellCanvas::fill_pixels(int x0, int x1, int y0, int y1) {
  for (int y = std::max(0, y0); y < std::min(cell_.height, y1); ++y) {
    for (int x = std::max(0, x0); x < std::min(cell_.width, x1); ++x) add(x, y, 255);
  }
}

void CellCanvas::fill_uniform(std::uint8_t coverage) {
  std::fill_n(mask_, cell_.width * cell_.height, coverage);
}

bool is_drawn_without_font(char32_t code_point) {
  return within(code_point, 0x2500, 0x259F) || within(code_point, 0x2800, 0x28FF) ||
         within(code_point, 0x1FB00, 0x1FB3B) || is_octant(code_point);
}

char32_t octant_character(unsigned tiles) {
  return Octants[tiles & 0xFF];
}

bool draw_without_font(char32_t code_point, CellCanvas canvas) {
  if (within(code_point, 0x2500, 0x257F)) {
    draw_box_character(code_point, canvas);
  } else if (within(code_point, 0x2580, 0x259F)) {
    draw_block(code_point, canvas);
  } else if (within(code_point, 0x2800, 0x28FF)) {
    draw_braille(code_point, canvas);
  } else if (within(code_point, 0x1FB00, 0x1FB3B)) {
    draw_mosaic(canvas, 2, 3, sextant_tiles(code_point));
  } else if (is_octant(code_point)) {
    const auto tiles = std::ranges::find(Octants, code_point) - Octants.begin();
    draw_mosaic(canvas, 2, 4, static_cast<unsigned>(tiles));
  } else {
    return false;
  }
  return true;
}

}  // namespace glyphreel::text
