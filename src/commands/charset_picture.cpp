#include "commands/charset_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "media/still/png.h"

namespace glyphreel::commands {
namespace {

using Color = std::uint32_t;  // 0xFFRRGGBB

constexpr Color Page = 0xFF0F1216;
constexpr Color Tile = 0xFF1A1F26;
constexpr Color Ink = 0xFFF2F5F9;
constexpr Color Bright = 0xFFFFFFFF;
constexpr Color Muted = 0xFF8A96A6;
constexpr Color Faint = 0xFF2A313B;
constexpr Color Curve = 0xFF4FC3F7;

constexpr int Margin = 40;
constexpr int ContentWidth = 1520;
constexpr int PlotHeight = 120;
constexpr int Gap = 8;                  // between tiles
constexpr int Padding = 4;              // between a tile's edge and its glyph
constexpr std::size_t MaxLabels = 520;  // with more characters, rows get labels instead
constexpr int WantedHeight = 4000;      // the scale is reduced if the sheet would be taller
constexpr int MaxSide = 16384;

class Canvas {
 public:
  explicit Canvas(Extent size)
      : size_(size),
        pixels_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), Page) {}

  void fill(int x, int y, int width, int height, Color color) {
    for (int row = y; row < y + height; ++row) {
      for (int column = x; column < x + width; ++column) at(column, row) = color;
    }
  }

  /// Draws a glyph with each of its pixels as a square of `scale` pixels.
  void draw(const text::GlyphSet& glyphs, int glyph, int x, int y, int scale, Color color) {
    const CellSize cell = glyphs.cell();
    const std::uint8_t* mask =
        glyphs.masks().data() + static_cast<std::size_t>(glyph) * cell.width * cell.height;
    for (int row = 0; row < cell.height * scale; ++row) {
      for (int column = 0; column < cell.width * scale; ++column) {
        Color& pixel = at(x + column, y + row);
        pixel = mix(pixel, color, mask[row / scale * cell.width + column / scale]);
      }
    }
  }

  /// The picture; valid as long as the canvas.
  [[nodiscard]] Picture picture() {
    Picture picture{.format = PictureFormat::Bgra8, .size = size_};
    picture.planes[0] = reinterpret_cast<std::byte*>(pixels_.data());
    picture.strides[0] = size_.width * static_cast<int>(sizeof(Color));
    return picture;
  }

 private:
  static Color mix(Color under, Color over, unsigned coverage) {
    Color mixed = 0xFF000000;
    for (int shift = 0; shift < 24; shift += 8) {
      const unsigned sum = ((under >> shift) & 255) * (255 - coverage) + ((over >> shift) & 255) * coverage;
      mixed |= ((sum + 127) / 255) << shift;
    }
    return mixed;
  }
  Color& at(int x, int y) { return pixels_[static_cast<std::size_t>(y) * size_.width + x]; }

  Extent size_;
  std::vector<Color> pixels_;
};

/// Draws lines of printable ASCII and the extra characters given to make().
class Caption {
 public:
  static Result<Caption> make(const std::string& font, CellSize cell, const std::string& more = {}) {
    std::string characters;
    for (char letter = ' '; letter <= '~'; ++letter) characters += letter;
    auto glyphs = text::GlyphSet::make({.font = font, .cell = cell, .characters = characters + more});
    // A file's name may contain characters that no font has; the others are enough.
    if (!glyphs) glyphs = text::GlyphSet::make({.font = font, .cell = cell, .characters = characters});
    if (!glyphs) return std::move(glyphs.error());
    return Caption(*std::move(glyphs));
  }

  /// Draws as much as fits into `max_width` pixels.
  void draw(Canvas& canvas, int x, int y, Color color, const std::string& words, int max_width) const {
    const int step = glyphs_->cell().width;
    const int end = x + max_width;
    for (const int glyph : glyphs_of(words)) {
      if (x + step > end) return;
      canvas.draw(*glyphs_, glyph, x, y, 1, color);
      x += step;
    }
  }
  [[nodiscard]] int width(const std::string& words) const {
    return static_cast<int>(glyphs_of(words).size()) * glyphs_->cell().width;
  }

