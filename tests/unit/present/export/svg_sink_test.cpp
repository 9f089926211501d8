#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "../../../temporary_files.h"
#include "present/export/characters/text_sinks.h"

namespace glyphreel::present::svg_sink_test {
namespace {

using Names = std::vector<std::string>;

/// Writes frames of one cell, five per second. Each frame differs from the one before.
class SvgSinkTest : public testing::Test {
 protected:
  SvgSinkTest() {
    auto set = text::GlyphSet::make({.characters = " x"});
    CHECK(static_cast<bool>(set), set.error().message);
    auto sink = open_svg_sink(
        {.writer = {.path = folder_.file("out.svg"), .time_base = {1, 5}}, .glyphs = *std::move(set)});
    CHECK(static_cast<bool>(sink), sink.error().message);
    sink_ = *std::move(sink);
  }
  /// Writes frames up to and including the frame `last`. All frames after the frame `still` are copies of the
  /// frame `still`. Stops after an error.
  Result<void> write_until(int last, int still = 1000) {
    for (; next_ <= last; ++next_) {
      const auto color = static_cast<std::uint32_t>(std::min(next_, still));
      std::vector<render::Cell> cells{{1, 0xFF000000U + color, 0xFF000000U}};
      TRY(sink_->write({.pts = next_, .duration = 1, .grid = {1, 1}, .cells = cells}));
    }
    return {};
  }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream stream(folder_.file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// Returns the number of frames in an SVG file, or -1 if the file is not a complete document.
  [[nodiscard]] int frames_in(const char* name) const {
    const std::string svg = content(name);
    if (!svg.starts_with("<svg") || !svg.ends_with("</svg>\n")) return -1;
    int frames = 0;
    for (std::size_t at = svg.find("<use "); at != svg.npos; at = svg.find("<use ", at + 1)) ++frames;
    return frames;
  }

  const test::TemporaryFolder folder_;
  std::unique_ptr<FrameSink> sink_;
  int next_ = 0;
};

TEST_F(SvgSinkTest, PartHasAllButTheLastSecond) {
  ASSERT_TRUE(write_until(3));
  EXPECT_EQ(frames_in("out.part.svg"), -1) << "the first second";
  for (int last = 4; last < 40; ++last) {
    ASSERT_TRUE(write_until(last));
    EXPECT_GT(frames_in("out.part.svg"), last + 1 - 5) << last;
  }
  EXPECT_EQ(folder_.names(), Names{"out.part.svg"});
  ASSERT_TRUE(sink_->finish());
  EXPECT_EQ(frames_in("out.svg"), 40);
  EXPECT_EQ(folder_.names(), Names{"out.svg"});
}

TEST_F(SvgSinkTest, PartKeepsAPictureThatStandsStill) {
  ASSERT_TRUE(write_until(9));
  const std::string before = content("out.part.svg");
  ASSERT_TRUE(write_until(24, 9)) << "3 s without changes";
  EXPECT_NE(content("out.part.svg"), before);
  EXPECT_NE(content("out.part.svg").find("animation:f 5s"), std::string::npos) << content("out.part.svg");
}

TEST_F(SvgSinkTest, AbandonedPartHasAllFrames) {
  ASSERT_TRUE(write_until(8));
  EXPECT_EQ(sink_->abandon(), folder_.file("out.part.svg"));
  EXPECT_EQ(frames_in("out.part.svg"), 9);
}

TEST_F(SvgSinkTest, LongAnimationsAreRefused) {
  ASSERT_TRUE(write_until(59)) << "12 seconds";
  const Result<void> written = write_until(60);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::Usage);
  EXPECT_EQ(written.error().message,
            "An .svg animation lasts at most 12 seconds and has at most 2 MB, because browsers stutter with "
            "more; use --length, a smaller --grid, or an output that ends in .webp, .html or .cast.");
  EXPECT_EQ(sink_->abandon(), "");
  EXPECT_EQ(folder_.names(), Names{});
}

}  // namespace
}  // namespace glyphreel::present::svg_sink_test
