#include "player/osd/statistics_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/threads/stage_times.h"
#include "player/osd/cell_text.h"

namespace glyphreel::player {
namespace {

constexpr int MaxColumns = 96;
constexpr int LabelColumns = 9;
constexpr int MinPlotRows = 3, MaxPlotRows = 6;  // including the caption

/// Joins the parts that are not empty.
std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : "  ") + part;
  }
  return text;
}

std::string ms_text(double ms) {
  if (!std::isfinite(ms)) return "-";
  return std::abs(ms) < 99.95 ? fmt::format("{:.1f}", ms) : fmt::format("{:.0f}", ms);
}

std::string input_line(const StatisticsFacts& f) {
  return joined({f.codec, f.size.width > 0 ? fmt::format("{}x{}", f.size.width, f.size.height) : "",
                 f.input_fps > 0 ? fmt::format("{:.5g} fps", f.input_fps) : "", f.pixel_format});
}

std::string grid_line(const StatisticsFacts& f) {
  if (f.grid.columns < 1) return {};
  return joined({fmt::format("{}x{}", f.grid.columns, f.grid.rows),
                 f.cell.width > 0 ? fmt::format("cells of {}x{}", f.cell.width, f.cell.height) : "",
                 f.charset, f.mode, f.color_mode, f.font});
}

std::string buffer_line(const StatisticsFacts& f) {
  return joined({f.recording ? fmt::format("recording {}/{}", f.recording->depth, f.recording->capacity) : "",
                 f.buffered_seconds ? fmt::format("{:.1f} s ahead", *f.buffered_seconds) : ""});
}

std::string memory_line(const StatisticsFacts& f) {
  return joined(
      {f.host_bytes_per_frame ? fmt::format("{} copied per frame", bytes_text(*f.host_bytes_per_frame)) : "",
       f.memory_bytes > 0 ? "memory " + bytes_text(f.memory_bytes) : ""});
}

/// A section of the page. Every section except the stage table is shown completely or left out.
struct Section {
  int importance = 0;  ///< sections of lower importance are left out first
  int rows = 1;
  bool has_gap_before = false;  ///< an empty row precedes the section, if there is room
  std::function<void(TextCanvas)> draw;
};

void draw_labelled(TextCanvas canvas, const std::string& label, const std::string& value,
                   const TextStyle& style) {
  canvas.print_within(0, 0, LabelColumns - 1, label, DimText);
  canvas.print_within(LabelColumns, 0, canvas.columns() - LabelColumns, value, style);
}

/// Draws the frame rate and frame counts. A nonzero count of dropped frames has the accent color.
void draw_frames(TextCanvas canvas, const StatisticsFacts& f) {
  canvas.print(0, 0, "frames", DimText);
  int column = canvas.print(LabelColumns, 0, fmt::format("{:.2f} fps", f.shown_fps), BoldText);
  const std::array<std::pair<const char*, std::int64_t>, 3> counts = {
      {{"dropped", f.dropped}, {"late", f.late}, {"repeated", f.repeated}}};
  for (const auto& [name, count] : counts) {
    const std::string number = fmt::format("{}", count);
    if (column + 3 + static_cast<int>(number.size()) + cell_width(name) > canvas.columns()) break;
    column = canvas.print(column + 2, 0, number, count > 0 && name[0] == 'd' ? AccentText : PlainText);
    column = canvas.print(column + 1, 0, name, DimText);
  }
}

void draw_sync(TextCanvas canvas, const StatisticsFacts& f) {
  std::vector<float> sizes;
  for (const float offset : f.av_offsets_ms) {
    if (std::isfinite(offset)) sizes.push_back(std::abs(offset));
  }
  std::string value = f.av_offset_ms ? fmt::format("{:+.1f} ms", *f.av_offset_ms) : "";
  if (!sizes.empty()) value = joined({value, fmt::format("p99 {} ms", ms_text(quantile(sizes, 0.99)))});
  if (f.display_latency_ms)
    value = joined({value, fmt::format("display {} ms", ms_text(*f.display_latency_ms))});
  draw_labelled(canvas, "A/V", value, PlainText);
}

