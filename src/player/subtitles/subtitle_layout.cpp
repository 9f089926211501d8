#include "player/subtitles/subtitle_layout.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "player/osd/text_canvas.h"
#include "player/subtitles/line_breaking.h"

namespace glyphreel::player {
namespace {

using media::SubtitleEvent;
using media::SubtitleLine;
using media::SubtitleSpan;

constexpr std::uint32_t White = 0xFFFFFF;  // default color of text
constexpr Backdrop Background = {0x000000, 176};

enum class Band { Bottom, Middle, Top };
enum class Side { Left, Center, Right };

/// One event's text before line breaking.
struct Block {
  Band band = Band::Bottom;
  Side side = Side::Center;
  std::vector<StyledLine> lines;
};

/// The part of the grid that text may use.
struct Room {
  int columns = 0;      ///< maximum width of a row's text, without the background cell on each side
  int side_margin = 0;  ///< in cells
  bool joins_lines = false;
};

struct Row {
  Side side = Side::Center;
  StyledLine text;
};

/// Returns the luma of 0xRRGGBB, with the weights of ITU-R BT.709 in 256ths.
int luma_of(std::uint32_t rgb) {
  return static_cast<int>((54 * (rgb >> 16 & 255U) + 183 * (rgb >> 8 & 255U) + 19 * (rgb & 255U)) >> 8);
}

/// Mixes `color` with white until it contrasts with the black background. Subtitles made for a light
/// background may have black text.
std::uint32_t readable(std::uint32_t color) {
  constexpr int MinLuma = 96;
  for (unsigned part = 0; part < 4; ++part) {
    std::uint32_t mixed = 0;
    for (const int shift : {16, 8, 0})
      mixed |= ((color >> shift & 255U) * (4 - part) + 255U * part) / 4 << shift;
    if (luma_of(mixed) >= MinLuma) return mixed;
  }
  return White;
}

StyledLine styled(const SubtitleLine& line) {
  StyledLine result;
  for (const SubtitleSpan& span : line) {
    const StyledCharacter like{
        .bold = span.bold, .italic = span.italic, .color = readable(span.color.value_or(White))};
    append_characters(result, span.text, like);
  }
  return result;
}

bool has_same_characters(const StyledLine& a, const StyledLine& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.character == y.character; });
}

bool has_same_text(const Block& a, const Block& b) {
  return a.band == b.band && a.side == b.side &&
         std::equal(a.lines.begin(), a.lines.end(), b.lines.begin(), b.lines.end(), has_same_characters);
}

std::vector<Block> blocks_of(std::span<const std::shared_ptr<const SubtitleEvent>> events) {
  std::vector<Block> blocks;
  for (const auto& event : events) {
    if (event == nullptr || event->lines.empty()) continue;
    const int key = std::clamp(event->alignment, 1, 9) - 1;
    Block block{static_cast<Band>(key / 3), static_cast<Side>(key % 3), {}};
    for (const SubtitleLine& line : event->lines) {
      StyledLine text = styled(line);
      if (!text.empty()) block.lines.push_back(std::move(text));
    }
    // Some subtitles contain each text twice at the same position, to imitate an outline. Show it only once.
    const bool is_known = std::any_of(blocks.begin(), blocks.end(),
                                      [&](const Block& other) { return has_same_text(other, block); });
    if (!block.lines.empty() && !is_known) blocks.push_back(std::move(block));
  }
  return blocks;
}

/// Joins the lines into one, but keeps the break before a line that begins with a dash, which marks another
/// speaker.
std::vector<StyledLine> joined(const std::vector<StyledLine>& lines) {
  std::vector<StyledLine> result;
  for (const StyledLine& line : lines) {
    const bool is_speech = line[0].character == '-' || line[0].character == 0x2010 ||
                           line[0].character == 0x2013 || line[0].character == 0x2014;
    if (result.empty() || is_speech) {
      result.push_back(line);
      continue;
    }
    const bool is_wide = result.back().back().cells == 2 && line[0].cells == 2;
    if (!is_wide) result.back().push_back({.character = ' ', .color = line[0].color});
    result.back().insert(result.back().end(), line.begin(), line.end());
  }
  return result;
}

std::vector<Row> rows_of(const std::vector<Block>& blocks, Band band, const Room& room) {
  std::vector<Row> rows;
  for (const Block& block : blocks) {
    if (block.band != band) continue;
    for (const StyledLine& line : room.joins_lines ? joined(block.lines) : block.lines) {
      for (StyledLine& part : break_line(line, room.columns)) rows.push_back({block.side, std::move(part)});
    }
  }
  return rows;
}

struct TextRows {
  Room room;
  std::array<std::vector<Row>, 3> bands;  ///< indexed by Band
  int count = 0;
};

