#include "present/export/characters/xbin.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "present/export/image/cell_picture.h"
#include "present/export/image/color_quantizer.h"
#include "text/code_points/code_page_437.h"

namespace glyphreel::present {
namespace {

constexpr int FontWidth = 8;
constexpr std::size_t PaletteColors = 16;
constexpr std::size_t MaxRun = 64;
constexpr int HalfCoverage = 128;

using Bitmap = std::string;  // one byte per row of pixels

Bitmap bitmap_of(const std::uint8_t* mask, int height) {
  Bitmap bitmap;
  for (int y = 0; y < height; ++y, mask += FontWidth) {
    unsigned row = 0;
    for (int x = 0; x < FontWidth; ++x) row = row << 1 | (mask[x] >= HalfCoverage ? 1 : 0);
    bitmap.push_back(static_cast<char>(row));
  }
  return bitmap;
}

int difference(const Bitmap& a, const Bitmap& b) {
  int pixels = 0;
  for (std::size_t i = 0; i < a.size(); ++i) pixels += std::popcount(static_cast<unsigned char>(a[i] ^ b[i]));
  return pixels;
}

struct Glyph {
  int cells = 0;           ///< number of cells that show the glyph
  char32_t character = 0;  ///< character of the first cell that shows the glyph
  std::uint8_t place = 0;  ///< index in the XBin font
};

/// Assigns a font index to each of the 256 most frequent glyphs. Each of the remaining glyphs gets the index
/// of the most similar of these 256 glyphs.
void place_glyphs(std::map<Bitmap, Glyph>& glyphs) {
  std::vector<std::pair<const Bitmap, Glyph>*> order;
  for (auto& glyph : glyphs) order.push_back(&glyph);
  std::ranges::stable_sort(order, std::greater(), [](const auto* glyph) { return glyph->second.cells; });
  std::array<bool, Xbin::Characters> is_taken{};
  std::vector<std::pair<const Bitmap, Glyph>*> unplaced;
  const std::size_t kept = std::min<std::size_t>(order.size(), Xbin::Characters);
  for (std::size_t i = 0; i < kept; ++i) {
    const std::optional<unsigned char> usual = text::code_page_437(order[i]->second.character);
    if (usual && !is_taken[*usual]) {
      is_taken[*usual] = true;
      order[i]->second.place = *usual;
    } else {
      unplaced.push_back(order[i]);
    }
  }
  std::size_t next = 1;  // index 0 comes last: some viewers end the text there, instead of showing a blank
  for (auto* glyph : unplaced) {
    while (is_taken[next % Xbin::Characters]) ++next;
    glyph->second.place = static_cast<std::uint8_t>(next % Xbin::Characters);
    is_taken[glyph->second.place] = true;
  }
  for (std::size_t i = kept; i < order.size(); ++i) {
    const auto* nearest = *std::ranges::min_element(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), {},
        [&](const auto* other) { return difference(other->first, order[i]->first); });
    order[i]->second.place = nearest->second.place;
  }
}

void append_number(std::string& bytes, std::size_t value) {
  bytes += static_cast<char>(value & 255);
  bytes += static_cast<char>(value >> 8 & 255);
}

}  // namespace

