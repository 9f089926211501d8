#include "commands/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "media/source.h"
#include "media/still/still_picture.h"

namespace glyphreel::commands::report_test {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr GridSize Grid{5, 3};
constexpr CellSize Cell{4, 6};
constexpr render::Cell PlainCell{1, 0xFFFFFFFF, 0xFF000000};
constexpr Extent Size{Grid.columns * Cell.width, Grid.rows* Cell.height};
constexpr int Stride = Size.width * 4 + 16;  // rows are padded, as in renderer output

/// A text frame whose cells and pixels a test can change.
struct TestFrame {
  std::vector<render::Cell> cells = std::vector<render::Cell>(Grid.cells(), PlainCell);
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(Stride / 4 * Size.height, 0xFF203040);

  std::uint32_t& pixel(int x, int y) { return words[y * (Stride / 4) + x]; }
  render::RenderedFrame rendered() {
    render::RenderedFrame frame{.grid = Grid, .cells = cells};
    frame.picture = {.format = PictureFormat::Bgra8,
                     .size = Size,
                     .planes = {reinterpret_cast<std::byte*>(words.data())},
                     .strides = {Stride}};
    return frame;
  }
};

class ReportTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) / "glyphreel-report-test" / test->name();
    fs::remove_all(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  [[nodiscard]] std::string page() const {
    const std::ifstream file(directory_ / "index.html");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_))
      names.insert(entry.path().filename().string());
    return names;
  }
  /// Returns the JSON in the page.
  [[nodiscard]] nlohmann::json data() const {
    const std::string html = page();
    const std::string head = R"(<script type="application/json" id="data">)";
    const std::size_t start = html.find(head) + head.size();
    return nlohmann::json::parse(html.substr(start, html.find("</script>", start) - start));
  }
  /// Returns the frame numbers that the page shows, in page order.
  [[nodiscard]] std::vector<int> shown_frames() const {
    std::vector<int> frames;
    const nlohmann::json json = data();
    for (const auto& frame : json["frames"]) frames.push_back(frame["index"]);
    return frames;
  }
  /// Returns the names of the files that the page shows.
  [[nodiscard]] std::set<std::string> linked_files() const {
    std::set<std::string> names;
    const nlohmann::json json = data();
    for (const auto& frame : json["frames"]) {
      for (const auto& file : frame["files"]) names.insert(file);
    }
    return names;
  }

  fs::path directory_;
};

/// Returns the pixels of a PNG file as 0xRRGGBB, row by row; none if the file is not a PNG of this size.
std::vector<std::uint32_t> read_png(const fs::path& path, Extent size) {
  const auto source = media::Source::open({.url = path.string(), .threads = 1});
  if (!source || (*source)->facts().codec != "png" || (*source)->facts().size != size) return {};
  const auto item = (*source)->read();
  const auto* frame = item ? std::get_if<Frame>(&*item) : nullptr;
  if (frame == nullptr || frame->view.layout.model != ColorModel::Rgb) return {};
  std::vector<std::uint32_t> pixels;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      std::uint32_t word = 0;
      for (const ComponentLayout& component : frame->view.layout.components) {
        const std::byte* row = frame->view.planes[component.plane] + y * frame->view.strides[component.plane];
        word = word << 8 | std::to_integer<std::uint32_t>(row[x * component.step + component.offset]);
      }
      pixels.push_back(word);
    }
  }
  return pixels;
}

/// Adds `count` frames to a report and a comparison. The GPU's and the CPU's frames are equal, except for
/// what `change` modifies in the GPU's frames.
template <typename Change>
Comparison report_frames(Report& report, int count, Change change) {
  Comparison comparison;
  for (int i = 0; i < count; ++i) {
    TestFrame gpu;
    TestFrame cpu;
    change(i, gpu);
    comparison.add(gpu.rendered(), cpu.rendered());
    EXPECT_TRUE(report.add(gpu.rendered(), cpu.rendered()));
  }
  return comparison;
}