 private:
  explicit Caption(std::shared_ptr<const text::GlyphSet> glyphs) : glyphs_(std::move(glyphs)) {}

  [[nodiscard]] std::vector<int> glyphs_of(const std::string& words) const {
    std::vector<int> line;
    const auto code_points = text::decode_utf8(words);
    if (!code_points) return line;
    for (const char32_t code_point : *code_points) {
      const auto& all = glyphs_->code_points();
      const auto found = std::find(all.begin(), all.end(), code_point);
      if (found == all.end()) continue;
      const int glyph = static_cast<int>(found - all.begin());
      line.push_back(glyph);
      if (glyphs_->columns(glyph) == text::GlyphColumns::WideLeft) line.push_back(glyph + 1);
    }
    return line;
  }

  std::shared_ptr<const text::GlyphSet> glyphs_;
};

constexpr CellSize TitleCell{14, 28};
constexpr CellSize TextCell{8, 16};
constexpr CellSize LabelCell{6, 12};

/// The placement of the tiles.
struct Layout {
  int scale = 1;
  bool labels = false;  ///< a code point under each tile; else one before each row
  int cell_width = 0;   ///< of a tile for one cell, including the gap
  int row_height = 0;
  int columns = 0;
  int left = 0;
  int rows = 0;
};

struct Place {
  int column = 0;
  int row = 0;
};

/// Returns the position of each character; wide ones start a new row.
std::vector<Place> places_of(const CharsetSheet& sheet, int columns) {
  std::vector<Place> places;
  Place next;
  int cells = 1;
  for (const CharsetSheet::Character& character : sheet.characters) {
    if (next.column + character.cells > columns || (next.column > 0 && character.cells != cells)) {
      next = {0, next.row + 1};
    }
    cells = character.cells;
    places.push_back(next);
    next.column += cells;
  }
  return places;
}

Layout layout_at(const CharsetSheet& sheet, int scale) {
  const CellSize cell = sheet.glyphs->cell();
  const int widest = sheet.glyphs->has_wide() ? 2 : 1;
  Layout layout{.scale = scale, .labels = sheet.characters.size() <= MaxLabels};
  layout.cell_width = cell.width * scale + (2 * Padding + Gap) / widest;
  if (layout.labels) layout.cell_width = std::max(layout.cell_width, 5 * LabelCell.width + Gap);
  layout.row_height = cell.height * scale + 2 * Padding + Gap + (layout.labels ? LabelCell.height + 4 : 0);
  layout.left = Margin + (layout.labels ? 0 : 8 * LabelCell.width);
  const int room = Margin + ContentWidth + Gap - layout.left;
  layout.columns = std::max(widest, room / layout.cell_width / widest * widest);
  layout.cell_width = std::max(layout.cell_width, room / layout.columns);
  for (const Place& place : places_of(sheet, layout.columns)) layout.rows = place.row + 1;
  return layout;
}

/// Returns the layout with the largest scale, up to four, that keeps the sheet at a size that screens can
/// show.
Layout choose_layout(const CharsetSheet& sheet) {
  int scale = 4;
  while (scale > 1 && layout_at(sheet, scale).rows * layout_at(sheet, scale).row_height > WantedHeight)
    --scale;
  return layout_at(sheet, scale);
}

void draw_curve(Canvas& canvas, const Caption& caption, const CharsetSheet& sheet, int top) {
  constexpr int AxisWidth = 64;
  constexpr int Width = ContentWidth - AxisWidth;
  const double most = sheet.tones.back() > 0 ? sheet.tones.back() : 1.0;
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const int y = top + PlotHeight - PlotHeight * quarter / 4;
    canvas.fill(Margin + AxisWidth, y, Width, 1, Faint);
    if (quarter % 2 != 0) continue;
    const std::string label = fmt::format("{:.1f} %", most * 100 * quarter / 4);
    caption.draw(canvas, Margin + AxisWidth - 10 - caption.width(label), y - TextCell.height / 2, Muted,
                 label, AxisWidth);
  }
  const int bars = std::min(static_cast<int>(sheet.tones.size()), Width);
  for (int bar = 0; bar < bars; ++bar) {
    const int from = Width * bar / bars;
    const int to = Width * (bar + 1) / bars;
    const int height = static_cast<int>(std::lround(tone_at(sheet.tones, bar, bars) / most * PlotHeight));
    const int width = to - from - (to - from >= 6 ? 1 : 0);
    canvas.fill(Margin + AxisWidth + from, top + PlotHeight - height, width, height, Curve);
  }
}

