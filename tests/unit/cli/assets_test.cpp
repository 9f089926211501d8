#include "cli/assets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace glyphreel::cli::assets_test {
namespace {

TEST(FindAsset, ErrorNamesMissingAsset) {
  const auto path = find_asset("no-such-file.mp4");
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().code, ErrorCode::Failed);
  EXPECT_THAT(path.error().message, testing::HasSubstr("no-such-file.mp4 is missing from"));
}

TEST(FindAsset, RejectsFolders) {
  EXPECT_FALSE(find_asset("demo"));
}

TEST(FindAsset, FindsSourceTreeAssets) {
  const auto path = find_asset("demo.mp4");
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_THAT(*path, testing::EndsWith("/demo.mp4"));
}

}  // namespace
}  // namespace glyphreel::cli::assets_test
