#include "commands/report_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "session/statistics.h"

namespace glyphreel::commands {
namespace {

constexpr std::string_view Page =
#include "commands/report_html.inc"
    ;
constexpr std::string_view Placeholder = "REPORT_DATA";
static_assert(Page.find(Placeholder) != std::string_view::npos);

constexpr std::size_t MaxPoints = 400;  // more than a plot of the page's width can show

nlohmann::json frame_json(const ShownFrame& frame) {
  return {
      {"index", frame.index},
      {"columns", frame.grid.columns},
      {"rows", frame.grid.rows},
      {"width", frame.size.width},
      {"height", frame.size.height},
      {"mismatched_cells", frame.comparison.mismatched_cells},
      {"mismatched_pixels", frame.comparison.mismatched_pixels},
      {"max_pixel_difference", frame.comparison.max_pixel_difference},
      {"files", {{"gpu", frame.gpu_file}, {"cpu", frame.cpu_file}, {"difference", frame.difference_file}}}};
}

nlohmann::json stage_list(const StageTimes& gpu_times, const StageTimes& cpu_times) {
  const nlohmann::json gpu = session::stages_json(gpu_times);
  const nlohmann::json cpu = session::stages_json(cpu_times);
  nlohmann::json stages = nlohmann::json::array();
  for (std::size_t i = 0; i < StageCount; ++i) {
    const char* name = stage_name(static_cast<Stage>(i));
    if (!gpu.contains(name) && !cpu.contains(name)) continue;
    stages.push_back({{"name", name},
                      {"gpu", gpu.value(name, nlohmann::json())},
                      {"cpu", cpu.value(name, nlohmann::json())}});
  }
  return stages;
}

/// Returns each frame's mapping plus drawing time in milliseconds, as far as both were timed.
std::vector<double> frame_totals(const StageTimes& times) {
  const std::vector<float> map = times.samples(Stage::Map);
  const std::vector<float> draw = times.samples(Stage::Draw);
  std::vector<double> totals(std::min(map.size(), draw.size()));
  std::transform(map.begin(), map.begin() + std::ssize(totals), draw.begin(), totals.begin(),
                 [](double map_ms, double draw_ms) { return map_ms + draw_ms; });
  return totals;
}

nlohmann::json points_json(const std::vector<double>& totals) {
  const auto rounded = [](double ms) { return std::round(ms * 1e4) / 1e4; };
  const std::size_t run = (totals.size() + MaxPoints - 1) / MaxPoints;
  nlohmann::json points = nlohmann::json::array();
  for (std::size_t first = 0; first < totals.size(); first += run) {
    const std::size_t end = std::min(first + run, totals.size());
    const auto from = totals.begin() + static_cast<std::ptrdiff_t>(first);
    const auto to = totals.begin() + static_cast<std::ptrdiff_t>(end);
    const auto [least, most] = std::minmax_element(from, to);
    const double mean = std::reduce(from, to) / static_cast<double>(end - first);
    points.push_back(
        {static_cast<double>(first + end - 1) / 2, rounded(mean), rounded(*least), rounded(*most)});
  }
  return points;
}

}  // namespace

nlohmann::json report_json(const Report::Summary& summary, std::span<const ShownFrame> frames) {
  CHECK(summary.comparison != nullptr, "a report needs a comparison");
  const StageTimes none;
  const StageTimes& gpu_times = summary.gpu_times != nullptr ? *summary.gpu_times : none;
  const StageTimes& cpu_times = summary.cpu_times != nullptr ? *summary.cpu_times : none;
  const std::vector<double> gpu_totals = frame_totals(gpu_times);
  const std::vector<double> cpu_totals = frame_totals(cpu_times);
  nlohmann::json shown = nlohmann::json::array();
  for (const ShownFrame& frame : frames) shown.push_back(frame_json(frame));
  return {{"title", summary.title},
          {"gpu", summary.gpu},
          {"cpu", summary.cpu},
          {"comparison", comparison_json(*summary.comparison, summary.glyphs, gpu_times, cpu_times)},
          {"frames", std::move(shown)},
          {"stages", stage_list(gpu_times, cpu_times)},
          {"timed_frames", std::max(gpu_totals.size(), cpu_totals.size())},
          {"frame_ms", {{"gpu", points_json(gpu_totals)}, {"cpu", points_json(cpu_totals)}}}};
}

std::string report_page(const nlohmann::json& report) {
  std::string data;
  // "</script>" and "<!--" have a meaning inside a script element.
  for (const char c : report.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    c == '<' ? data += "\\u003c" : data += c;
  }
  std::string page(Page);
  return page.replace(page.find(Placeholder), Placeholder.size(), data);
}

}  // namespace glyphreel::commands
