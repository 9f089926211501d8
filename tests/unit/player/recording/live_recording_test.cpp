#include "player/recording/live_recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "media/source.h"
#include "text/glyph_set.h"

extern "C" {
#include <libavutil/log.h>

#include "../../../temporary_files.h"
}

namespace glyphreel::player::live_recording_test {
namespace {

namespace fs = std::filesystem;

constexpr GridSize Grid{20, 6};
constexpr CellSize Cell{8, 16};
constexpr int FramesPerSecond = 25;
constexpr int Rate = RecordingTimeline::Rate;

/// Returns a gray frame whose brightness increases from left to right and with `number`.
Frame frame_of(int number) {
  constexpr Extent Size{80, 48};
  auto pixels = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(Size.width) * Size.height);
  for (std::size_t i = 0; i < pixels->size(); ++i) {
    (*pixels)[i] = static_cast<std::byte>((static_cast<int>(i) % Size.width * 2 + number * 7) % 256);
  }
  Frame frame;
  frame.view.size = Size;
  frame.view.planes[0] = pixels->data();
  frame.view.strides[0] = Size.width;
  frame.pts = number;
  frame.duration = 1;
  frame.time_base = {1, FramesPerSecond};
  frame.owner = std::move(pixels);
  return frame;
}

std::shared_ptr<const render::RenderSetup> setup_of(GridSize grid) {
  auto glyphs = text::GlyphSet::make({.cell = Cell, .characters = " .:-=+*#%@"});
  EXPECT_TRUE(glyphs) << glyphs.error().message;
  return std::make_shared<const render::RenderSetup>(
      render::RenderSetup{.grid = grid, .glyphs = *std::move(glyphs)});
}

/// Plays numbered frames into a recording.
struct Player {
  std::shared_ptr<const render::RenderSetup> setup = setup_of(Grid);
  StageTimes times;
  std::unique_ptr<LiveRecording> recording;

  [[nodiscard]] bool begin(const std::string& path, const std::string& codec = "", int sample_rate = Rate,
                           int max_waiting = 1000) {
    auto begun =
        LiveRecording::begin({.writer = {.path = path,
                                         .codec = codec,
                                         .threads = 1,
                                         .size = {Grid.columns * Cell.width, Grid.rows * Cell.height},
                                         .sample_rate = sample_rate},
                              .times = &times,
                              .max_waiting = max_waiting});
    av_log_set_level(AV_LOG_ERROR);
    if (begun) recording = *std::move(begun);
    return recording != nullptr;
  }
  void play(int from, int to, PlaybackSegment segment = {1, 0}) {
    for (int number = from; number < to; ++number) show(number, segment);
    recording->advance_to(segment, static_cast<double>(to) / FramesPerSecond);
  }
  void show(int number, PlaybackSegment segment = {1, 0}) {
    auto block = std::make_shared<media::AudioBlock>();
    block->media_seconds = static_cast<double>(number) / FramesPerSecond;
    block->samples.assign(2 * Rate / FramesPerSecond, 0.25F);
    recording->push_audio(segment, block);
    recording->push_frame({.frame = frame_of(number),
                           .segment = segment,
                           .media_seconds = static_cast<double>(number) / FramesPerSecond,
                           .setup = setup});
  }
  [[nodiscard]] Result<LiveRecording::Outcome> end() {
    recording->end();
    recording->wait();
    auto outcome = recording->take_outcome();
    EXPECT_TRUE(outcome.has_value());
    EXPECT_FALSE(recording->take_outcome().has_value()) << "the outcome must be reported only once";
    return *std::move(outcome);
  }
};

std::vector<Frame> frames_in(const std::string& path, std::unique_ptr<media::Source>& source) {
  std::vector<Frame> frames;
  auto opened = media::Source::open({.url = path, .threads = 1, .audio = media::AudioDelivery::WithFrames});
  EXPECT_TRUE(opened);
  if (!opened) return frames;
  source = *std::move(opened);
  while (true) {
    auto item = source->read();
    EXPECT_TRUE(item);
    if (!item || std::holds_alternative<media::EndOfStream>(*item)) return frames;
    if (const auto* frame = std::get_if<Frame>(&*item)) frames.push_back(*frame);
  }
}

TEST(LiveRecording, WritesEachFrameAtItsTime) {
  const test::TemporaryFolder folder;
  Player player;
  ASSERT_TRUE(player.begin(folder.file("video.mp4")));
  player.play(10, 60);
  player.play(500, 525, {1, 1});
  const auto outcome = player.end();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->frames, 75);
  EXPECT_EQ(outcome->dropped, 0);
  EXPECT_NEAR(outcome->seconds, 3, 1e-6);
  EXPECT_EQ(player.times.summary(Stage::Encode).count, 75U);
  EXPECT_EQ(folder.names().size(), 1U) << "no file but the recording may remain";
  std::unique_ptr<media::Source> video;
  const std::vector<Frame> frames = frames_in(folder.file("video.mp4"), video);
  ASSERT_EQ(frames.size(), 75U);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_NEAR(frames[i].pts_seconds(), static_cast<double>(i) / FramesPerSecond, 1e-9);
  }
  EXPECT_NE(video->audio(), nullptr);
  EXPECT_NEAR(video->facts().duration_seconds.value_or(0), 3, 0.03);
}

