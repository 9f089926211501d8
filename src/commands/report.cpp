#include "commands/report.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

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

const std::byte* row_of(const Picture& picture, int y) {
  return picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0];
}

bool cells_equal(const render::Cell& a, const render::Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

bool frames_equal(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) {
  for (int y = 0; y < cpu.picture.size.height; ++y) {
    const auto row_bytes = static_cast<std::size_t>(cpu.picture.size.width) * 4;
    if (std::memcmp(row_of(gpu.picture, y), row_of(cpu.picture, y), row_bytes) != 0) return false;
  }
  return std::equal(gpu.cells.begin(), gpu.cells.end(), cpu.cells.begin(), cpu.cells.end(), cells_equal);
}

int pixel_difference(const std::byte* a, const std::byte* b) {
  int most = 0;
  for (int byte = 0; byte < 4; ++byte) {
    most = std::max(most, std::abs(std::to_integer<int>(a[byte]) - std::to_integer<int>(b[byte])));
  }
  return most;
}

/// A difference of 1 is as visible as one of 16, only darker: orange to white.
std::uint32_t heat(int difference) {
  const int amplified = std::min(255, 16 * difference);
  return 0xFFFF0000U | static_cast<std::uint32_t>(96 + amplified * 159 / 255) << 8 |
         static_cast<std::uint32_t>(amplified);
}

/// The difference of two frames as a picture, with counts.
class HeatMap {
 public:
  HeatMap(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu)
      : size_(cpu.picture.size),
        grid_(cpu.grid),
        pixels_(static_cast<std::size_t>(size_.width) * size_.height, Equal) {
    std::vector<bool> touched(cpu.cells.size());
    for (std::size_t i = 0; i < cpu.cells.size(); ++i) {
      touched[i] = !cells_equal(gpu.cells[i], cpu.cells[i]);
      mismatched_cells_ += touched[i] ? 1 : 0;
    }
    for (int y = 0; y < size_.height; ++y) {
      for (int x = 0; x < size_.width; ++x) {
        const int difference = pixel_difference(row_of(gpu.picture, y) + 4 * static_cast<std::ptrdiff_t>(x),
                                                row_of(cpu.picture, y) + 4 * static_cast<std::ptrdiff_t>(x));
        if (difference == 0) continue;
        touched[cell_at(x, y)] = true;
        pixels_[static_cast<std::size_t>(y) * size_.width + x] = heat(difference);
        ++mismatched_pixels_;
        max_difference_ = std::max(max_difference_, difference);
      }
    }
    // A single pixel of a large picture would be lost in the page's thumbnail, and a cell whose pixels are
    // equal (a blank glyph with another foreground) would be invisible, so the whole cell is tinted.
    for (int y = 0; y < size_.height; ++y) {
      for (int x = 0; x < size_.width; ++x) {
        std::uint32_t& pixel = pixels_[static_cast<std::size_t>(y) * size_.width + x];
        if (pixel == Equal && touched[cell_at(x, y)]) pixel = InMismatchedCell;
      }
    }
  }

  [[nodiscard]] Picture picture() {
    return {.format = PictureFormat::Bgra8,
            .size = size_,
            .planes = {reinterpret_cast<std::byte*>(pixels_.data())},
            .strides = {size_.width * 4}};
  }
  [[nodiscard]] std::int64_t mismatched_cells() const { return mismatched_cells_; }
  [[nodiscard]] std::int64_t mismatched_pixels() const { return mismatched_pixels_; }
  [[nodiscard]] int max_difference() const { return max_difference_; }

 private:
  static constexpr std::uint32_t Equal = 0xFF000000;
  static constexpr std::uint32_t InMismatchedCell = 0xFF4A0D16;

  [[nodiscard]] std::size_t cell_at(int x, int y) const {
    const int column = x / (size_.width / grid_.columns);
    const int row = y / (size_.height / grid_.rows);
    return static_cast<std::size_t>(row) * grid_.columns + column;
  }

  Extent size_;
  GridSize grid_;
  std::vector<std::uint32_t> pixels_;
  std::int64_t mismatched_cells_ = 0;
  std::int64_t mismatched_pixels_ = 0;
  int max_difference_ = 0;
};

/// The number of frames is not known in advance. So every frame is kept at first, and whenever the page is
/// full, the stride doubles and frames off the stride are dropped: those kept are always evenly spaced.
class KeptFrames final : public Report {
 public:
  KeptFrames(fs::path directory, InputFiles inputs)
      : directory_(std::move(directory)), inputs_(std::move(inputs)) {}

  Result<void> add(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) override {
    CHECK(
        gpu.grid == cpu.grid && gpu.picture.size == cpu.picture.size && gpu.cells.size() == cpu.cells.size(),
        "frames of different sizes were reported");
    CHECK(gpu.picture.format == PictureFormat::Bgra8 && cpu.picture.format == PictureFormat::Bgra8,
          "a report shows only Bgra8 pictures");
    const std::int64_t index = frames_++;
    const bool differs = differing_ < MaxDiffering && !frames_equal(gpu, cpu);
    if (!differs && index % stride_ != 0) return {};
    kept_.push_back({{.index = index, .grid = cpu.grid, .size = cpu.picture.size}, differs});
    if (differs) ++differing_;
    thin_out();
    return kept_.back().shown.index == index ? write(kept_.back().shown, gpu, cpu) : Result<void>();
  }

  Result<void> finish(const Summary& summary) override {
    std::vector<ShownFrame> shown;
    shown.reserve(kept_.size());
    for (const Kept& kept : kept_) shown.push_back(kept.shown);
    return write_file(file_options("index.html"), report_page(summary, shown));
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
    HeatMap heat_map(gpu, cpu);
    shown.mismatched_cells = heat_map.mismatched_cells();
    shown.mismatched_pixels = heat_map.mismatched_pixels();
    shown.max_pixel_difference = heat_map.max_difference();
    shown.gpu_file = fmt::format("frame-{:06}-gpu.png", shown.index);
    shown.cpu_file = fmt::format("frame-{:06}-cpu.png", shown.index);
    shown.difference_file = fmt::format("frame-{:06}-difference.png", shown.index);
    TRY(media::write_png(file_options(shown.gpu_file), gpu.picture));
    TRY(media::write_png(file_options(shown.cpu_file), cpu.picture));
    return media::write_png(file_options(shown.difference_file), heat_map.picture());
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