TextRows lay_out(const std::vector<Block>& blocks, const Room& room) {
  TextRows text{.room = room, .bands = {}};
  for (std::size_t i = 0; i < text.bands.size(); ++i) {
    text.bands[i] = rows_of(blocks, static_cast<Band>(i), room);
    text.count += static_cast<int>(text.bands[i].size());
  }
  return text;
}

/// Lays out the text on at most a third of the grid if possible. If necessary, drops the limit of 72 cells
/// per line, then the text's own line breaks, then the margins.
TextRows lay_out(const std::vector<Block>& blocks, GridSize grid) {
  // Lines of more than 72 cells are hard to read. Subtitles commonly have at most two lines of 42 characters.
  constexpr int Measure = 72;
  const int enough = std::max(1, grid.rows / 3);
  const int margin = grid.columns / 20;  // 5 %, as is common in television
  const int columns = std::max(2, grid.columns - 2 - 2 * margin);
  TextRows text = lay_out(blocks, Room{std::min(columns, Measure), margin});
  if (text.count > enough) text = lay_out(blocks, Room{columns, margin});
  if (text.count > enough) {
    TextRows with_joined_lines = lay_out(blocks, Room{columns, margin, true});
    if (with_joined_lines.count < text.count) text = std::move(with_joined_lines);
  }
  if (text.count > enough) text = lay_out(blocks, Room{grid.columns - 2, 0, text.room.joins_lines});
  return text;
}

/// Drops the rows that do not fit. The last remaining row then ends in an ellipsis.
void limit_rows(std::vector<Row>& rows, std::size_t limit, int columns) {
  if (rows.size() <= limit) return;
  rows.resize(limit);
  if (rows.empty()) return;
  StyledLine& last = rows.back().text;
  StyledCharacter ellipsis = last.empty() ? StyledCharacter{} : last.back();
  ellipsis.character = U'…';
  ellipsis.cells = 1;
  while (!last.empty() && cells_of(last) >= columns) last.pop_back();
  last.push_back(ellipsis);
}

void draw_row(TextCanvas canvas, int row, const Row& what, int margin) {
  const int width = cells_of(what.text);
  int column = (canvas.columns() - width) / 2;
  if (what.side == Side::Left) column = margin + 1;
  if (what.side == Side::Right) column = canvas.columns() - margin - 1 - width;
  column = std::clamp(column, 0, std::max(0, canvas.columns() - width)) - 1;
  const auto put = [&](const StyledCharacter& c) {
    canvas.put(column, row, c.character,
               {.foreground = c.color, .bold = c.bold, .italic = c.italic, .backdrop = Background});
    column += c.cells;
  };
  put({.character = U' '});
  for (const StyledCharacter& c : what.text) put(c);
  put({.character = U' '});
}

}  // namespace

render::TextLayer layout_subtitles(std::span<const std::shared_ptr<const SubtitleEvent>> events,
                                   GridSize grid) {
  const std::vector<Block> blocks = blocks_of(events);
  constexpr int MinColumns = 4;  // two for a wide character, and a background cell on each side
  if (blocks.empty() || grid.columns < MinColumns || grid.rows < 1) return {grid, {}};

  TextRows text = lay_out(blocks, grid);
  const int margin = grid.rows / 20;
  const int edge = text.count + margin > grid.rows ? 0 : margin;
  // The bottom rows get space first, because they usually contain the dialogue.
  auto& [bottom_rows, middle_rows, top_rows] = text.bands;
  int free_rows = grid.rows - edge;
  for (std::vector<Row>* band : {&bottom_rows, &top_rows, &middle_rows}) {
    limit_rows(*band, static_cast<std::size_t>(std::max(0, free_rows)), text.room.columns);
    free_rows -= static_cast<int>(band->size());
  }
  if (free_rows == grid.rows - edge) return {grid, {}};
  const int middle_count = static_cast<int>(middle_rows.size());
  const int top = std::min(edge, std::max(0, free_rows));
  const int bottom = grid.rows - edge - static_cast<int>(bottom_rows.size());
  const int middle = std::max(top + static_cast<int>(top_rows.size()),
                              std::min((grid.rows - middle_count) / 2, bottom - middle_count));
  render::TextLayer layer = blank_text_layer(grid);
  const auto draw = [&](const std::vector<Row>& band, int start) {
    for (std::size_t i = 0; i < band.size(); ++i)
      draw_row(TextCanvas(layer), start + static_cast<int>(i), band[i], text.room.side_margin);
  };
  draw(bottom_rows, bottom);
  draw(middle_rows, middle);
  draw(top_rows, top);
  return layer;
}

}  // namespace glyphreel::player
