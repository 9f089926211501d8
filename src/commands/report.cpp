#include "commands/report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/report_page.h"
#include "media/still/still_picture.h"
#include "session/statistics.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t MaxFrames = 6;     ///< maximum number of frames on the page
constexpr std::size_t MaxDiffering = 3;  ///< maximum number of frames that are kept because they differ
constexpr std::string_view Page =
#include "commands/report_html.inc"
    ;
static_assert(Page.find(ReportPlaceholder) != std::string_view::npos);

// Maximum number of points in each line of a plot. The page is too narrow to show more.
constexpr std::size_t MaxPoints = 400;

/// One frame on the page, and how its two pictures differ.
struct ShownFrame {
  std::int64_t index = 0;  ///< from 0, in the order compared
  GridSize grid;
  Extent size;                                      ///< size of each picture in pixels
  Comparison comparison;                            ///< differences of this frame alone
  bool differs = false;                             ///< true for the first MaxDiffering frames that differ
  std::string gpu_file, cpu_file, difference_file;  ///< PNG files next to the page
  std::string source_file;                          ///< empty: the source is unknown
  double ssim = 0;                                  ///< similarity of CPU's picture and source; see ssim()
};

/// Returns the heat map's color for a pixel_difference() of at least 1. The colors range from orange for 1,
/// so that even this difference is visible, to white for 16 and more.
std::uint32_t heat(int difference) {
  const int amplified = std::min(255, 16 * difference);
  return 0xFFFF0000U | static_cast<std::uint32_t>(96 + amplified * 159 / 255) << 8 |
         static_cast<std::uint32_t>(amplified);
}

/// Returns a picture of the differences between the two renderings of a frame: one word 0xFFRRGGBB per pixel,
/// row by row.
std::vector<std::uint32_t> heat_map(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) {
  constexpr std::uint32_t Equal = 0xFF000000;
  constexpr std::uint32_t InMismatchedCell = 0xFF4A0D16;
  const Extent size = cpu.picture.size;
  const CellSize cell{size.width / cpu.grid.columns, size.height / cpu.grid.rows};
  const auto cell_at = [&](int x, int y) {
    return static_cast<std::size_t>(y / cell.height) * cpu.grid.columns + x / cell.width;
  };
  std::vector<bool> touched(cpu.cells.size());
  for (std::size_t i = 0; i < cpu.cells.size(); ++i) touched[i] = !cells_equal(gpu.cells[i], cpu.cells[i]);
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(size.width) * size.height, Equal);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int difference = pixel_difference(pixel_at(gpu.picture, x, y), pixel_at(cpu.picture, x, y));
      if (difference == 0) continue;
      touched[cell_at(x, y)] = true;
      pixels[static_cast<std::size_t>(y) * size.width + x] = heat(difference);
    }
  }
  // Tint every cell that differs, because a single pixel would be invisible in the page's thumbnail. A cell
  // can also differ while its pixels are equal: the foreground of a blank glyph is not visible.
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      std::uint32_t& pixel = pixels[static_cast<std::size_t>(y) * size.width + x];
      if (pixel == Equal && touched[cell_at(x, y)]) pixel = InMismatchedCell;
    }
  }
  return pixels;
}