/// Column widths of the stage table. Width 0: the column is left out.
struct StageTable {
  static constexpr int Number = 7;
  int name = 8, engine = 0, p99 = 0, spark = 0;
};

StageTable stage_table(int columns, const std::vector<StageFacts>& stages) {
  constexpr int MinEngine = 10, MinSpark = 6;
  StageTable table;
  int left = columns - table.name - StageTable::Number;
  if (left >= StageTable::Number) {
    table.p99 = StageTable::Number;
    left -= table.p99;
  }
  int engine = 6;
  for (const StageFacts& stage : stages) engine = std::max(engine, cell_width(stage.engine));
  if (left >= MinEngine + 1) {
    table.engine = std::min(engine, left >= 28 ? std::max(MinEngine, left * 3 / 5) : left - 1);
    left -= table.engine + 1;
  }
  if (left >= MinSpark + 2) table.spark = left - 2;
  return table;
}

void draw_stages(TextCanvas canvas, const std::vector<StageFacts>& stages) {
  const StageTable table = stage_table(canvas.columns(), stages);
  const int engine = table.name + (table.engine > 0 ? 1 : 0);
  const int mean_end = engine + table.engine + StageTable::Number;
  const int p99_end = mean_end + table.p99;
  const auto print_number = [&](int end, int row, const std::string& text, const TextStyle& style) {
    canvas.print_right(end, row, StageTable::Number, text, style);
  };
  canvas.print(0, 0, "stage", DimText);
  if (table.engine > 0) canvas.print_within(engine, 0, table.engine, "engine", DimText);
  print_number(mean_end, 0, "ms", DimText);
  if (table.p99 > 0) print_number(p99_end, 0, "p99", DimText);
  if (table.spark > 0) canvas.print_within(p99_end + 2, 0, table.spark, "recent", DimText);
  int row = 1;
  for (const StageFacts& stage : stages) {
    canvas.print_within(0, row, table.name, stage.name, PlainText);
    canvas.print_within(engine, row, table.engine, stage.engine, DimText);
    print_number(mean_end, row, ms_text(stage.mean_ms), BoldText);
    if (table.p99 > 0) print_number(p99_end, row, ms_text(stage.p99_ms), PlainText);
    float high = 0;
    for (const float value : stage.recent_ms) high = std::isfinite(value) ? std::max(high, value) : high;
    canvas.sparkline(p99_end + 2, row, table.spark, stage.recent_ms, high, DimText);
    ++row;
  }
}

/// Returns the maximum of the range of a plot of `values`; the minimum is the negative maximum. Returns the
/// smallest entry of `Limits` that is at least the largest magnitude in `values`, or 1000 if no entry is.
float plot_limit(std::span<const float> values) {
  float most = 0;
  for (const float value : values) most = std::isfinite(value) ? std::max(most, std::abs(value)) : most;
  constexpr std::array<float, 10> Limits = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
  const auto* limit = std::find_if(Limits.begin(), Limits.end(), [&](float l) { return l >= most; });
  return limit == Limits.end() ? Limits.back() : *limit;
}

void draw_plot(TextCanvas canvas, const std::string& name, std::span<const float> values) {
  const float limit = plot_limit(values);
  const int end = canvas.print(0, 0, name, DimText);
  canvas.print_right(canvas.columns(), 0, canvas.columns() - end - 1, fmt::format("±{:g} ms", limit),
                     DimText);
  TextCanvas plot = canvas.part({0, 1, canvas.columns(), canvas.rows() - 1});
  plot.fill(osd_colors::Raised);
  plot.line_plot(values, limit, AccentText);
}

void draw_plots(TextCanvas canvas, const StatisticsFacts& f) {
  constexpr int Gap = 2;
  const bool has_jitter = !f.jitter_ms.empty(), has_offsets = !f.av_offsets_ms.empty();
  const int width = has_jitter && has_offsets ? (canvas.columns() - Gap) / 2 : canvas.columns();
  if (has_jitter) draw_plot(canvas.part({0, 0, width, canvas.rows()}), "jitter", f.jitter_ms);
  const int column = has_jitter ? width + Gap : 0;
  if (has_offsets) {
    draw_plot(canvas.part({column, 0, canvas.columns() - column, canvas.rows()}), "A/V", f.av_offsets_ms);
  }
}