TEST_F(ReportTest, ShowsEvenlySpacedFramesAndNoOtherFiles) {
  for (const int count : {1, 6, 7, 100, 1000}) {
    fs::remove_all(directory_);
    auto report = Report::make(directory_.string());
    ASSERT_TRUE(report);
    const Comparison comparison = report_frames(**report, count, [](int, TestFrame&) {});
    ASSERT_TRUE((*report)->finish({.title = "clip.mp4", .gpu = "A", .cpu = "B", .comparison = &comparison}));

    const std::vector<int> frames = shown_frames();
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.front(), 0);
    EXPECT_LE(frames.size(), 6U);
    EXPECT_GE(frames.size(), static_cast<std::size_t>(std::min(count, 4)));
    const int stride = frames.size() > 1 ? frames[1] : 1;
    for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(frames[i], static_cast<int>(i) * stride);
    EXPECT_GE(frames.back() + stride, count) << "the end of the run is not shown";

    std::set<std::string> expected = linked_files();
    EXPECT_EQ(expected.size(), 3 * frames.size());
    expected.insert("index.html");
    EXPECT_EQ(files(), expected);
  }
}

TEST_F(ReportTest, StatesWhenAllCellsAreEqual) {
  auto report = Report::make(directory_.string());
  ASSERT_TRUE(report);
  const Comparison comparison = report_frames(**report, 100, [](int, TestFrame&) {});
  ASSERT_TRUE((*report)->finish({.title = "clip.mp4", .gpu = "A", .cpu = "B", .comparison = &comparison}));
  const nlohmann::json verdict = data()["comparison"];
  EXPECT_EQ(verdict["frames"], 100);
  EXPECT_EQ(verdict["cells"], 1500);
  EXPECT_EQ(verdict["mismatched_cells"], 0);
  EXPECT_EQ(verdict["mismatched_pixels"], 0);
  EXPECT_TRUE(verdict["first_mismatch"].is_null());
  EXPECT_THAT(read_png(directory_ / "frame-000000-gpu.png", Size), Each(0x203040));
  EXPECT_THAT(read_png(directory_ / "frame-000000-difference.png", Size), Each(0));
}

TEST_F(ReportTest, AlwaysShowsFirstThreeDifferingFrames) {
  auto report = Report::make(directory_.string());
  ASSERT_TRUE(report);
  const Comparison comparison = report_frames(**report, 500, [](int frame, TestFrame& gpu) {
    if (frame == 7 || frame == 13 || frame == 301 || frame == 303)
      gpu.cells[8] = {42, 0xFF102030, 0xFFAABBCC};
  });
  ASSERT_TRUE((*report)->finish({.title = "clip.mp4", .gpu = "A", .cpu = "B", .comparison = &comparison}));
  const std::vector<int> frames = shown_frames();
  EXPECT_LE(frames.size(), 6U);
  EXPECT_THAT(frames, testing::IsSupersetOf({0, 7, 13, 301}));
  EXPECT_THAT(frames, Not(testing::Contains(303)));

  const nlohmann::json verdict = data()["comparison"];
  EXPECT_EQ(verdict["mismatched_cells"], 4);
  EXPECT_EQ(verdict["cells"], 7500);
  const nlohmann::json first = verdict["first_mismatch"];
  EXPECT_EQ(first["frame"], 7);
  EXPECT_EQ(first["column"], 3);
  EXPECT_EQ(first["row"], 1);
  EXPECT_EQ(first["gpu"]["glyph"], 42);
  EXPECT_EQ(first["gpu"]["foreground"], "#102030");
  EXPECT_EQ(first["gpu"]["background"], "#AABBCC");
  EXPECT_EQ(first["cpu"]["glyph"], PlainCell.glyph);
  const auto shown = std::find(frames.begin(), frames.end(), 7) - frames.begin();
  EXPECT_EQ(data()["frames"][shown]["files"]["gpu"], "frame-000007-gpu.png");
}

TEST_F(ReportTest, DifferenceImageIsBlackWhereEqual) {
  auto report = Report::make(directory_.string());
  ASSERT_TRUE(report);
  const Comparison comparison = report_frames(**report, 1, [](int, TestFrame& gpu) {
    gpu.pixel(9, 13) = 0xFF203041;                // differs by 1, in the cell at column 2, row 2
    gpu.pixel(0, 0) = 0xFFFF3040;                 // differs by 223, in the first cell
    gpu.cells[14] = {1, 0xFFFFFFFE, 0xFF000000};  // the cell differs, but none of its pixels
  });
  ASSERT_TRUE((*report)->finish({.title = "clip.mp4", .gpu = "A", .cpu = "B", .comparison = &comparison}));
  const nlohmann::json shown = data()["frames"][0];
  EXPECT_EQ(shown["mismatched_cells"], 1);
  EXPECT_EQ(shown["mismatched_pixels"], 2);
  EXPECT_EQ(shown["max_pixel_difference"], 223);
  const std::vector<std::uint32_t> heat = read_png(directory_ / "frame-000000-difference.png", Size);
  ASSERT_EQ(heat.size(), static_cast<std::size_t>(Size.width * Size.height));
  const auto red = [](std::uint32_t word) { return static_cast<int>(word >> 16); };
  for (int y = 0; y < Size.height; ++y) {
    for (int x = 0; x < Size.width; ++x) {
      const std::uint32_t word = heat[y * Size.width + x];
      const int cell = y / Cell.height * Grid.columns + x / Cell.width;
      if ((x == 9 && y == 13) || (x == 0 && y == 0)) {
        EXPECT_EQ(red(word), 255) << x << ' ' << y;
      } else if (cell == 0 || cell == 12 || cell == 14) {
        EXPECT_GT(red(word), 0) << x << ' ' << y;
        EXPECT_LT(red(word), 128) << x << ' ' << y;
      } else {
        EXPECT_EQ(word, 0U) << x << ' ' << y;
      }
    }
  }
}