TEST(LiveRecording, FramesMatchScreen) {
  const test::TemporaryFolder folder;
  Player player;
  ASSERT_TRUE(player.begin(folder.file("video.mkv"), "ffv1"));
  player.play(0, 12);
  ASSERT_TRUE(player.end());
  std::unique_ptr<media::Source> video;
  const std::vector<Frame> frames = frames_in(folder.file("video.mkv"), video);
  ASSERT_EQ(frames.size(), 12U);
  StageTimes times;
  const auto screen = render::make_cpu_renderer(1, times);
  render::RenderSetup setup = *player.setup;
  setup.picture = PictureFormat::Bgra8;
  ASSERT_TRUE(screen->configure(setup));
  for (int number = 0; number < 12; ++number) {
    ASSERT_TRUE(screen->submit(frame_of(number), {}));
    const auto shown = screen->collect();
    ASSERT_TRUE(shown);
    const FrameView& recorded = frames[static_cast<std::size_t>(number)].view;
    ASSERT_EQ(recorded.size, shown->picture.size);
    int different = 0;
    for (int y = 0; y < recorded.size.height; ++y) {
      for (int x = 0; x < recorded.size.width; ++x) {
        const std::byte* a = recorded.planes[0] + y * recorded.strides[0] + std::ptrdiff_t{4} * x;
        const std::byte* b = shown->picture.planes[0] + y * shown->picture.strides[0] + std::ptrdiff_t{4} * x;
        different += std::memcmp(a, b, 3) != 0 ? 1 : 0;
      }
    }
    EXPECT_EQ(different, 0) << "frame " << number;
  }
}

TEST(LiveRecording, KeepsSize) {
  const test::TemporaryFolder folder;
  Player player;
  ASSERT_TRUE(player.begin(folder.file("video.mp4")));
  player.play(0, 5);
  player.setup = setup_of({31, 9});
  player.play(5, 10);
  player.setup = setup_of({3, 20});
  player.play(10, 15);
  const auto outcome = player.end();
  ASSERT_TRUE(outcome) << outcome.error().message;
  std::unique_ptr<media::Source> video;
  EXPECT_EQ(frames_in(folder.file("video.mp4"), video).size(), 15U);
  EXPECT_EQ(video->facts().size, (Extent{Grid.columns * Cell.width, Grid.rows * Cell.height}));
}

TEST(LiveRecording, DropsFramesInsteadOfBlocking) {
  const test::TemporaryFolder folder;
  Player player;
  ASSERT_TRUE(player.begin(folder.file("video.mp4"), "", Rate, 1));
  player.play(0, 500);
  const auto outcome = player.end();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_GT(outcome->dropped, 0);
  EXPECT_EQ(outcome->frames + outcome->dropped, 500);
  EXPECT_NEAR(outcome->seconds, 20, 1e-6);
  std::unique_ptr<media::Source> video;
  const std::vector<Frame> frames = frames_in(folder.file("video.mp4"), video);
  ASSERT_EQ(static_cast<std::int64_t>(frames.size()), outcome->frames);
  EXPECT_NEAR(frames.back().pts_seconds(), 19.96, 1e-9) << "the last frame must keep its time";
}

TEST(LiveRecording, SkipsZeroDurationFrames) {
  const test::TemporaryFolder folder;
  Player player;
  ASSERT_TRUE(player.begin(folder.file("video.mp4"), "", 0));
  player.play(0, 10);
  for (std::uint32_t epoch = 1; epoch < 30; ++epoch) player.show(100, {1, epoch});
  player.play(50, 60, {1, 30});
  const auto outcome = player.end();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->frames, 20);
  EXPECT_NEAR(outcome->seconds, 0.8, 1e-6);
  std::unique_ptr<media::Source> video;
  EXPECT_EQ(frames_in(folder.file("video.mp4"), video).size(), 20U);
  EXPECT_EQ(video->audio(), nullptr) << "no audio was requested";
}

TEST(LiveRecording, EmptyRecordingLeavesNoFile) {
  const test::TemporaryFolder folder;
  Player player;
  ASSERT_TRUE(player.begin(folder.file("video.mp4")));
  player.show(3);
  player.show(3);
  const auto outcome = player.end();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->frames, 0);
  EXPECT_EQ(folder.names().size(), 0U);
}

TEST(LiveRecording, ReportsErrors) {
  const test::TemporaryFolder folder;
  Player player;
  EXPECT_FALSE(player.begin(folder.file("video.mp4"), "no-such-encoder"));
  ASSERT_TRUE(player.begin(folder.file("gone/video.mp4")));
  player.play(0, 50);
  const auto outcome = player.end();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::Failed);
  EXPECT_NE(outcome.error().message.find("folder does not exist"), std::string::npos)
      << outcome.error().message;
}

TEST(LiveRecording, DestructorFinishesFile) {
  const test::TemporaryFolder folder;
  Player player;
  ASSERT_TRUE(player.begin(folder.file("video.mp4")));
  player.play(0, 30);
  player.recording.reset();
  std::unique_ptr<media::Source> video;
  EXPECT_EQ(frames_in(folder.file("video.mp4"), video).size(), 30U);
}

}  // namespace
}  // namespace glyphreel::player::live_recording_test
