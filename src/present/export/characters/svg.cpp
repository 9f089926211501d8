#include "present/export/characters/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace glyphreel::present {
namespace {

// Font metrics of DejaVu Sans Mono, in em. Text placed with these metrics matches the glyphs that GlyphSet
// draws. Most monospace fonts have similar metrics.
constexpr double Advance = 0.602;
constexpr double Ascent = 0.928;
constexpr double LineHeight = 1.164;
constexpr double OutlineCoverage = 127.5;

std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string color_name(std::uint32_t color) {
  const std::string long_name = fmt::format("#{:06x}", color & 0xFFFFFF);
  const bool is_short =
      long_name[1] == long_name[2] && long_name[3] == long_name[4] && long_name[5] == long_name[6];
  return is_short ? fmt::format("#{}{}{}", long_name[1], long_name[3], long_name[5]) : long_name;
}

std::span<const render::Cell> row_cells(const render::RenderedFrame& frame, int row) {
  const auto columns = static_cast<std::size_t>(frame.grid.columns);
  return frame.cells.subspan(static_cast<std::size_t>(row) * columns, columns);
}

struct Point {
  double x = 0, y = 0;
  bool operator<(const Point& other) const { return x < other.x || (x == other.x && y < other.y); }
};

/// The line segments of an outline: maps each start point to its end point.
using Segments = std::map<Point, Point>;

/// One step of marching squares: adds the line segments that separate covered from uncovered corners in the
/// square between four pixel centers. Covered corners are to the right of a segment. `corners`: the coverage
/// at each corner, clockwise from the top left.
void add_segments(const std::array<double, 4>& corners, double x, double y, Segments& segments) {
  constexpr std::array<Point, 4> At{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
  const auto crossing = [&](std::size_t from) {
    const std::size_t to = (from + 1) % 4;
    const double t = (OutlineCoverage - corners[from]) / (corners[to] - corners[from]);
    // Rounded, so that neighboring squares find the same point.
    const auto rounded = [](double v) { return std::round(v * 256) / 256; };
    return Point{rounded(x + At[from].x + t * (At[to].x - At[from].x)),
                 rounded(y + At[from].y + t * (At[to].y - At[from].y))};
  };
  // Clockwise around the square, find an edge that enters the covered part and the next edge that leaves it.
  // The segment runs from the leaving edge to the entering edge.
  for (std::size_t edge = 0; edge < 4; ++edge) {
    const bool enters = corners[edge] < OutlineCoverage && corners[(edge + 1) % 4] >= OutlineCoverage;
    if (!enters) continue;
    std::size_t leaves = (edge + 1) % 4;
    while (corners[(leaves + 1) % 4] >= OutlineCoverage) leaves = (leaves + 1) % 4;
    segments[crossing(leaves)] = crossing(edge);
  }
}

bool is_straight(Point a, Point b, Point c) {
  const double cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  return std::abs(cross) < 0.02 * std::hypot(c.x - a.x, c.y - a.y);
}

}  // namespace

std::string trace_outline(const std::uint8_t* mask, CellSize size, double scale) {
  const auto coverage = [&](int x, int y) {
    const bool is_inside = x >= 0 && y >= 0 && x < size.width && y < size.height;
    return is_inside ? static_cast<double>(mask[y * size.width + x]) : 0.0;
  };
  Segments segments;
  for (int y = -1; y < size.height; ++y) {
    for (int x = -1; x < size.width; ++x) {
      const std::array<double, 4> corners{coverage(x, y), coverage(x + 1, y), coverage(x + 1, y + 1),
                                          coverage(x, y + 1)};
      add_segments(corners, x + 0.5, y + 0.5, segments);
    }
  }
  std::string path;
  while (!segments.empty()) {
    std::vector<Point> points;
    for (auto at = segments.begin(); at != segments.end(); at = segments.find(points.back())) {
      if (points.empty()) points.push_back(at->first);
      points.push_back(at->second);
      segments.erase(at);
    }
    std::vector<Point> kept;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      if (!kept.empty() && is_straight(kept.back(), points[i], points[i + 1])) continue;
      kept.push_back(points[i]);
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      path +=
          fmt::format("{}{} {}", i == 0 ? "M" : "L", number(kept[i].x * scale), number(kept[i].y * scale));
    path += "z";
  }
  return path;
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  }
  return escaped;
}

