#include "player/osd/help_page.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "player/osd/cell_text.h"

namespace glyphreel::player {
namespace {

constexpr int ColumnGap = 3;   // between columns
constexpr int KeyGap = 2;      // between a key and its description
constexpr int MinColumn = 30;  // narrower columns are hard to read

/// Returns the number of empty rows at the top of the panel. The bottom has the same number.
int edge_rows(int rows) {
  return rows >= 30 ? 1 : 0;
}
/// Returns the number of rows for the title, including an empty row below it if there is room.
int title_rows(int rows) {
  return rows >= 12 ? 2 : 1;
}
/// Returns the number of panel rows above and below the columns of entries.
int frame_rows(int rows) {
  return 2 * edge_rows(rows) + title_rows(rows);
}

struct HelpRow {
  std::string keys = {};
  std::u32string text = {};
  bool is_heading = false;
  int column = 0;  ///< where the text begins
  bool stays_with_previous = false;
};

/// Rows to keep in one column: a heading and its entries.
using Block = std::vector<HelpRow>;
/// One column of a page from top to bottom; null: an empty row.
using Column = std::vector<const HelpRow*>;

struct HelpLayout {
  int padding = 0;
  int key_width = 0;
  int column_width = 0;
  int columns_per_page = 1;
  int rows = 0;  ///< rows per column
  std::vector<Block> blocks;
  std::vector<Column> columns;  ///< point to rows of `blocks`
  [[nodiscard]] int pages() const {
    const int count = static_cast<int>(columns.size());
    return std::max(1, (count + columns_per_page - 1) / columns_per_page);
  }
};

/// Returns one block per heading. Descriptions are to the right of their keys, or below them if fewer than
/// MinText cells remain to the right and some entry does not fit on one line. `natural`: the smallest column
/// width at which every entry fits on one line.
std::vector<Block> blocks_of(const std::vector<HelpEntry>& entries, int key_width, int column_width,
                             int natural) {
  constexpr int MinText = 16;
  const int beside = key_width + KeyGap;
  const bool is_below = column_width < natural && column_width - beside < MinText;
  const int text_column = is_below ? 1 : beside;
  std::vector<std::string> groups;
  std::vector<Block> blocks;
  for (const HelpEntry& entry : entries) {
    const auto at = static_cast<std::size_t>(std::ranges::find(groups, entry.group) - groups.begin());
    if (at == groups.size()) {
      groups.push_back(entry.group);
      blocks.emplace_back();
      if (!entry.group.empty()) blocks.back().push_back({.text = cell_text(entry.group), .is_heading = true});
    }
    Block& block = blocks[at];
    const std::u32string text = cell_text(entry.does);
    const bool is_first = block.size() == 1 && block.front().is_heading;
    block.push_back({.keys = entry.keys, .stays_with_previous = is_first});
    bool is_on_key_row = !is_below;
    for (const TextRange range : wrapped(text, std::max(column_width - text_column, 1))) {
      if (!is_on_key_row) block.push_back({.stays_with_previous = true});
      block.back().text = text.substr(range.begin, range.end - range.begin);
      block.back().column = text_column;
      is_on_key_row = false;
    }
  }
  return blocks;
}

/// Fills columns of at most `rows` rows, with an empty row between blocks. A block that does not fit into the
/// rest of a column starts a new column. Exception: a block longer than a whole column starts in the rest of
/// the column if at least MinTogether of its rows fit there.
std::vector<Column> filled_columns(const std::vector<Block>& blocks, std::size_t rows) {
  constexpr std::size_t MinTogether = 3;
  std::vector<Column> columns(1);
  for (const Block& block : blocks) {
    const std::size_t used = columns.back().size();
    const std::size_t needed = block.size() + (used > 0 ? 1 : 0);
    if (used > 0) {
      const bool fits = used + needed <= rows;
      const bool is_worth_splitting = block.size() > rows && used + 1 + MinTogether <= rows;
      if (fits || is_worth_splitting) {
        columns.back().push_back(nullptr);
      } else {
        columns.emplace_back();
      }
    }
    for (std::size_t at = 0; at < block.size();) {
      std::size_t end = at + 1;
      while (end < block.size() && block[end].stays_with_previous) ++end;
      if (!columns.back().empty() && columns.back().size() + (end - at) > rows) columns.emplace_back();
      for (; at < end; ++at) {
        if (columns.back().size() >= rows) columns.emplace_back();
        columns.back().push_back(&block[at]);
      }
    }
  }
  return columns;
}

HelpLayout layout_of(const std::vector<HelpEntry>& entries, GridSize area) {
  HelpLayout layout;
  layout.padding = area.columns >= 40 ? 2 : 1;
  const int width = std::max(area.columns - 2 * layout.padding, 1);
  const auto most_rows = static_cast<std::size_t>(std::max(area.rows - frame_rows(area.rows), 1));

  int natural = 0;
  for (const HelpEntry& entry : entries)
    layout.key_width = std::max(layout.key_width, cell_width(entry.keys));
  layout.key_width = std::min(layout.key_width, width / 2);
  for (const HelpEntry& entry : entries) {
    natural =
        std::max({natural, layout.key_width + KeyGap + cell_width(entry.does), cell_width(entry.group)});
  }
  const int most_columns =
      std::max(1, (width + ColumnGap) / (std::min(std::max(natural, 1), MinColumn) + ColumnGap));

  // Minimize the number of pages, then the number of columns per page. With fewer columns, each column is
  // wider and needs fewer line breaks.
  int fewest = 0;
  for (int columns = 1; columns <= most_columns && fewest != 1; ++columns) {
    HelpLayout tried = layout;
    tried.columns_per_page = columns;
    tried.column_width = std::min(natural, (width - ColumnGap * (columns - 1)) / columns);
    tried.blocks = blocks_of(entries, layout.key_width, tried.column_width, natural);
    tried.columns = filled_columns(tried.blocks, most_rows);
    if (fewest != 0 && tried.pages() >= fewest) continue;
    // Make the columns as short as possible, so that they have similar lengths.
    if (tried.pages() == 1) {
      for (std::size_t rows = 1; rows < most_rows; ++rows) {
        std::vector<Column> shorter = filled_columns(tried.blocks, rows);
        if (static_cast<int>(shorter.size()) > columns) continue;
        tried.columns = std::move(shorter);
        break;
      }
    }
    fewest = tried.pages();
    layout = std::move(tried);
  }
  for (const Column& column : layout.columns)
    layout.rows = std::max(layout.rows, static_cast<int>(column.size()));
  return layout;
}

void draw_column(TextCanvas canvas, const Column& column, int key_width) {
  int row = 0;
  for (const HelpRow* line : column) {
    if (line != nullptr && line->is_heading) {
      canvas.print(0, row, shortened(line->text, canvas.columns()),
                   {.foreground = osd_colors::Accent, .bold = true});
    } else if (line != nullptr) {
      canvas.print_within(0, row, key_width, line->keys, BoldText);
      canvas.print(line->column, row, line->text, DimText);
    }
    ++row;
  }
}

}  // namespace

int help_page_count(const std::vector<HelpEntry>& entries, GridSize area) {
  return layout_of(entries, area).pages();
}

void draw_help_page(TextCanvas canvas, const std::vector<HelpEntry>& entries, int page) {
  const int edge = edge_rows(canvas.rows()), around = frame_rows(canvas.rows());
  if (canvas.columns() < 1 || canvas.rows() <= around) return;
  const HelpLayout layout = layout_of(entries, {canvas.columns(), canvas.rows()});
  const int pages = layout.pages();
  const int shown = ((page % pages) + pages) % pages;

  const int inner = layout.columns_per_page * (layout.column_width + ColumnGap) - ColumnGap;
  const int width = std::min(canvas.columns(), std::max(inner, 16) + 2 * layout.padding);
  const int height = std::min(canvas.rows(), layout.rows + around);
  TextCanvas panel =
      canvas.part({(canvas.columns() - width) / 2, (canvas.rows() - height) / 2, width, height});
  panel.fill(osd_colors::Panel);
  panel.print_within(layout.padding, edge, width - 2 * layout.padding, "Keys", BoldText);
  const std::string number = pages > 1 ? fmt::format("{}/{}", shown + 1, pages) : "";
  panel.print_right(width - layout.padding, edge, width - 2 * layout.padding, number, DimText);

  const auto first = static_cast<std::size_t>(shown) * static_cast<std::size_t>(layout.columns_per_page);
  int column = layout.padding;
  for (int i = 0; i < layout.columns_per_page; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i);
    if (at >= layout.columns.size()) break;
    draw_column(panel.part({column, around - edge, layout.column_width, height - around}), layout.columns[at],
                layout.key_width);
    column += layout.column_width + ColumnGap;
  }
}

}  // namespace glyphreel::player
