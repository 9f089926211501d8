#include "commands/record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "../../temporary_files.h"
#include "commands/ssim.h"

namespace glyphreel::commands::record_test {
namespace {

namespace fs = std::filesystem;

class RecordJobTest : public testing::Test {
 protected:
  [[nodiscard]] cli::Settings settings(const char* name, int frames) const {
    cli::Settings settings;
    settings.inputs = {"demo:"};
    settings.recording.output = (folder_ / name).string();
    settings.engine.renderer = cli::RendererChoice::Cpu;
    settings.layout.grid = GridSize{20, 6};
    settings.playback.frames = frames;
    settings.engine.threads = 1;
    settings.report.verbosity = log::Verbosity::Quiet;
    return settings;
  }
  /// Returns the number of frames in a text file.
  [[nodiscard]] std::ptrdiff_t frames_in(const char* name) const {
    return std::ranges::count(text_of(name), '\f');
  }
  [[nodiscard]] std::string text_of(const char* name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const test::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(RecordJobTest, SeveralRunInOneProcess) {
  const auto first = RecordJob::open(settings("a.txt", 2));
  const auto second = RecordJob::open(settings("b.txt", 3));
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  for (const auto& [job, frames] : {std::pair(second->get(), 3), std::pair(first->get(), 2)}) {
    const auto outcome = job->run();
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->encoded, frames);
    EXPECT_FALSE(outcome->interrupted);
    EXPECT_TRUE(job->report(*outcome));
  }
  EXPECT_EQ(frames_in("a.txt"), 2);
  EXPECT_EQ(frames_in("b.txt"), 3);
}

TEST_F(RecordJobTest, SharedKitMakesGlyphsOnceAndChangesNothing) {
  const auto kit = std::make_shared<RecordKit>();
  std::shared_ptr<const text::GlyphSet> glyphs;
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) {
    cli::Settings each = settings(name, 2);
    if (name[0] == 'c') each.glyphs.mode = Mode::Edge;
    int seen = 0;
    const auto on_frame = [&](const render::RenderedFrame& frame, const Frame& source) -> Result<void> {
      EXPECT_EQ(frame.cells.size(), 120U);
      EXPECT_EQ(frame.pts, source.pts);
      ++seen;
      return {};
    };
    const auto job = RecordJob::open(each, {.kit = kit, .on_frame = on_frame});
    ASSERT_TRUE(job) << job.error().message;
    if (name[0] == 'b') {
      EXPECT_EQ((*job)->glyphs(), glyphs);
    }
    glyphs = (*job)->glyphs();
    ASSERT_TRUE((*job)->run());
    EXPECT_EQ(seen, 2);
  }
  cli::Settings alone = settings("d.txt", 2);
  alone.glyphs.mode = Mode::Edge;
  ASSERT_TRUE((*RecordJob::open(alone))->run());
  EXPECT_EQ(text_of("a.txt"), text_of("b.txt"));
  EXPECT_EQ(text_of("c.txt"), text_of("d.txt"));
  EXPECT_NE(text_of("a.txt"), text_of("c.txt"));
}

TEST_F(RecordJobTest, SimilarityToTheSourceDoesNotDependOnTheFormat) {
  std::vector<double> similarities;
  for (const char* name : {"a.txt", "a.png", "a.mp4"}) {
    cli::Settings each = settings(name, 1);
    each.picture.color = cli::ColorChoice::Full;
    each.playback.start = {.value = 2};
    const RecordJob* recording = nullptr;
    const auto on_frame = [&](const render::RenderedFrame& frame, const Frame& source) -> Result<void> {
      SourceSimilarity similarity(recording->setup(), recording->frame_options().light, 1);
      TRY_ASSIGN(const double measured, similarity.measure(frame, source));
      similarities.push_back(measured);
      return {};
    };
    const auto job = RecordJob::open(each, {.on_frame = on_frame});
    ASSERT_TRUE(job) << job.error().message;
    recording = job->get();
    ASSERT_TRUE((*job)->run());
  }
  ASSERT_EQ(similarities.size(), 3U);
  EXPECT_GT(similarities[0], 0.9);
  EXPECT_LT(similarities[0], 1);
  EXPECT_EQ(similarities[1], similarities[0]);
  EXPECT_EQ(similarities[2], similarities[0]);
}

TEST_F(RecordJobTest, OpeningFailsWithoutLeavingFile) {
  const auto unknown = RecordJob::open(settings("a.xyz", 1));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::Usage);
  cli::Settings missing = settings("a.txt", 1);
  missing.inputs = {(folder_ / "none.mp4").string()};
  const auto job = RecordJob::open(missing);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::BadInput);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace glyphreel::commands::record_test