void SvgDocument::append_text(std::string& svg, const render::RenderedFrame& frame, int row) const {
  const CellSize cell = options_.glyphs->cell();
  const render::Characters characters(*options_.glyphs, frame.overlay_glyphs.get());
  const auto cells = row_cells(frame, row);
  const double em = std::min(cell.width / Advance, cell.height / LineHeight);
  const double baseline = (cell.height - LineHeight * em) / 2 + Ascent * em;
  std::string spans;
  for (std::size_t first = 0; first < cells.size();) {
    std::string text;
    std::size_t end = first;
    std::size_t inked = first;  // index after the last cell that is not a space
    std::optional<std::uint32_t> color;
    for (; end < cells.size(); ++end) {
      const std::string& character = characters.utf8(cells[end].glyph);
      const bool is_blank = character.empty() || character == " ";
      if (!is_blank && color && cells[end].foreground != *color) break;
      if (!is_blank) color = cells[end].foreground;
      text += character;
      if (character != " ") inked = end + 1;
    }
    if (color) {
      const bool is_last = end == cells.size();
      if (is_last) text.erase(text.find_last_not_of(' ') + 1);
      const std::size_t columns = (is_last ? inked : end) - first;
      const std::string length =
          columns > 1 ? fmt::format(R"( textLength="{}")", columns * static_cast<std::size_t>(cell.width))
                      : "";
      spans +=
          fmt::format(R"(<tspan x="{}" fill="{}"{}>{}</tspan>)", first * static_cast<std::size_t>(cell.width),
                      color_name(*color), length, xml_text(text));
    }
    first = end;
  }
  if (!spans.empty()) svg += fmt::format(R"(<text y="{}">{}</text>)", number(baseline), spans);
}

int SvgDocument::outline_of(char32_t character) {
  const auto known = outlines_.find(character);
  if (known == outlines_.end()) {
    const text::GlyphSet& large = *options_.outlines;
    const auto& points = large.code_points();
    const auto found = std::ranges::find(points, character);
    std::string path;
    if (found != points.end()) {
      const CellSize size = large.cell();
      const auto glyph = static_cast<std::size_t>(found - points.begin());
      const std::size_t bytes = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
      path = trace_outline(large.masks().data() + glyph * bytes, size,
                           static_cast<double>(options_.glyphs->cell().width) / size.width);
    }
    bytes_ += path.size();
    outlines_.emplace(character, std::move(path));
  }
  return static_cast<int>(character);
}

void SvgDocument::append_outlines(std::string& svg, const render::RenderedFrame& frame, int row) {
  const CellSize cell = options_.glyphs->cell();
  const render::Characters characters(*options_.glyphs, frame.overlay_glyphs.get());
  const auto cells = row_cells(frame, row);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (characters.utf8(cells[i].glyph) == " ") continue;
    const char32_t character = characters.code_point(cells[i].glyph);
    const int outline = outline_of(character);
    if (outlines_[character].empty()) continue;
    svg += fmt::format(R"(<use href="#c{:x}" x="{}" fill="{}"/>)", outline,
                       i * static_cast<std::size_t>(cell.width), color_name(cells[i].foreground));
  }
}

std::string SvgDocument::row_of(const render::RenderedFrame& frame, int row) {
  const CellSize cell = options_.glyphs->cell();
  const auto cells = row_cells(frame, row);
  std::string svg;
  for (std::size_t first = 0; first < cells.size();) {
    const std::uint32_t color = cells[first].background & 0xFFFFFF;
    std::size_t end = first;
    while (end < cells.size() && (cells[end].background & 0xFFFFFF) == color) ++end;
    const bool is_page = color == options_.background.value_or(0);
    if (!is_page) {
      svg += fmt::format(R"(<path fill="{}" d="M{} 0H{}V{}H{}z"/>)", color_name(color),
                         first * static_cast<std::size_t>(cell.width),
                         end * static_cast<std::size_t>(cell.width), cell.height,
                         first * static_cast<std::size_t>(cell.width));
    }
    first = end;
  }
  if (options_.outlines != nullptr)
    append_outlines(svg, frame, row);
  else
    append_text(svg, frame, row);
  return svg;
}