TEST_F(ReportTest, CountsPixelDifferencesInEqualCells) {
  auto report = Report::make(directory_.string());
  ASSERT_TRUE(report);
  const Comparison comparison = report_frames(
      **report, 2, [](int frame, TestFrame& gpu) { gpu.pixel(3, 3) += static_cast<unsigned>(frame); });
  ASSERT_TRUE((*report)->finish({.title = "clip.mp4", .gpu = "A", .cpu = "B", .comparison = &comparison}));
  const nlohmann::json verdict = data()["comparison"];
  EXPECT_EQ(verdict["cells"], 30);
  EXPECT_EQ(verdict["mismatched_cells"], 0);
  EXPECT_EQ(verdict["mismatched_pixels"], 1);
}

TEST_F(ReportTest, NamesCannotBecomeMarkup) {
  auto report = Report::make(directory_.string());
  ASSERT_TRUE(report);
  StageTimes times{StageTimes::Keep::All};
  times.add(Stage::Map, 1);
  times.set_engine(Stage::Map, "<b>engine");
  const Comparison comparison = report_frames(**report, 1, [](int, TestFrame&) {});
  const std::string title = "</script><script>alert('1')</script><!--&.mp4";
  ASSERT_TRUE((*report)->finish({.title = title,
                                 .gpu = "<i>GPU",
                                 .cpu = "\"CPU\" \xff",
                                 .gpu_times = &times,
                                 .comparison = &comparison}));
  const std::string html = page();
  for (const char* markup : {"<script>alert", "<!--&", "<i>", "<b>"}) {
    EXPECT_THAT(html, Not(HasSubstr(markup)));
  }
  EXPECT_EQ(data()["title"], title);
  EXPECT_EQ(data()["gpu"], "<i>GPU");
  EXPECT_EQ(data()["cpu"], "\"CPU\" \uFFFD");
  EXPECT_EQ(data()["stages"][0]["gpu"]["engine"], "<b>engine");
}