Xbin make_xbin(const render::RenderedFrame& frame, const text::GlyphSet& glyphs) {
  const int height = glyphs.cell().height;
  const render::Characters characters(glyphs, frame.overlay_glyphs.get());
  std::map<Bitmap, Glyph> used;
  std::vector<const Glyph*> of_cells;
  ColorCounts counts;
  for (const render::Cell& cell : frame.cells) {
    const Bitmap bitmap = bitmap_of(mask_of(frame, glyphs, cell), height);
    Glyph& glyph = used[bitmap];
    if (glyph.cells++ == 0) glyph.character = characters.code_point(cell.glyph);
    of_cells.push_back(&glyph);
    std::uint32_t ink = 0;
    for (const char row : bitmap)
      ink += static_cast<std::uint32_t>(std::popcount(static_cast<unsigned char>(row)));
    counts.add(cell.foreground, ink);
    counts.add(cell.background, static_cast<std::uint32_t>(FontWidth * height) - ink);
  }
  place_glyphs(used);
  NearestColor colors(quantize(counts, PaletteColors));
  Xbin screen{
      .grid = frame.grid, .palette = colors.palette(), .font_height = height, .font = {}, .cells = {}};
  screen.font.resize(static_cast<std::size_t>(Xbin::Characters) * static_cast<std::size_t>(height));
  // Several glyphs may share a font index. Write the most frequent glyphs last, so that they remain.
  std::vector<std::pair<int, const Bitmap*>> order;
  for (const auto& [bitmap, glyph] : used) order.emplace_back(glyph.cells, &bitmap);
  std::ranges::stable_sort(order, {}, [](const auto& each) { return each.first; });
  for (const auto& [cells, bitmap] : order) {
    std::ranges::copy(*bitmap,
                      screen.font.begin() + static_cast<std::ptrdiff_t>(used[*bitmap].place) * height);
  }
  for (std::size_t i = 0; i < frame.cells.size(); ++i) {
    const auto foreground = static_cast<unsigned>(colors.index(frame.cells[i].foreground));
    const auto background = static_cast<unsigned>(colors.index(frame.cells[i].background));
    screen.cells.push_back({of_cells[i]->place, static_cast<std::uint8_t>(background << 4 | foreground)});
  }
  return screen;
}

std::string xbin_row(std::span<const Xbin::Cell> row) {
  std::string bytes;
  const auto run_of = [&](std::size_t at, auto same) {
    std::size_t end = at + 1;
    while (end < row.size() && end - at < MaxRun && same(row[end])) ++end;
    return end - at;
  };
  for (std::size_t at = 0; at < row.size();) {
    const Xbin::Cell first = row[at];
    const std::size_t characters = run_of(at, [&](Xbin::Cell c) { return c.character == first.character; });
    const std::size_t attributes = run_of(at, [&](Xbin::Cell c) { return c.attribute == first.attribute; });
    const std::size_t both = run_of(at, [&](Xbin::Cell c) { return c == first; });
    const auto begin = [&](unsigned kind, std::size_t length) {
      bytes += static_cast<char>(kind << 6 | static_cast<unsigned>(length - 1));
    };
    if (both >= 2) {
      begin(3, both);
      bytes += static_cast<char>(first.character);
      bytes += static_cast<char>(first.attribute);
      at += both;
    } else if (attributes >= 2 && attributes >= characters) {
      begin(2, attributes);
      bytes += static_cast<char>(first.attribute);
      for (std::size_t i = 0; i < attributes; ++i) bytes += static_cast<char>(row[at + i].character);
      at += attributes;
    } else if (characters >= 2) {
      begin(1, characters);
      bytes += static_cast<char>(first.character);
      for (std::size_t i = 0; i < characters; ++i) bytes += static_cast<char>(row[at + i].attribute);
      at += characters;
    } else {
      // An uncompressed run ends before two neighbors that share a character or an attribute.
      std::size_t end = at + 1;
      while (end < row.size() && end - at < MaxRun &&
             !(end + 1 < row.size() && (row[end].character == row[end + 1].character ||
                                        row[end].attribute == row[end + 1].attribute)))
        ++end;
      begin(0, end - at);
      for (; at < end; ++at) {
        bytes += static_cast<char>(row[at].character);
        bytes += static_cast<char>(row[at].attribute);
      }
    }
  }
  return bytes;
}

std::string xbin_bytes(const Xbin& screen) {
  std::string bytes = "XBIN\x1A";
  append_number(bytes, static_cast<std::size_t>(screen.grid.columns));
  append_number(bytes, static_cast<std::size_t>(screen.grid.rows));
  bytes += static_cast<char>(screen.font_height);
  bytes += static_cast<char>(1 | 2 | 4 | 8);  // palette, font, compressed, no blinking
  for (std::size_t i = 0; i < PaletteColors; ++i) {
    const std::uint32_t color = i < screen.palette.size() ? screen.palette[i] : 0;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(((color >> shift & 255) * 63 + 127) / 255);
  }
  bytes.append(screen.font.begin(), screen.font.end());
  const auto columns = static_cast<std::size_t>(screen.grid.columns);
  for (std::size_t at = 0; at + columns <= screen.cells.size(); at += columns)
    bytes += xbin_row(std::span(screen.cells).subspan(at, columns));
  return bytes;
}

}  // namespace glyphreel::present