void SvgDocument::add(const render::RenderedFrame& frame, double seconds) {
  grid_ = frame.grid;
  ShownFrame shown{.start = seconds, .rows = {}};
  for (int row = 0; row < frame.grid.rows; ++row) {
    std::string content = row_of(frame, row);
    const std::size_t size = content.size();
    const auto [known, is_new] = known_rows_.emplace(std::move(content), static_cast<int>(rows_.size()));
    if (is_new) {
      rows_.push_back(&known->first);
      bytes_ += size;
    }
    shown.rows.push_back(known->second);
  }
  if (!frames_.empty() && frames_.back().rows == shown.rows) return;
  bytes_ += shown.rows.size() * std::string_view(R"(<use href="#r1234" y="1234"/>)").size();
  frames_.push_back(std::move(shown));
}

std::string SvgDocument::style(double end) const {
  const CellSize cell = options_.glyphs->cell();
  const double em = std::min(cell.width / Advance, cell.height / LineHeight);
  std::string css = fmt::format(
      "text{{font:{}px \"DejaVu Sans Mono\",Menlo,Consolas,monospace;white-space:pre}}path{{shape-rendering:"
      "crispEdges}}defs path{{shape-rendering:auto}}",
      number(em));
  if (frames_.size() < 2) return css;
  const double start = frames_.front().start;
  const double length = std::max(end - start, 0.001);
  css += fmt::format(
      "#f{{animation:f {}s step-end infinite}}@media(prefers-reduced-motion){{#f{{animation:none}}}}"
      "@keyframes f{{",
      number(length));
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    css += fmt::format("{:.3f}%{{transform:translateY(-{}px)}}", (frames_[i].start - start) / length * 100,
                       i * static_cast<std::size_t>(grid_.rows * cell.height));
  }
  return css + "}";
}

std::string SvgDocument::finish(double end) const {
  const CellSize cell = options_.glyphs->cell();
  const int width = grid_.columns * cell.width;
  const int height = grid_.rows * cell.height;
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" xml:space="preserve">)"
      "\n<style>{2}</style>\n",
      width, height, style(end));
  if (options_.background)
    svg +=
        fmt::format("<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n", color_name(*options_.background));
  const bool is_animated = frames_.size() > 1;
  std::string definitions;
  for (const auto& [character, path] : outlines_) {
    if (!path.empty())
      definitions +=
          fmt::format("<path id=\"c{:x}\" d=\"{}\"/>\n", static_cast<std::uint32_t>(character), path);
  }
  if (is_animated) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      definitions += fmt::format("<g id=\"r{}\">{}</g>\n", i, *rows_[i]);
  }
  if (!definitions.empty()) svg += fmt::format("<defs>\n{}</defs>\n", definitions);
  if (is_animated) svg += "<g id=\"f\">\n";
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    for (std::size_t row = 0; row < frames_[i].rows.size(); ++row) {
      const int index = frames_[i].rows[row];
      const std::size_t y =
          i * static_cast<std::size_t>(height) + row * static_cast<std::size_t>(cell.height);
      const std::string& content = *rows_[static_cast<std::size_t>(index)];
      if (content.empty()) continue;
      svg += is_animated ? fmt::format("<use href=\"#r{}\" y=\"{}\"/>\n", index, y)
                         : fmt::format("<g transform=\"translate(0 {})\">{}</g>\n", y, content);
    }
  }
  return svg + (is_animated ? "</g>\n</svg>\n" : "</svg>\n");
}

}  // namespace glyphreel::present
