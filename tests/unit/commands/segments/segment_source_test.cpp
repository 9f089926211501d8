// Cuts generated videos into segments. Checks that the segments together form the whole video, and that
// their cells equal those of the uncut video.
#include "commands/segments/segment_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace glyphreel::commands::segment_source_test {
namespace {

constexpr GridSize Grid{8, 4};
constexpr Extent Size{64, 64};
constexpr Rational Ticks{1, 1000};

/// A frame of the generated video. frame_of() adds a pattern to `luma`.
struct Shot {
  std::int64_t pts = 0;
  std::uint8_t luma = 0;
};

/// A Source of gray frames that can seek.
class FakeSource final : public media::Source {
 public:
  explicit FakeSource(std::vector<Shot> shots) : shots_(std::move(shots)) {
    facts_.time_base = Ticks;
    facts_.start_pts = shots_.empty() ? 0 : shots_.front().pts;
  }
  const media::VideoFacts& facts() const override { return facts_; }
  const media::InputFacts& input() const override { return input_; }
  std::shared_ptr<const media::AudioStream> audio() const override { return nullptr; }
  Result<media::SourceItem> read() override {
    if (next_ == shots_.size()) return media::SourceItem(media::EndOfStream{});
    return media::SourceItem(frame_of(shots_[next_++]));
  }
  Result<media::SourceItem> read_audio() override { return media::SourceItem(media::EndOfStream{}); }
  Result<void> seek(double seconds, media::SeekMode, std::uint32_t) override {
    const auto target = facts_.start_pts + static_cast<std::int64_t>(std::ceil(seconds * 1000 - 1e-6));
    const auto found = std::ranges::lower_bound(shots_, target, {}, &Shot::pts);
    next_ = static_cast<std::size_t>(found - shots_.begin());
    return {};
  }
  media::ReadAhead read_ahead() const override { return {}; }
  const std::vector<media::SubtitleTrackInfo>& subtitle_tracks() const override { return no_tracks_; }
  Result<std::unique_ptr<media::SubtitleDecoder>> open_subtitles(int, const std::string&) const override {
    return Error{};
  }
  std::shared_ptr<const media::SubtitlePacket> try_read_subtitle(int) override { return nullptr; }
  void set_background(std::uint32_t) override {}
  void interrupt() override {}
  std::uint64_t damaged_packets() const override { return 0; }

  static Frame frame_of(const Shot& shot) {
    auto pixels =
        std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(Size.width) * Size.height);
    for (std::size_t i = 0; i < pixels->size(); ++i)
      (*pixels)[i] = static_cast<std::byte>(shot.luma + (i * 7 + static_cast<std::size_t>(shot.pts)) % 13);
    Frame frame;
    frame.view.size = Size;
    frame.view.planes[0] = pixels->data();
    frame.view.strides[0] = Size.width;
    frame.view.color.range = ColorRange::Full;
    frame.pts = shot.pts;
    frame.time_base = Ticks;
    frame.owner = std::move(pixels);
    return frame;
  }

 private:
  const std::vector<Shot> shots_;
  std::size_t next_ = 0;
  media::VideoFacts facts_;
  const media::InputFacts input_;
  const std::vector<media::SubtitleTrackInfo> no_tracks_;
};

render::RenderSetup make_setup(double stability) {
  auto glyphs = text::GlyphSet::make({.characters = " .:-=+*#%@"});
  EXPECT_TRUE(glyphs);
  return {.grid = Grid,
          .glyphs = *std::move(glyphs),
          .mapping = {.color = mapping::Color::Full,
                      .auto_levels = stability > 0 ? mapping::AutoLevels::On : mapping::AutoLevels::Off,
                      .stability = stability}};
}

/// Maps frames in order, as a renderer does.
class Mapping {
 public:
  explicit Mapping(const render::RenderSetup& setup)
      : mapper_(*mapping::CellMapper::make(*setup.glyphs, setup.grid, setup.fit, setup.mapping)) {}
  std::vector<std::uint32_t> map(const Frame& frame) {
    std::vector<render::Cell> cells(static_cast<std::size_t>(Grid.cells()));
    mapper_.map(frame.view, mapping::frame_time(frame), pool_, cells.data());
    std::vector<std::uint32_t> words;
    for (const render::Cell& cell : cells)
      words.insert(words.end(), {cell.glyph, cell.foreground, cell.background});
    return words;
  }

 private:
  ThreadPool pool_{1};
  mapping::CellMapper mapper_;
};

struct MappedFrame {
  std::int64_t pts = 0;
  std::vector<std::uint32_t> cells;
  bool operator==(const MappedFrame&) const = default;
};

struct Segment {
  std::optional<media::SegmentStart> start;
  std::vector<MappedFrame> recorded;
  int rendered = 0;  ///< includes the frames that are not recorded
};