/// Returns the sections in the order of the page.
std::vector<Section> sections_of(const StatisticsFacts& f) {
  std::vector<Section> sections;
  const auto add_line = [&](int importance, const char* label, const std::string& value,
                            const TextStyle& style) {
    if (value.empty()) return;
    sections.push_back(
        {importance, 1, false, [=](TextCanvas canvas) { draw_labelled(canvas, label, value, style); }});
  };
  add_line(4, "input", f.input, BoldText);
  add_line(6, "video", input_line(f), PlainText);
  add_line(1, "audio", f.audio, PlainText);
  add_line(5, "grid", grid_line(f), PlainText);
  if (!f.stages.empty()) {
    sections.push_back({9, static_cast<int>(f.stages.size()) + 1, true,
                        [&f](TextCanvas canvas) { draw_stages(canvas, f.stages); }});
  }
  sections.push_back({10, 1, true, [&f](TextCanvas canvas) { draw_frames(canvas, f); }});
  if (f.av_offset_ms || !f.av_offsets_ms.empty() || f.display_latency_ms) {
    sections.push_back({8, 1, false, [&f](TextCanvas canvas) { draw_sync(canvas, f); }});
  }
  add_line(3, "buffers", buffer_line(f), PlainText);
  add_line(2, "memory", memory_line(f), PlainText);
  if (!f.jitter_ms.empty() || !f.av_offsets_ms.empty()) {
    sections.push_back({0, MinPlotRows, true, [&f](TextCanvas canvas) { draw_plots(canvas, f); }});
  }
  return sections;
}

/// Removes the least important sections until the rest fits into `rows`. The stage table is shortened before
/// it is removed.
void drop_least_important(std::vector<Section>& sections, int rows) {
  const auto total = [&] {
    int sum = 0;
    for (const Section& section : sections) sum += section.rows;
    return sum;
  };
  const auto less_important = [](const Section& a, const Section& b) { return a.importance < b.importance; };
  while (sections.size() > 1 && total() > rows) {
    const auto least = std::min_element(sections.begin(), sections.end(), less_important);
    constexpr int MinTableRows = 2;
    const int spare = rows - (total() - least->rows);
    if (least->rows > MinTableRows && spare >= MinTableRows && least->importance > 0) {
      least->rows = spare;
    } else {
      sections.erase(least);
    }
  }
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> Units = {"B", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < Units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, Units[unit]);
}

void draw_statistics_page(TextCanvas canvas, const StatisticsFacts& facts) {
  constexpr int Wide = 40, Tall = 12, Roomy = 30;
  const int padding = canvas.columns() >= Wide ? 2 : 1;
  const int edge_rows = canvas.rows() >= Roomy ? 1 : 0;
  const int title_rows = canvas.rows() >= Tall ? 2 : 0;
  const int width = std::min(canvas.columns(), MaxColumns);
  const int inner = width - 2 * padding;
  const int room = canvas.rows() - title_rows - 2 * edge_rows;
  if (inner < 1 || room < 1) return;

  std::vector<Section> sections = sections_of(facts);
  drop_least_important(sections, room);
  int rows = 0;
  for (const Section& section : sections) rows += section.rows;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].has_gap_before = sections[i].has_gap_before && i > 0 && rows < room;
    rows += sections[i].has_gap_before ? 1 : 0;
  }
  if (sections.back().importance == 0) {
    const int taller = std::clamp(room - rows, 0, MaxPlotRows - MinPlotRows);
    sections.back().rows += taller;
    rows += taller;
  }

  TextCanvas panel = canvas.part({0, 0, width, title_rows + rows + 2 * edge_rows});
  panel.fill(osd_colors::Panel);
  if (title_rows > 0) panel.print_within(padding, edge_rows, inner, "Statistics", BoldText);
  int row = edge_rows + title_rows;
  for (const Section& section : sections) {
    row += section.has_gap_before ? 1 : 0;
    section.draw(panel.part({padding, row, inner, section.rows}));
    row += section.rows;
  }
}

}  // namespace glyphreel::player
