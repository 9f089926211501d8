#include "media/reading/time_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/stream/stream_tags.h"

namespace glyphreel::media::time_range_test {
namespace {

using ::testing::HasSubstr;
using Unit = TimePosition::Unit;

VideoFacts ten_seconds() {
  VideoFacts facts;
  facts.duration_seconds = 10;
  facts.chapters = {{0, "one"}, {4, "two"}};
  return facts;
}

TimeRange range_of(const RequestedRange& requested) {
  const Result<TimeRange> range = time_range(requested, ten_seconds());
  if (!range) ADD_FAILURE() << range.error().message;
  return range ? *range : TimeRange{};
}

Error error_of(const RequestedRange& requested, const VideoFacts& facts) {
  const Result<TimeRange> range = time_range(requested, facts);
  if (range) ADD_FAILURE() << "the range was accepted";
  return range ? Error{} : range.error();
}

TEST(TimeRange, ResolvesEveryUnit) {
  EXPECT_EQ(range_of({}), TimeRange{});
  EXPECT_EQ(range_of({.start = TimePosition{3}}), (TimeRange{3.0, {}}));
  EXPECT_EQ(range_of({.start = TimePosition{50, Unit::Percent}}), (TimeRange{5.0, {}}));
  EXPECT_EQ(range_of({.end = TimePosition{4, Unit::SecondsBeforeEnd}}), (TimeRange{{}, 6.0}));
  EXPECT_EQ(range_of({.start = TimePosition{2, Unit::Chapter}}), (TimeRange{4.0, {}}));
  EXPECT_EQ(range_of({.start = TimePosition{40, Unit::SecondsBeforeEnd}}), (TimeRange{0.0, {}}));
}

TEST(TimeRange, LengthAndEndLimitTogether) {
  EXPECT_EQ(range_of({.start = TimePosition{50, Unit::Percent}, .length_seconds = 2.0}),
            (TimeRange{5.0, 7.0}));
  EXPECT_EQ(range_of({.start = TimePosition{2}, .end = TimePosition{3}, .length_seconds = 9.0}),
            (TimeRange{2.0, 3.0}));
}

TEST(TimeRange, EmptyRangeIsUsageError) {
  const Error error =
      error_of({.start = TimePosition{6}, .end = TimePosition{50, Unit::Percent}}, ten_seconds());
  EXPECT_EQ(error.code, ErrorCode::Usage);
  EXPECT_THAT(error.message, HasSubstr("--end must be later than --start"));
}

TEST(TimeRange, NeedsDurationAndChapters) {
  const Error live = error_of({.start = TimePosition{50, Unit::Percent}}, {});
  EXPECT_EQ(live.code, ErrorCode::BadInput);
  EXPECT_THAT(live.message, HasSubstr("no known duration"));
  const Error chapter = error_of({.start = TimePosition{3, Unit::Chapter}}, ten_seconds());
  EXPECT_EQ(chapter.code, ErrorCode::BadInput);
  EXPECT_THAT(chapter.message, HasSubstr("no chapter 3 because the input has only 2"));
}

TEST(SampleAspectFor, AppliesAfterRotation) {
  EXPECT_DOUBLE_EQ(sample_aspect_for({16, 9}, {720, 576}, Rotation::None).value(), 16.0 / 9 * 576 / 720);
  EXPECT_DOUBLE_EQ(sample_aspect_for({9, 16}, {1920, 1080}, Rotation::Clockwise90).value(), 1);
}

}  // namespace
}  // namespace glyphreel::media::time_range_test
