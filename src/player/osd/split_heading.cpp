#include "player/osd/split_heading.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "player/osd/cell_text.h"

namespace glyphreel::player {
namespace {

/// Formats a number with thousands separators: "1,203,000".
std::string grouped(std::int64_t number) {
  constexpr std::size_t Group = 3;
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > Group; at -= Group) digits.insert(at - Group, 1, ',');
  return digits;
}

void draw_side(TextCanvas canvas, const SplitFacts::Side& side) {
  canvas.fill(osd_colors::Panel);
  std::string time;
  if (side.map_ms) time = fmt::format("{:.{}f} ms", *side.map_ms, *side.map_ms < 9.995 ? 2 : 1);
  const int title_columns = cell_width(side.title);
  if (title_columns + 1 + cell_width(time) > canvas.columns()) time = time.substr(0, time.find(' '));
  const int time_columns = cell_width(time);
  const int padding = canvas.columns() > title_columns + time_columns + 3 ? 1 : 0;
  const int end = canvas.columns() - padding;
  canvas.print_right(end, 0, end, time, BoldText);
  const int room = end - time_columns - 1 - padding;
  if (title_columns > room) return;
  const int engine = canvas.print(padding, 0, side.title, AccentText) + 1;
  constexpr int MinEngine = 6;
  if (const int left = end - time_columns - 2 - engine; left >= MinEngine) {
    canvas.print_within(engine, 0, left, side.engine, DimText);
  }
}

}  // namespace

void draw_split_heading(TextCanvas canvas, const SplitFacts& facts) {
  const render::SplitLayout halves = render::split_layout(canvas.columns());
  draw_side(canvas.part({0, 0, halves.columns, 1}), facts.left);
  draw_side(canvas.part({halves.right_at, 0, halves.columns, 1}), facts.right);

  const render::SplitFindings& found = facts.findings;
  const std::string cells = grouped(found.differing) + " of " + grouped(found.cells);
  const std::string so_far = grouped(found.differing_in_all) + " in " + grouped(found.frames) + " frames";
  const std::array<std::string, 4> wordings = {cells + " cells differ, " + so_far,
                                               cells + " differ, " + so_far, cells + " cells differ", cells};
  const auto* text = std::find_if(wordings.begin(), wordings.end() - 1, [&](const std::string& wording) {
    return cell_width(wording) + 2 <= canvas.columns();
  });
  const bool differs = found.differing_in_all > 0;
  const TextStyle style{.foreground = differs ? osd_colors::Error : osd_colors::Text, .bold = differs};
  const int width = std::min(cell_width(*text) + 2, canvas.columns());
  TextCanvas panel = canvas.part({(canvas.columns() - width) / 2, 1, width, 1});
  panel.fill(osd_colors::Panel);
  panel.print_within(1, 0, width - 2, *text, style);
}

}  // namespace glyphreel::player