Segment read_segment(const std::vector<Shot>& shots, const render::RenderSetup& setup,
                     const SegmentBounds& bounds) {
  auto finder = ResetFinder::make(setup, {}, 1);
  EXPECT_TRUE(finder);
  auto source = SegmentSource::open(std::make_unique<FakeSource>(shots), *std::move(finder), bounds);
  EXPECT_TRUE(source);
  Segment segment{.start = (*source)->start(), .recorded = {}};
  Mapping mapping(setup);
  while (true) {
    auto item = (*source)->read();
    EXPECT_TRUE(item);
    const auto* frame = std::get_if<Frame>(&*item);
    if (frame == nullptr) return segment;
    ++segment.rendered;
    std::vector<std::uint32_t> cells = mapping.map(*frame);
    if (frame->pts >= segment.start->first_pts) segment.recorded.push_back({frame->pts, std::move(cells)});
  }
}

std::vector<MappedFrame> map_all(const std::vector<Shot>& shots, const render::RenderSetup& setup) {
  Mapping mapping(setup);
  std::vector<MappedFrame> all;
  for (const Shot& shot : shots) all.push_back({shot.pts, mapping.map(FakeSource::frame_of(shot))});
  return all;
}

void expect_whole(const std::vector<Shot>& shots, double stability, double length) {
  const render::RenderSetup setup = make_setup(stability);
  const std::int64_t start = shots.front().pts;
  const SegmentPlan plan =
      plan_segments(0, static_cast<double>(shots.back().pts - start) / 1000 + 0.04, length);
  std::vector<MappedFrame> joined;
  for (std::size_t i = 0; i < plan.segments(); ++i) {
    const Segment segment = read_segment(shots, setup, segment_bounds(plan, i, start, Ticks));
    if (!segment.recorded.empty()) {
      EXPECT_EQ(segment.start->first_pts, segment.recorded.front().pts);
      EXPECT_EQ(segment.start->pts_before, joined.empty() ? std::nullopt : std::optional(joined.back().pts));
    }
    joined.insert(joined.end(), segment.recorded.begin(), segment.recorded.end());
  }
  EXPECT_EQ(joined, map_all(shots, setup)) << "length " << length;
}

std::vector<Shot> video(int frames, std::int64_t duration, int frames_per_scene) {
  std::vector<Shot> shots;
  for (int i = 0; i < frames; ++i)
    shots.push_back(
        {200 + i * duration, static_cast<std::uint8_t>(i / frames_per_scene % 2 == 0 ? 30 : 200)});
  return shots;
}

TEST(SegmentSource, SegmentsOfScenesAreTheWholeVideo) {
  expect_whole(video(200, 40, 17), 0.5, 1);
  expect_whole(video(200, 40, 17), 0.5, 3);
}

TEST(SegmentSource, SegmentsOfOneLongSceneAreTheWholeVideo) {
  expect_whole(video(150, 40, 1000), 0.5, 1);
}

TEST(SegmentSource, SegmentsOfIndependentFramesAreTheWholeVideo) {
  expect_whole(video(150, 40, 1000), 0, 1);
}

TEST(SegmentSource, FramesThatLastLongerThanSegmentsAreInOne) {
  expect_whole(video(12, 3500, 2), 0.5, 1);
  expect_whole(video(12, 3500, 100), 0.5, 1);
}

TEST(SegmentSource, VariableRatesAndScenesAreTheWholeVideo) {
  std::mt19937 random(7);
  for (int round = 0; round < 8; ++round) {
    std::vector<Shot> shots;
    std::int64_t pts = 0;
    std::uint8_t luma = 40;
    for (int i = 0; i < 120; ++i) {
      if (random() % 12 == 0) luma = static_cast<std::uint8_t>(random() % 230);
      shots.push_back({pts, luma});
      pts += random() % 20 == 0 ? 900 : 20 + static_cast<std::int64_t>(random() % 60);
    }
    expect_whole(shots, round % 2 == 0 ? 0.5 : 0.9, 0.5 + 0.25 * round);
  }
}

TEST(SegmentSource, SegmentThatBeginsAtACutRendersOnlyItsFrames) {
  const std::vector<Shot> shots = video(200, 40, 25);
  const SegmentPlan plan = plan_segments(0, 8, 2);
  const Segment second = read_segment(shots, make_setup(0.5), segment_bounds(plan, 1, 200, Ticks));
  EXPECT_EQ(second.rendered, static_cast<int>(second.recorded.size()));
}

TEST(SegmentSource, SegmentAfterTheEndHasNoFrames) {
  const std::vector<Shot> shots = video(20, 40, 25);
  const Segment segment =
      read_segment(shots, make_setup(0.5), {.begin = PlannedBorder{5000, 6000}, .end = {}});
  EXPECT_FALSE(segment.start);
  EXPECT_TRUE(segment.recorded.empty());
}

}  // namespace
}  // namespace glyphreel::commands::segment_source_test
