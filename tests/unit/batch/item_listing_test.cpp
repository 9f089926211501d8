#include "batch/item_listing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace glyphreel::batch::item_listing_test {
namespace {

Item done_item() {
  Item item{.id = 3,
            .input = "in/Film one.mkv",
            .output = "Film one.mp4",
            .state = State::Done,
            .attempts = 1,
            .host = "box",
            .started_s = 1700000000.25};
  item.figures = {.frames = 240, .bytes = 5000, .wall_s = 1.5, .luma = 0.5, .ssim = 0.75};
  return item;
}

Item failed_item() {
  return {.id = 4,
          .input = "in/it's.mkv",
          .output = "it's.mp4",
          .state = State::Failed,
          .attempts = 2,
          .code = ErrorCode::BadInput,
          .error = "It is damaged."};
}

bool matches(std::string_view filter, const Item& item) {
  const auto parsed = ItemFilter::parse(filter);
  EXPECT_TRUE(parsed) << filter << ": " << parsed.error().message;
  return parsed && parsed->matches(item);
}

TEST(ItemFilter, ComparesTextsAndNumbers) {
  const Item item = done_item();
  for (const char* filter :
       {"", "state=done", "state!=failed", "input~film", "input!~film two", "frames=240", "frames>100",
        "frames>=240", "frames<=240", "wall<2", "luma>0.4", "ssim>=0.75", "state=done,frames>1"})
    EXPECT_TRUE(matches(filter, item)) << filter;
  for (const char* filter :
       {"state=failed", "input~other", "frames>240", "frames<240", "wall>2", "state=done,frames>999"})
    EXPECT_FALSE(matches(filter, item)) << filter;
}

TEST(ItemFilter, NoLimitMatchesANumberThatWasNotMeasured) {
  for (const char* filter : {"ssim>0", "ssim<1", "ssim=0"})
    EXPECT_FALSE(matches(filter, failed_item())) << filter;
  EXPECT_TRUE(matches("ssim!=0", failed_item()));
}

TEST(ItemFilter, RefusesWhatItCannotCompare) {
  for (const char* filter :
       {"state", "nothing=1", "frames>many", "frames~2", "input>a", "state=ready", "=1", "stages=1"}) {
    const auto parsed = ItemFilter::parse(filter);
    ASSERT_FALSE(parsed) << filter;
    EXPECT_EQ(parsed.error().code, ErrorCode::Usage);
  }
}

TEST(SumOfSegments, WeightsMeansByFrames) {
  const auto segment = [](std::int64_t frames, double luma, std::optional<double> ssim) {
    return Segment{.figures = {.frames = frames, .luma = luma, .ssim = ssim}};
  };
  const Figures sum = sum_of({segment(30, 0.5, 0.75), segment(10, 0.25, 0.25), segment(40, 0, std::nullopt)});
  EXPECT_EQ(sum.frames, 80);
  EXPECT_DOUBLE_EQ(sum.luma, 0.21875);
  EXPECT_DOUBLE_EQ(sum.ssim.value(), 0.625);
  EXPECT_EQ(sum_of({segment(5, 1, std::nullopt)}).ssim, std::nullopt);
}

TEST(ItemJson, HasTheFieldsOfTheFilter) {
  const nlohmann::json json = item_json(done_item());
  EXPECT_EQ(json["state"], "done");
  EXPECT_EQ(json["frames"], 240);
  EXPECT_EQ(json["exit"], 0);
  EXPECT_EQ(item_json(failed_item())["exit"], 4);
}

TEST(JobLog, IsThatOfGnuParallel) {
  const std::vector<Item> items = {done_item(), failed_item(), Item{.id = 5, .input = "waiting.mkv"}};
  EXPECT_EQ(
      job_log(items, "out"),
      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
      "3\tbox\t1700000000.250\t     1.500\t0\t5000\t0\t0\tglyphreel record 'in/Film one.mkv' -o 'out/Film "
      "one.mp4'\n"
      "4\t:\t0.000\t     0.000\t0\t0\t4\t0\tglyphreel record 'in/it'\\''s.mkv' -o 'out/it'\\''s.mp4'\n");
}

TEST(ItemTable, ShowsErrorsWithoutControlCharacters) {
  Item item = failed_item();
  item.input = "a\x1b[31m.mkv";
  const std::string table = item_table(std::vector{item});
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_NE(table.find("It is damaged."), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::batch::item_listing_test
