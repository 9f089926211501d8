#include "commands/report_plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace glyphreel::commands {
namespace {

// Both plots use a coordinate system of this width and scale with the page.
constexpr double Width = 960;
constexpr double Left = 84;             // room for the labels of the y axis
constexpr double Right = 150;           // room for the numbers beside the longest bar
constexpr std::size_t MaxPoints = 400;  // more than a line of this width can show

/// Returns the smallest of 1, 2, 5 times a power of ten that is at least `value`.
double nice_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

StageSummary summary_of(const StageTimes* times, Stage stage) {
  return times != nullptr ? times->summary(stage) : StageSummary{};
}

/// Formats milliseconds with about three digits.
std::string milliseconds(double ms) {
  return fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : ms >= 10 ? 1 : ms >= 0.1 ? 2 : 3);
}

struct Bar {
  const char* style;  ///< CSS class that colors it
  const char* who;
  StageSummary time;
};

struct StageRow {
  Stage stage;
  std::vector<Bar> bars;
};

std::vector<StageRow> stage_rows(const StageTimes* gpu, const StageTimes* cpu) {
  std::vector<StageRow> rows;
  for (std::size_t i = 0; i < StageCount; ++i) {
    StageRow row{static_cast<Stage>(i), {}};
    const StageSummary on_gpu = summary_of(gpu, row.stage);
    const StageSummary on_cpu = summary_of(cpu, row.stage);
    if (row.stage == Stage::Decode) {
      // One decoder feeds both renderers, whichever of them recorded its time.
      const StageSummary& decode = on_gpu.count > 0 ? on_gpu : on_cpu;
      if (decode.count > 0) row.bars.push_back({"both", "both", decode});
    } else {
      if (on_gpu.count > 0) row.bars.push_back({"gpu", "GPU", on_gpu});
      if (on_cpu.count > 0) row.bars.push_back({"cpu", "CPU", on_cpu});
    }
    if (!row.bars.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

/// Returns each frame's mapping plus drawing time, as far as both were timed.
std::vector<double> frame_totals(const StageTimes* times) {
  if (times == nullptr) return {};
  const std::vector<float> map = times->samples(Stage::Map);
  const std::vector<float> draw = times->samples(Stage::Draw);
  std::vector<double> totals(std::min(map.size(), draw.size()));
  for (std::size_t i = 0; i < totals.size(); ++i)
    totals[i] = static_cast<double>(map[i]) + static_cast<double>(draw[i]);
  return totals;
}

/// One point of a line: a run of frames.
struct Point {
  double frame;
  double mean, least, most;  ///< milliseconds
};

std::vector<Point> points_of(const std::vector<double>& totals) {
  const std::size_t run = (totals.size() + MaxPoints - 1) / MaxPoints;
  std::vector<Point> points;
  for (std::size_t first = 0; first < totals.size(); first += run) {
    const std::size_t end = std::min(first + run, totals.size());
    Point point{static_cast<double>(first + end - 1) / 2, 0, totals[first], totals[first]};
    for (std::size_t i = first; i < end; ++i) {
      point.mean += totals[i] / static_cast<double>(end - first);
      point.least = std::min(point.least, totals[i]);
      point.most = std::max(point.most, totals[i]);
    }
    points.push_back(point);
  }
  return points;
}

/// The axes of the line plot: frames to the right, the logarithm of milliseconds upwards.
struct Axes {
  static constexpr double Top = 16;
  static constexpr double Bottom = 300;
  static constexpr double RightEdge = Width - 60;
  double frames = 1;
  double low = 0, high = 1;  ///< log10 of milliseconds

  [[nodiscard]] double x(double frame) const {
    return Left + (RightEdge - Left) * (frames > 1 ? frame / (frames - 1) : 0.5);
  }
  [[nodiscard]] double y(double ms) const {
    return Bottom - (Bottom - Top) * (std::log10(ms) - low) / (high - low);
  }
};

std::string axes_svg(const Axes& axes) {
  std::string svg;
  auto out = std::back_inserter(svg);
  for (double power = std::floor(axes.low); power <= axes.high; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double ms = factor * std::pow(10.0, power);
      if (std::log10(ms) < axes.low - 1e-9 || std::log10(ms) > axes.high + 1e-9) continue;
      // Over more than three decades, the lines between powers of ten would be too close to read.
      if (factor > 1 && axes.high - axes.low > 3) continue;
      fmt::format_to(out,
                     R"(<line class="grid" x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/>)"
                     R"(<text x="{3:.1f}" y="{4:.1f}" text-anchor="end">{5:g} ms</text>)",
                     Left, Axes::RightEdge, axes.y(ms), Left - 10, axes.y(ms) + 4, ms);
    }
  }
  const double step = std::max(1.0, nice_step((axes.frames - 1) / 8 + 1e-9));
  for (double frame = 0; frame <= axes.frames - 1; frame += step) {
    fmt::format_to(out, R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{:.0f}</text>)", axes.x(frame),
                   Axes::Bottom + 22, frame);
  }
  fmt::format_to(out, R"(<text x="{:.1f}" y="{:.1f}">frame</text>)", Axes::RightEdge + 18, Axes::Bottom + 22);
  return svg;
}

std::string line_svg(const Axes& axes, const std::vector<Point>& points, const char* style) {
  std::string line;
  std::string band;
  for (const Point& point : points) {
    fmt::format_to(std::back_inserter(line), "{:.1f},{:.1f} ", axes.x(point.frame), axes.y(point.mean));
    fmt::format_to(std::back_inserter(band), "{:.1f},{:.1f} ", axes.x(point.frame), axes.y(point.most));
  }
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    fmt::format_to(std::back_inserter(band), "{:.1f},{:.1f} ", axes.x(point->frame), axes.y(point->least));
  }
  std::string svg =
      fmt::format(R"(<polygon class="band {0}" points="{1}"/><polyline class="line {0}" points="{2}"/>)",
                  style, band, line);
  if (points.size() == 1) {
    fmt::format_to(std::back_inserter(svg), R"(<circle class="bar {}" cx="{:.1f}" cy="{:.1f}" r="4"/>)",
                   style, axes.x(points[0].frame), axes.y(points[0].mean));
  }
  return svg;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string stage_plot(const StageTimes* gpu, const StageTimes* cpu) {
  constexpr double BarHeight = 18;
  constexpr double BarPitch = 24;
  constexpr double RowGap = 16;
  const std::vector<StageRow> rows = stage_rows(gpu, cpu);
  double most = 0;
  double height = 34;  // the axis above the rows
  for (const StageRow& row : rows) {
    for (const Bar& bar : row.bars) most = std::max({most, bar.time.mean_ms, bar.time.p99_ms});
    height += static_cast<double>(row.bars.size()) * BarPitch + RowGap;
  }
  if (rows.empty() || most <= 0) return {};
  const double step = nice_step(most / 6);
  const double scale = (Width - Left - Right) / most;

  std::string svg = fmt::format(R"(<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="Time per stage">)",
                                Width, height);
  auto out = std::back_inserter(svg);
  for (double ms = 0; ms <= most * (1 + 1e-9); ms += step) {
    fmt::format_to(out,
                   R"(<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="24" y2="{1:.1f}"/>)"
                   R"(<text x="{0:.1f}" y="14" text-anchor="middle">{2:g}{3}</text>)",
                   Left + ms * scale, height - 8, ms, ms > 0 ? "" : " ms");
  }
  double y = 34;
  for (const StageRow& row : rows) {
    const double middle = y + static_cast<double>(row.bars.size()) * BarPitch / 2;
    fmt::format_to(out, R"(<text class="stage" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", Left - 12,
                   middle + 2, stage_name(row.stage));
    for (const Bar& bar : row.bars) {
      const double mean = std::max(2.0, bar.time.mean_ms * scale);
      const double p99 = std::max(2.0, bar.time.p99_ms * scale);
      fmt::format_to(out, R"(<g><title>{} {}: {} passes, {}</title>)", bar.who, stage_name(row.stage),
                     bar.time.count, escape_html(bar.time.engine));
      fmt::format_to(
          out, R"(<rect class="tail {0}" x="{1:.1f}" y="{2:.1f}" width="{3:.1f}" height="{4:.0f}" rx="3"/>)",
          bar.style, Left, y, p99, BarHeight);
      fmt::format_to(
          out, R"(<rect class="bar {0}" x="{1:.1f}" y="{2:.1f}" width="{3:.1f}" height="{4:.0f}" rx="3"/>)",
          bar.style, Left, y, mean, BarHeight);
      fmt::format_to(
          out,
          R"(<text class="value" x="{:.1f}" y="{:.1f}">{} <tspan class="dim">· p99 {}</tspan></text></g>)",
          Left + std::max(mean, p99) + 8, y + 13, milliseconds(bar.time.mean_ms),
          milliseconds(bar.time.p99_ms));
      y += BarPitch;
    }
    y += RowGap;
  }
  return svg + "</svg>";
}

std::string frame_plot(const StageTimes* gpu, const StageTimes* cpu) {
  const std::array<std::vector<double>, 2> totals = {frame_totals(gpu), frame_totals(cpu)};
  constexpr std::array<const char*, 2> Styles = {"gpu", "cpu"};
  constexpr double Shortest = 1e-4;  // ms: below the resolution of any clock; keeps the logarithm finite
  double least = std::numeric_limits<double>::max();
  double most = 0;
  Axes axes;
  std::array<std::vector<Point>, 2> lines;
  for (std::size_t i = 0; i < 2; ++i) {
    axes.frames = std::max(axes.frames, static_cast<double>(totals[i].size()));
    lines[i] = points_of(totals[i]);
    for (Point& point : lines[i]) {
      for (double* ms : {&point.mean, &point.least, &point.most}) *ms = std::max(*ms, Shortest);
      least = std::min(least, point.least);
      most = std::max(most, point.most);
    }
  }
  if (most <= 0) return {};
  // Round to whole steps, so that at least two grid lines have labels.
  axes.low = -std::log10(nice_step(1 / least));
  axes.high = std::max(std::log10(nice_step(most)), axes.low + std::log10(2.0));

  std::string svg = fmt::format(R"(<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="Time per frame">)",
                                Width, Axes::Bottom + 34);
  svg += axes_svg(axes);
  for (std::size_t i = 0; i < 2; ++i) {
    if (!lines[i].empty()) svg += line_svg(axes, lines[i], Styles[i]);
  }
  return svg + "</svg>";
}

}  // namespace glyphreel::commands