TEST_F(ReportTest, HoldsTimesOfBothRenderers) {
  auto report = Report::make(directory_.string());
  ASSERT_TRUE(report);
  StageTimes gpu{StageTimes::Keep::All};
  StageTimes cpu{StageTimes::Keep::All};
  for (int i = 0; i < 20'000; ++i) {
    gpu.add(Stage::Map, 1);
    gpu.add(Stage::Draw, 1);
    gpu.add(Stage::Readback, 0.5);
    cpu.add(Stage::Decode, 3);
    cpu.add(Stage::Map, 4);
    cpu.add(Stage::Draw, i == 9'000 ? 400 : 6);
  }
  const Comparison comparison = report_frames(**report, 1, [](int, TestFrame&) {});
  ASSERT_TRUE((*report)->finish({.title = "clip.mp4",
                                 .gpu = "A",
                                 .cpu = "B",
                                 .gpu_times = &gpu,
                                 .cpu_times = &cpu,
                                 .comparison = &comparison}));
  const nlohmann::json json = data();
  EXPECT_NEAR(json["comparison"]["speedup"].get<double>(), 5, 0.005);
  std::vector<std::string> stages;
  for (const auto& stage : json["stages"]) stages.push_back(stage["name"]);
  EXPECT_THAT(stages, ElementsAre("decode", "map", "draw", "readback"));
  EXPECT_TRUE(json["stages"][0]["gpu"].is_null());
  EXPECT_EQ(json["stages"][0]["cpu"]["mean_ms"], 3);
  EXPECT_EQ(json["stages"][3]["gpu"]["count"], 20'000);

  EXPECT_EQ(json["timed_frames"], 20'000);
  EXPECT_EQ(json["frame_ms"]["gpu"].size(), json["frame_ms"]["cpu"].size());
  EXPECT_EQ(json["frame_ms"]["gpu"][0], nlohmann::json({24.5, 2, 2, 2}));
  const nlohmann::json slowest = json["frame_ms"]["cpu"][9'000 / 50];
  EXPECT_EQ(slowest, nlohmann::json({9'024.5, 17.88, 10, 404}));
  EXPECT_LT(page().size(), 100'000U) << "a long run must not make a large page";
}

TEST_F(ReportTest, HasNoTimesWithoutFrames) {
  auto report = Report::make(directory_.string());
  ASSERT_TRUE(report);
  const Comparison comparison;
  ASSERT_TRUE((*report)->finish({.title = "empty.mp4", .gpu = "A", .cpu = "B", .comparison = &comparison}));
  EXPECT_EQ(data()["comparison"]["frames"], 0);
  EXPECT_THAT(data()["frames"], testing::IsEmpty());
  EXPECT_THAT(data()["stages"], testing::IsEmpty());
  EXPECT_THAT(data()["frame_ms"]["gpu"], testing::IsEmpty());
}

TEST_F(ReportTest, FailsWhenFolderCannotBeCreated) {
  fs::create_directories(directory_);
  std::ofstream(directory_ / "file") << "in the way";
  const auto report = Report::make((directory_ / "file" / "report").string());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::Failed);
  EXPECT_THAT(report.error().message, HasSubstr("file/report"));
  EXPECT_FALSE(Report::make((directory_ / "file").string()));
}

TEST_F(ReportTest, FailsWhenFolderVanishes) {
  auto report = Report::make((directory_ / "a/b").string());
  ASSERT_TRUE(report);
  fs::remove_all(directory_);
  TestFrame frame;
  EXPECT_FALSE((*report)->add(frame.rendered(), frame.rendered()));
  const Comparison comparison;
  const auto finished = (*report)->finish({.title = "t", .gpu = "A", .cpu = "B", .comparison = &comparison});
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::Failed);
}

TEST_F(ReportTest, PngPreservesEveryPixel) {
  fs::create_directories(directory_);
  TestFrame frame;
  std::vector<std::uint32_t> expected;
  for (int y = 0; y < Size.height; ++y) {
    for (int x = 0; x < Size.width; ++x) {
      const std::uint32_t word =
          static_cast<std::uint32_t>(x * 11 << 16 | y * 13 << 8 | (x ^ y) * 7) & 0xFFFFFF;
      frame.pixel(x, y) = 0xFF000000 | word;
      expected.push_back(word);
    }
  }
  const fs::path path = directory_ / "a:b 100%.png";
  std::ofstream(path) << "old content";
  ASSERT_TRUE(media::write_png({.path = path.string(), .existing = AtomicFile::Existing::Replace},
                               frame.rendered().picture));
  EXPECT_THAT(files(), ElementsAre("a:b 100%.png"));
  fs::rename(path, directory_ / "picture.png");  // FFmpeg treats % as the frame number of an image sequence
  EXPECT_EQ(read_png(directory_ / "picture.png", Size), expected);
}

TEST_F(ReportTest, FailedPngLeavesNoFile) {
  fs::create_directories(directory_ / "taken.png/inside");
  TestFrame frame;
  const auto no_folder =
      media::write_png({.path = (directory_ / "none/a.png").string()}, frame.rendered().picture);
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().code, ErrorCode::Failed);
  EXPECT_THAT(no_folder.error().message, HasSubstr("its folder does not exist"));
  EXPECT_FALSE(media::write_png({.path = (directory_ / "taken.png").string()}, frame.rendered().picture));
  Picture empty = frame.rendered().picture;
  empty.size = {0, 0};
  EXPECT_FALSE(media::write_png({.path = (directory_ / "empty.png").string()}, empty));
  EXPECT_THAT(files(), ElementsAre("taken.png"));
}

TEST_F(ReportTest, PngReportsFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  fs::create_directories(directory_);
  fs::create_symlink("/dev/full", directory_ / "a.png");
  TestFrame frame;
  const auto written = media::write_png({.path = (directory_ / "a.png").string()}, frame.rendered().picture);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("the disk is full"));
}

}  // namespace
}  // namespace glyphreel::commands::report_test
