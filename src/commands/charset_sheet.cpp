#include "commands/charset_sheet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/io/printable.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/glyph_tables.h"
#include "session/setup.h"
#include "session/statistics.h"

namespace glyphreel::commands {
namespace {

constexpr double FullLight = 65535.0;  // the light of a cell whose pixels are all foreground

char32_t code_point_of(const CharsetSheet& sheet, const CharsetSheet::Character& character) {
  return sheet.glyphs->code_points()[static_cast<std::size_t>(character.glyph)];
}

int wide_count(const CharsetSheet& sheet) {
  return (sheet.glyphs->size() - sheet.glyphs->narrow_count()) / 2;
}

/// Returns the largest difference between two adjacent values of the tone curve.
double largest_step(const std::vector<double>& tones) {
  double step = 0.0;
  for (std::size_t i = 1; i < tones.size(); ++i) step = std::max(step, tones[i] - tones[i - 1]);
  return step;
}

/// Draws the tone curve as a filled plot of Columns by Rows characters, with eight levels per character.
std::string tone_plot(const std::vector<double>& tones) {
  constexpr int Columns = 64;
  constexpr int Rows = 8;
  constexpr std::array<const char*, 9> Bars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double top = tones.back() > 0 ? tones.back() : 1.0;
  std::array<int, Columns> eighths{};
  for (int column = 0; column < Columns; ++column) {
    eighths[static_cast<std::size_t>(column)] =
        static_cast<int>(std::lround(tone_at(tones, column, Columns) / top * Rows * 8));
  }
  std::string plot;
  for (int row = Rows - 1; row >= 0; --row) {
    const bool is_labeled = row == Rows - 1 || row == Rows / 2 - 1;
    plot += is_labeled ? fmt::format("{:6.1f} % ", top * 100 * (row + 1) / Rows) : std::string(9, ' ');
    for (const int height : eighths)
      plot += Bars[static_cast<std::size_t>(std::clamp(height - 8 * row, 0, 8))];
    plot += '\n';
  }
  return plot + fmt::format("{:9}{:<{}}{}\n", "", "darkest", Columns - 9, "brightest");
}

/// Returns the characters in rows. Each row starts with the code point of its first character, and wide
/// characters occupy two columns.
std::string character_rows(const CharsetSheet& sheet) {
  constexpr int CellsPerRow = 32;
  std::string rows;
  int used = CellsPerRow;
  int cells = 1;
  for (const CharsetSheet::Character& character : sheet.characters) {
    if (used + character.cells > CellsPerRow || character.cells != cells) {
      rows += fmt::format("{}{:<9}", rows.empty() ? "" : "\n",
                          fmt::format("U+{:04X}", static_cast<unsigned>(code_point_of(sheet, character))));
      used = 0;
    }
    cells = character.cells;
    rows += sheet.glyphs->utf8(character.glyph);
    rows += ' ';
    used += character.cells;
  }
  return rows + '\n';
}

}  // namespace

CharsetSheet measure_charset(std::string name, std::shared_ptr<const text::GlyphSet> glyphs) {
  CharsetSheet sheet{.name = std::move(name), .glyphs = std::move(glyphs)};
  const std::vector<std::uint32_t> ink = mapping::measure_ink(*sheet.glyphs);
  for (int glyph = 0; glyph < sheet.glyphs->size();) {
    const int cells = sheet.glyphs->columns(glyph) == text::GlyphColumns::Narrow ? 1 : 2;
    double light = 0.0;
    for (int cell = 0; cell < cells; ++cell) light += ink[static_cast<std::size_t>(glyph + cell)] / FullLight;
    sheet.characters.push_back({glyph, cells, light / cells});
    sheet.tones.push_back(light / cells);
    glyph += cells;
  }
  std::sort(sheet.tones.begin(), sheet.tones.end());
  return sheet;
}

double tone_at(const std::vector<double>& tones, int step, int steps) {
  const auto last = static_cast<double>(tones.size() - 1);
  return tones[static_cast<std::size_t>(std::lround(last * step / std::max(1, steps - 1)))];
}

nlohmann::json charset_json(const CharsetSheet& sheet) {
  const text::GlyphSet& glyphs = *sheet.glyphs;
  nlohmann::json json;
  json["charset"] = sheet.name;
  json["cell"] = {{"width", glyphs.cell().width}, {"height", glyphs.cell().height}};
  json["characters"] = sheet.characters.size();
  json["glyphs"] = {
      {"count", glyphs.size()}, {"narrow", glyphs.narrow_count()}, {"wide_pairs", wide_count(sheet)}};
  json["blank"] = glyphs.blank() < 0 ? nlohmann::json(nullptr) : nlohmann::json(glyphs.blank());
  json["fonts"] = nlohmann::json::array();
  for (const text::UsedFont& font : glyphs.fonts()) {
    json["fonts"].push_back({{"description", font.description}, {"characters", font.characters}});
  }
  json["tone_curve"] = sheet.tones;
  json["sheet"] = nlohmann::json::array();
  for (const CharsetSheet::Character& character : sheet.characters) {
    json["sheet"].push_back({{"glyph", character.glyph},
                             {"character", glyphs.utf8(character.glyph)},
                             {"code_point", static_cast<unsigned>(code_point_of(sheet, character))},
                             {"cells", character.cells},
                             {"light", character.light}});
  }
  return json;
}

std::string charset_text(const CharsetSheet& sheet) {
  const text::GlyphSet& glyphs = *sheet.glyphs;
  std::string text = fmt::format("Charset   {}\n", printable(sheet.name));
  text += fmt::format("Glyphs    {} in cells of {}x{} pixels", sheet.characters.size(), glyphs.cell().width,
                      glyphs.cell().height);
  if (glyphs.has_wide()) {
    text += fmt::format(": {} one cell wide, {} two cells", glyphs.narrow_count(), wide_count(sheet));
  }
  text += '\n';
  for (const text::UsedFont& font : glyphs.fonts()) {
    text += fmt::format("Font      {}: {} of these glyphs\n", printable(font.description), font.characters);
  }
  if (glyphs.fonts().empty()) text += "Font      none: all glyphs are drawn without a font\n";
  text += fmt::format("Tone      {:.1f} % to {:.1f} % of a full cell's light, steps of at most {:.1f} %\n\n",
                      sheet.tones.front() * 100, sheet.tones.back() * 100, largest_step(sheet.tones) * 100);
  return text + tone_plot(sheet.tones) + "\n" + character_rows(sheet);
}

Result<void> show_charset(const cli::Settings& settings) {
  TRY_ASSIGN(std::shared_ptr<const text::GlyphSet> glyphs,
             session::make_glyphs(settings, settings.layout.cell));
  const CharsetSheet sheet = measure_charset(settings.glyphs.charset, std::move(glyphs));
  const std::string text =
      settings.report.json ? session::json_text(charset_json(sheet)) + "\n" : charset_text(sheet);
  std::fputs(text.c_str(), stdout);
  return {};
}

}  // namespace glyphreel::commands
