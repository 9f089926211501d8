#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace glyphreel::result_test {
namespace {

Error trouble() {
  return {ErrorCode::BadInput, "clip.mp4 holds no video.", "AVERROR_STREAM_NOT_FOUND"};
}

Result<int> parsed(bool good) {
  if (good) return 42;
  return trouble();
}

Result<void> checked(bool good) {
  if (!good) return trouble();
  return {};
}

Result<std::unique_ptr<int>> doubled(bool good, int& evaluations) {
  TRY_ASSIGN(const int value, (++evaluations, parsed(good)));
  TRY(checked(good));
  return std::make_unique<int>(2 * value);
}

TEST(Result, HoldsItsValue) {
  Result<std::string> result(std::string("cells"));
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, "cells");
  EXPECT_EQ(result->size(), 5u);
  EXPECT_EQ(*std::move(result), "cells");
}

TEST(Result, HoldsItsError) {
  const Result<int> result = parsed(false);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::BadInput);
  EXPECT_EQ(result.error().message, "clip.mp4 holds no video.");
  EXPECT_EQ(result.error().cause, "AVERROR_STREAM_NOT_FOUND");
  const Result<void> nothing = checked(false);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::BadInput);
}

TEST(Result, TryForwardsErrorsAndMovesValues) {
  int evaluations = 0;
  Result<std::unique_ptr<int>> good = doubled(true, evaluations);
  ASSERT_TRUE(good);
  EXPECT_EQ(**good, 84);
  EXPECT_EQ(evaluations, 1);
  const std::unique_ptr<int> owned = *std::move(good);
  EXPECT_EQ(*owned, 84);

  const Result<std::unique_ptr<int>> bad = doubled(false, evaluations);
  ASSERT_FALSE(bad);
  EXPECT_EQ(evaluations, 2);
  EXPECT_EQ(bad.error().message, "clip.mp4 holds no video.");
}

TEST(Result, EmptyMessageIsStillError) {
  EXPECT_FALSE(Result<void>(Error{}));
  EXPECT_FALSE(Result<int>(Error{}));
}

TEST(ResultDeathTest, CheckNamesBrokenInvariant) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const int samples = 33;
  EXPECT_DEATH(CHECK(samples <= 32, "too many samples"),
               "internal error: too many samples \\(samples <= 32\\)");
  CHECK(samples > 32, "not reported");
}

TEST(ErrorText, FullTextAddsCauseInParentheses) {
  EXPECT_EQ(full_text({ErrorCode::Failed, "a.mp4 cannot be written.", "No space left on device"}),
            "a.mp4 cannot be written. (No space left on device)");
  EXPECT_EQ(full_text({ErrorCode::Failed, "The device was lost.", ""}), "The device was lost.");
}

}  // namespace
}  // namespace glyphreel::result_test
