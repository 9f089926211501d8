#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "../../../temporary_files.h"
#include "present/export/characters/text_sinks.h"

namespace glyphreel::present::cast_sink_test {
namespace {

using testing::ElementsAre;

/// Records ten frames of one second each, the first at source time 3 s, with these chapters. Returns the time
/// and the code of each event, and also the label of each marker.
std::vector<std::string> events(int version, std::vector<SinkOptions::Chapter> chapters) {
  const test::TemporaryFolder folder;
  const auto glyphs = text::GlyphSet::make({.characters = " x"});
  EXPECT_TRUE(glyphs);
  const auto sink =
      open_cast_sink({.writer = {.path = folder.file("out.cast"), .time_base = {1, 1}, .first_pts = 3},
                      .glyphs = *glyphs,
                      .chapters = std::move(chapters),
                      .cast_version = version});
  EXPECT_TRUE(sink) << sink.error().message;
  std::vector<render::Cell> cells(1);
  for (std::uint32_t i = 0; i < 10; ++i) {
    cells[0] = {i % 2, 0xFFFFFFFF, 0xFF000000};
    EXPECT_TRUE((*sink)->write({.pts = 3 + i, .duration = 1, .grid = {1, 1}, .cells = cells}));
  }
  EXPECT_TRUE((*sink)->finish());
  std::ifstream stream(folder.file("out.cast"));
  std::vector<std::string> events;
  std::string line;
  std::getline(stream, line);  // the header
  while (std::getline(stream, line)) {
    const bool is_marker = line.find(",\"m\",") != line.npos;
    events.push_back(is_marker ? line : line.substr(0, line.find(',') + 4));
  }
  return events;
}

const std::vector<SinkOptions::Chapter> Chapters{{0, "Start"}, {2.5, "A \"title\""}, {4, ""}, {99, "Never"}};

TEST(CastSink, ChaptersAreMarkersAtTheirTimes) {
  EXPECT_THAT(events(2, Chapters),
              ElementsAre(R"([0.000000,"m","Start"])", R"([0.000000,"o")", R"([1.000000,"o")",
                          R"([2.000000,"o")", R"([2.500000,"m","A \"title\""])", R"([3.000000,"o")",
                          R"([4.000000,"m",""])", R"([4.000000,"o")", R"([5.000000,"o")", R"([6.000000,"o")",
                          R"([7.000000,"o")", R"([8.000000,"o")", R"([9.000000,"o")", R"([10.000000,"o")"));
}

TEST(CastSink, MarkersOfVersion3HaveIntervals) {
  EXPECT_THAT(events(3, Chapters),
              ElementsAre(R"([0.000,"m","Start"])", R"([0.000,"o")", R"([1.000,"o")", R"([1.000,"o")",
                          R"([0.500,"m","A \"title\""])", R"([0.500,"o")", R"([1.000,"m",""])",
                          R"([0.000,"o")", R"([1.000,"o")", R"([1.000,"o")", R"([1.000,"o")", R"([1.000,"o")",
                          R"([1.000,"o")", R"([1.000,"x")"));
}

TEST(CastSink, ChapterBeforeTheFirstFrameIsMarkedAtTheStart) {
  EXPECT_EQ(events(2, {{-1.5, "Before"}, {0.5, "After"}}).at(0), R"([0.000000,"m","Before"])");
}

}  // namespace
}  // namespace glyphreel::present::cast_sink_test
