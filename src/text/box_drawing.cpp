#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "text/drawn_glyphs.h"

namespace glyphreel::text {
namespace {

enum Weight { None = 0, Light = 1, Heavy = 2, Double = 3 };
enum Arm { Left = 0, Up = 1, Right = 2, Down = 3 };

// The arms of U+2500..U+257F, from their Unicode names. Each entry has five characters: the Weights of the
// left, up, right and down arm, and a space. Dashes, arcs and diagonals have no arms in this table.
constexpr std::string_view ArmTable =
    "1010 2020 0101 0202 0000 0000 0000 0000 0000 0000 0000 0000 0011 0021 0012 0022 "
    "1001 2001 1002 2002 0110 0120 0210 0220 1100 2100 1200 2200 0111 0121 0211 0112 "
    "0212 0221 0122 0222 1101 2101 1201 1102 1202 2201 2102 2202 1011 2011 1021 2021 "
    "1012 2012 1022 2022 1110 2110 1120 2120 1210 2210 1220 2220 1111 2111 1121 2121 "
    "1211 1112 1212 2211 1221 2112 1122 2221 2122 2212 1222 2222 0000 0000 0000 0000 "
    "3030 0303 0031 0013 0033 3001 1003 3003 0130 0310 0330 3100 1300 3300 0131 0313 "
    "0333 3101 1303 3303 3031 1013 3033 3130 1310 3330 3131 1313 3333 0000 0000 0000 "
    "0000 0000 0000 0000 1000 0100 0010 0001 2000 0200 0020 0002 1020 0102 2010 0201 ";
static_assert(ArmTable.size() == 128 * 5);

using Arms = std::array<Weight, 4>;

Arms arms_of(char32_t code_point) {
  const std::size_t entry = (code_point - 0x2500) * 5;
  Arms arms{};
  for (std::size_t arm = 0; arm < arms.size(); ++arm)
    arms[arm] = static_cast<Weight>(ArmTable[entry + arm] - '0');
  return arms;
}

struct Span {
  int from;
  int to;
};

int light_thickness(CellSize cell) {
  return std::max(1, (std::min(cell.width, cell.height) + 4) / 8);
}

/// Returns the range of pixels that a centered line covers perpendicular to its direction. For a double line,
/// returns the range of strand number `strand`, 0 or 1. `size`: the cell's size perpendicular to the line, in
/// pixels. `light`: thickness of a light line in pixels.
Span line(int size, int light, Weight weight, int strand) {
  if (weight == Double) {
    const int from = (size - 3 * light) / 2 + 2 * light * strand;
    return {from, from + light};
  }
  const int thickness = weight == Heavy ? 2 * light : light;
  const int from = (size - thickness) / 2;
  return {from, from + thickness};
}

/// Returns the pixel offset at which one strand of an arm ends inside the cell. (A double arm has two
/// strands.) The offset is the result's `from` if the arm points right or down, and its `to` otherwise.
///
///   near, far, opposite: the weights of the other arms. `near` crosses this arm on the strand's side, `far`
///   crosses it on the other side, and `opposite` continues it beyond the crossing.
///
/// Where two double lines meet, a strand follows the inside of the corner if there is a crossing arm on its
/// side, and the outside otherwise. Where a single line meets a continuous double line, the single line stops
/// at the nearer strand, or at the cell's center if `opposite` continues the single line. Where a single line
/// meets the end of a double line, the single line reaches the farther strand.
Span inner_end(int size, int light, Weight weight, Weight near, Weight far, Weight opposite) {
  const Span first = line(size, light, Double, 0);
  const Span second = line(size, light, Double, 1);
  if (near == None && far == None) return {size / 2, size / 2};
  if (near != Double && far != Double) return line(size, light, std::max(near, far), 0);
  if (weight == Double) {
    const bool inside = near == Double;
    return inside ? Span{second.from, first.to} : Span{first.from, second.to};
  }
  if (near == Double && far == Double) {
    return opposite != None ? Span{size / 2, size / 2} : Span{second.from, first.to};
  }
  return {first.from, second.to};
}

/// Fills a rectangle that spans `length` along the stroke and `breadth` across it.
void fill_stroke(CellCanvas& canvas, bool horizontal, Span length, Span breadth) {
  if (horizontal) {
    canvas.fill_pixels(length.from, length.to, breadth.from, breadth.to);
  } else {
    canvas.fill_pixels(breadth.from, breadth.to, length.from, length.to);
  }
}

void draw_arm(CellCanvas& canvas, const Arms& arms, Arm arm) {
  const Weight weight = arms[arm];
  if (weight == None) return;
  const CellSize cell = canvas.cell();
  const int light = light_thickness(cell);
  const bool horizontal = arm == Left || arm == Right;
  const bool growing = arm == Right || arm == Down;
  const int along = horizontal ? cell.width : cell.height;
  const int across = horizontal ? cell.height : cell.width;
  const Weight before = horizontal ? arms[Up] : arms[Left];
  const Weight after = horizontal ? arms[Down] : arms[Right];
  const Weight opposite = arms[(arm + 2) % 4];
  for (int strand = 0; strand < (weight == Double ? 2 : 1); ++strand) {
    const Span end =
        inner_end(along, light, weight, strand == 0 ? before : after, strand == 0 ? after : before, opposite);
    const Span length = growing ? Span{end.from, along} : Span{0, end.to};
    fill_stroke(canvas, horizontal, length, line(across, light, weight, strand));
  }
}

/// Draws `dashes` strokes, each followed by a gap, so that dashes are evenly spaced across neighboring cells.
void draw_dashes(CellCanvas& canvas, int dashes, Weight weight, bool horizontal) {
  const CellSize cell = canvas.cell();
  const int along = horizontal ? cell.width : cell.height;
  const Span breadth = line(horizontal ? cell.height : cell.width, light_thickness(cell), weight, 0);
  const int gap = std::max(1, along / (3 * dashes));
  for (int dash = 0; dash < dashes; ++dash) {
    const int from = dash * along / dashes;
    const int to = std::max(from + 1, (dash + 1) * along / dashes - gap);
    fill_stroke(canvas, horizontal, {from, to}, breadth);
  }
}

/// Draws a rounded corner: straight lines from two edges, joined by a quarter circle. The coordinates u and v
/// increase along the two arms.
void draw_arc(CellCanvas& canvas, Arm across, Arm down) {
  const CellSize cell = canvas.cell();
  const int light = light_thickness(cell);
  const double half = light / 2.0;
  const double center_x = line(cell.width, light, Light, 0).from + half;
  const double center_y = line(cell.height, light, Light, 0).from + half;
  const double reach_u = across == Right ? cell.width - center_x : center_x;
  const double reach_v = down == Down ? cell.height - center_y : center_y;
  const double radius =
      std::max(half, std::min(reach_u, reach_v) - 1.0);  // the arm's last pixel stays straight
  canvas.fill_where(0, cell.width, 0, cell.height, [&](double x, double y) {
    const double u = across == Right ? x - center_x : center_x - x;
    const double v = down == Down ? y - center_y : center_y - y;
    if (u <= radius && v <= radius) {
      return std::abs(std::sqrt((u - radius) * (u - radius) + (v - radius) * (v - radius)) - radius) <= half;
    }
    return v > radius ? std::abs(u) <= half : std::abs(v) <= half;
  });
}

void draw_diagonal(CellCanvas& canvas, bool rising) {
  const CellSize cell = canvas.cell();
  const double reach =
      light_thickness(cell) / 2.0 * std::sqrt(cell.width * cell.width + cell.height * cell.height);
  canvas.fill_where(0, cell.width, 0, cell.height, [&](double x, double y) {
    const double from_left = rising ? x : cell.width - x;
    return std::abs(from_left * cell.height + (y - cell.height) * cell.width) <= reach;
  });
}

}  // namespace

void draw_box_character(char32_t code_point, CellCanvas canvas) {
  const bool many_dashes = code_point >= 0x2504 && code_point <= 0x250B;
  const bool two_dashes = code_point >= 0x254C && code_point <= 0x254F;
  if (many_dashes || two_dashes) {
    const int dashes = two_dashes ? 2 : code_point < 0x2508 ? 3 : 4;
    draw_dashes(canvas, dashes, code_point % 2 == 0 ? Light : Heavy, code_point % 4 < 2);
  } else if (code_point >= 0x256D && code_point <= 0x2570) {
    const bool is_left = code_point == 0x256E || code_point == 0x256F;
    draw_arc(canvas, is_left ? Left : Right, code_point <= 0x256E ? Down : Up);
  }
  if (code_point == 0x2571 || code_point == 0x2573) draw_diagonal(canvas, true);
  if (code_point == 0x2572 || code_point == 0x2573) draw_diagonal(canvas, false);
  const Arms arms = arms_of(code_point);
  for (const Arm arm : {Left, Up, Right, Down}) draw_arm(canvas, arms, arm);
}

}  // namespace glyphreel::text