nlohmann::json frame_json(const ShownFrame& frame) {
  nlohmann::json json = {
      {"index", frame.index},
      {"columns", frame.grid.columns},
      {"rows", frame.grid.rows},
      {"width", frame.size.width},
      {"height", frame.size.height},
      {"mismatched_cells", frame.comparison.mismatched_cells},
      {"mismatched_pixels", frame.comparison.mismatched_pixels},
      {"max_pixel_difference", frame.comparison.max_pixel_difference},
      {"files", {{"gpu", frame.gpu_file}, {"cpu", frame.cpu_file}, {"difference", frame.difference_file}}}};
  if (!frame.source_file.empty()) {
    json["files"]["source"] = frame.source_file;
    json["ssim"] = frame.ssim;
  }
  return json;
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

/// Returns, for each frame, the time to map it plus the time to draw it, in milliseconds. Ends with
/// the last frame for which both times are known.
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

/// Returns what the page shows:
///   title, gpu, cpu   the input and the two renderers
///   comparison        the object of `compare --json`
///   frames            a list of objects: index, columns, rows, width, height, mismatched_cells,
///                     mismatched_pixels, max_pixel_difference, and files {gpu, cpu, difference}; if the
///                     source is known, also files.source and ssim
///   stages            a list of objects: name, gpu, cpu. The last two are objects as in `--stats`, or null
///                     if the stage did not run
///   timed_frames      how many frames were timed
///   frame_ms          {gpu, cpu}: lists of [frame, mean, least, most], the milliseconds to map and draw.
///                     With more than MaxPoints frames, one point covers several frames.
nlohmann::json report_json(const Report::Summary& summary, const std::vector<ShownFrame>& frames) {
  CHECK(summary.comparison != nullptr, "a report has no comparison");
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

/// Keeps evenly spaced frames of a run whose length is unknown. At first, the stride is 1, and every frame
/// is kept. Whenever more than MaxFrames are kept, the stride doubles, and kept frames whose index is not a
/// multiple of the stride are dropped. The first MaxDiffering frames that differ are never dropped.
class KeptFrames final : public Report {
 public:
  KeptFrames(fs::path directory, InputFiles inputs)
      : directory_(std::move(directory)), inputs_(std::move(inputs)) {}

  Result<void> add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu,
                   const Source& source) override {
    CHECK(gpu.picture.format == PictureFormat::Bgra8 && cpu.picture.format == PictureFormat::Bgra8,
          "a picture for a report is not Bgra8");
    const std::int64_t index = frames_++;
    const bool is_on_stride = index % stride_ == 0;
    if (!is_on_stride && differing_ == MaxDiffering) return {};
    Comparison comparison;
    comparison.add(gpu, cpu);
    const bool differs = differing_ < MaxDiffering && !comparison.is_equal();
    if (!differs && !is_on_stride) return {};
    kept_.push_back({.index = index,
                     .grid = cpu.grid,
                     .size = cpu.picture.size,
                     .comparison = comparison,
                     .differs = differs,
                     .ssim = source.ssim});
    if (differs) ++differing_;
    thin_out();
    return kept_.back().index == index ? write(kept_.back(), gpu, cpu, source) : Result<void>();
  }

  Result<void> finish(const Summary& summary) override {
    return write_file(file_options("index.html"), report_page(Page, report_json(summary, kept_)));
  }

 private:
  void thin_out() {
    while (kept_.size() > MaxFrames) {
      stride_ *= 2;
      std::erase_if(kept_, [this](const ShownFrame& kept) {
        if (kept.differs || kept.index % stride_ == 0) return false;
        for (const std::string& file :
             {kept.gpu_file, kept.cpu_file, kept.difference_file, kept.source_file}) {
          std::error_code left_behind;  // ignored, because an extra file does no harm
          if (!file.empty()) fs::remove(directory_ / file, left_behind);
        }
        return true;
      });
    }
  }

  Result<void> write(ShownFrame& shown, const render::RenderedFrame& gpu, const render::RenderedFrame& cpu,
                     const Source& source) {
    shown.gpu_file = fmt::format("frame-{:06}-gpu.png", shown.index);
    shown.cpu_file = fmt::format("frame-{:06}-cpu.png", shown.index);
    shown.difference_file = fmt::format("frame-{:06}-difference.png", shown.index);
    TRY(media::write_png(file_options(shown.gpu_file), gpu.picture));
    TRY(media::write_png(file_options(shown.cpu_file), cpu.picture));
    std::vector<std::uint32_t> difference = heat_map(gpu, cpu);
    TRY(write_pixels(shown.difference_file, shown.size, difference));
    if (source.pixels.empty()) return {};
    shown.source_file = fmt::format("frame-{:06}-source.png", shown.index);
    std::vector<std::uint32_t> opaque(source.pixels.begin(), source.pixels.end());
    for (std::uint32_t& pixel : opaque) pixel |= 0xFF000000U;
    return write_pixels(shown.source_file, shown.size, opaque);
  }

  Result<void> write_pixels(const std::string& name, Extent size, std::vector<std::uint32_t>& pixels) {
    return media::write_png(file_options(name), {.format = PictureFormat::Bgra8,
                                                 .size = size,
                                                 .planes = {reinterpret_cast<std::byte*>(pixels.data())},
                                                 .strides = {size.width * 4}});
  }

  [[nodiscard]] AtomicFile::Options file_options(const std::string& name) const {
    return {
        .path = (directory_ / name).string(), .existing = AtomicFile::Existing::Replace, .inputs = inputs_};
  }

  fs::path directory_;
  InputFiles inputs_;
  std::vector<ShownFrame> kept_;  ///< in frame order
  std::int64_t frames_ = 0;
  std::int64_t stride_ = 1;
  std::size_t differing_ = 0;
};

}  // namespace

Result<std::unique_ptr<Report>> Report::make(const std::string& directory, const InputFiles& inputs) {
  TRY(make_report_folder(directory));
  return std::unique_ptr<Report>(std::make_unique<KeptFrames>(directory, inputs));
}

}  // namespace glyphreel::commands