void draw_tiles(Canvas& canvas, const Caption& label, const CharsetSheet& sheet, const Layout& layout,
                int top) {
  const text::GlyphSet& glyphs = *sheet.glyphs;
  const int glyph_width = glyphs.cell().width * layout.scale;
  const int glyph_height = glyphs.cell().height * layout.scale;
  const std::vector<Place> places = places_of(sheet, layout.columns);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const CharsetSheet::Character& character = sheet.characters[i];
    const auto code_point =
        static_cast<unsigned>(glyphs.code_points()[static_cast<std::size_t>(character.glyph)]);
    const int x = layout.left + places[i].column * layout.cell_width;
    const int y = top + places[i].row * layout.row_height;
    const int width = character.cells * layout.cell_width - Gap;
    canvas.fill(x, y, width, glyph_height + 2 * Padding, Tile);
    for (int cell = 0; cell < character.cells; ++cell) {
      const int glyph_x = x + (width - character.cells * glyph_width) / 2 + cell * glyph_width;
      canvas.draw(glyphs, character.glyph + cell, glyph_x, y + Padding, layout.scale, Ink);
    }
    const std::string name = fmt::format("{:04X}", code_point);
    if (layout.labels) {
      const int centered = x + (width - label.width(name)) / 2;
      label.draw(canvas, centered, y + glyph_height + 2 * Padding + 2, Muted, name, width);
    } else if (places[i].column == 0) {
      label.draw(canvas, Margin, y + Padding + (glyph_height - LabelCell.height) / 2, Muted, name,
                 layout.left - Margin);
    }
  }
}

std::string facts(const CharsetSheet& sheet) {
  return fmt::format("{} glyphs of {}x{} pixels, {:.1f} % to {:.1f} % of a full cell's light",
                     sheet.characters.size(), sheet.glyphs->cell().width, sheet.glyphs->cell().height,
                     sheet.tones.front() * 100, sheet.tones.back() * 100);
}

}  // namespace

Result<void> write_charset_picture(const CharsetSheet& sheet, const std::string& font,
                                   AtomicFile::Options file) {
  TRY_ASSIGN(const Caption title, Caption::make(font, TitleCell, sheet.name));
  TRY_ASSIGN(const Caption words, Caption::make(font, TextCell));
  TRY_ASSIGN(const Caption label, Caption::make(font, LabelCell));
  const Layout layout = choose_layout(sheet);
  const int fonts = static_cast<int>(sheet.glyphs->fonts().size());
  const int facts_at = Margin + TitleCell.height + 10;
  const int curve_at = facts_at + (1 + fonts) * (TextCell.height + 4) + 28;
  const int tiles_at = curve_at + PlotHeight + 36;
  const Extent size{ContentWidth + 2 * Margin, tiles_at + layout.rows * layout.row_height - Gap + Margin};
  if (size.height > MaxSide) {
    return Error{ErrorCode::Usage,
                 fmt::format("The picture of the glyphs would be {} pixels high; choose a smaller --cell.",
                             size.height),
                 {}};
  }
  Canvas canvas(size);
  title.draw(canvas, Margin, Margin, Bright, sheet.name, ContentWidth);
  words.draw(canvas, Margin, facts_at, Muted, facts(sheet), ContentWidth);
  for (int i = 0; i < fonts; ++i) {
    const text::UsedFont& used = sheet.glyphs->fonts()[static_cast<std::size_t>(i)];
    words.draw(canvas, Margin, facts_at + (i + 1) * (TextCell.height + 4), Muted,
               fmt::format("{}: {}", used.description, used.characters), ContentWidth);
  }
  draw_curve(canvas, words, sheet, curve_at);
  draw_tiles(canvas, label, sheet, layout, tiles_at);
  return media::write_png(std::move(file), canvas.picture());
}

}  // namespace glyphreel::commands
