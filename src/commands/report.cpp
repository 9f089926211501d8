#include "commands/report.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "media/still/png.h"
#include "commands/report_page.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t MaxFrames = 6;     ///< shown on the page
constexpr std::size_t MaxDiffering = 3;  ///< of these, kept because they differ

Error unwritable_folder(const std::string& path, const std::error_code& cause) {
  return {ErrorCode::Failed,
          fmt::format("The report cannot be written to {}: choose a writable folder.", path),
          cause.message()};
}

/// A difference of 1 is as visible as one of 16, only darker: orange to white.
std::uint32_t heat(int difference) {
  const int amplified = std::min(255, 16 * difference);
  return 0xFFFF0000U | static_cast<std::uint32_t>(96 + amplified * 159 / 255) << 8 |
         static_cast<std::uint32_t>(amplified);
}

/// Draws the difference of two frames: one word 0xFFRRGGBB per pixel, row by row.
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
  // A single pixel of a large picture would be lost in the page's thumbnail, and a cell whose pixels are
  // equal (a blank glyph with another foreground) would be invisible, so the whole cell is tinted.
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      std::uint32_t& pixel = pixels[static_cast<std::size_t>(y) * size.width + x];
      if (pixel == Equal && touched[cell_at(x, y)]) pixel = InMismatchedCell;
    }
  }
  return pixels;
}

/// The number of frames is not known in advance. So every frame is kept at first, and whenever the page is
/// full, the stride doubles and frames off the stride are dropped: those kept are always evenly spaced.
class KeptFrames final : public Report {
 public:
  KeptFrames(fs::path directory, InputFiles inputs)
      : directory_(std::move(directory)), inputs_(std::move(inputs)) {}

  Result<void> add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) override {
    CHECK(gpu.picture.format == PictureFormat::Bgra8 && cpu.picture.format == PictureFormat::Bgra8,
          "a report shows only Bgra8 pictures");
    const std::int64_t index = frames_++;
    const bool is_on_stride = index % stride_ == 0;
    if (!is_on_stride && differing_ == MaxDiffering) return {};
    Comparison comparison;
    comparison.add(gpu, cpu);
    const bool differs = differing_ < MaxDiffering && !comparison.is_equal();
    if (!differs && !is_on_stride) return {};
    kept_.push_back(
        {{.index = index, .grid = cpu.grid, .size = cpu.picture.size, .comparison = comparison}, differs});
    if (differs) ++differing_;
    thin_out();
    return kept_.back().shown.index == index ? write(kept_.back().shown, gpu, cpu) : Result<void>();
  }

  Result<void> finish(const Summary& summary) override {
    std::vector<ShownFrame> shown;
    shown.reserve(kept_.size());
    for (const Kept& kept : kept_) shown.push_back(kept.shown);
    return write_file(file_options("index.html"), report_page(report_json(summary, shown)));
  }

 private:
  struct Kept {
    ShownFrame shown;
    bool differs;  ///< kept for that reason, on the stride or not
  };

  void thin_out() {
    while (kept_.size() > MaxFrames) {
      stride_ *= 2;
      std::erase_if(kept_, [this](const Kept& kept) {
        if (kept.differs || kept.shown.index % stride_ == 0) return false;
        for (const std::string& file :
             {kept.shown.gpu_file, kept.shown.cpu_file, kept.shown.difference_file}) {
          std::error_code left_behind;  // an extra picture in the folder is no reason to fail
          if (!file.empty()) fs::remove(directory_ / file, left_behind);
        }
        return true;
      });
    }
  }

  Result<void> write(ShownFrame& shown, const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) {
    shown.gpu_file = fmt::format("frame-{:06}-gpu.png", shown.index);
    shown.cpu_file = fmt::format("frame-{:06}-cpu.png", shown.index);
    shown.difference_file = fmt::format("frame-{:06}-difference.png", shown.index);
    TRY(media::write_png(file_options(shown.gpu_file), gpu.picture));
    TRY(media::write_png(file_options(shown.cpu_file), cpu.picture));
    std::vector<std::uint32_t> difference = heat_map(gpu, cpu);
    return media::write_png(file_options(shown.difference_file),
                            {.format = PictureFormat::Bgra8,
                             .size = shown.size,
                             .planes = {reinterpret_cast<std::byte*>(difference.data())},
                             .strides = {shown.size.width * 4}});
  }

  [[nodiscard]] AtomicFile::Options file_options(const std::string& name) const {
    return {
        .path = (directory_ / name).string(), .existing = AtomicFile::Existing::Replace, .inputs = inputs_};
  }

  fs::path directory_;
  InputFiles inputs_;
  std::vector<Kept> kept_;  ///< in frame order
  std::int64_t frames_ = 0;
  std::int64_t stride_ = 1;
  std::size_t differing_ = 0;
};

}  // namespace

Result<std::unique_ptr<Report>> Report::make(const std::string& directory, const InputFiles& inputs) {
  std::error_code problem;
  fs::create_directories(directory, problem);
  if (problem) return unwritable_folder(directory, problem);
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    return unwritable_folder(directory, std::error_code(errno, std::generic_category()));
  }
  return std::unique_ptr<Report>(std::make_unique<KeptFrames>(directory, inputs));
}

}  // namespace glyphreel::commands
