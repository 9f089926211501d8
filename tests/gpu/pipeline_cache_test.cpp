#include "gpu/device/pipeline_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "../environment.h"
#include "../temporary_files.h"
#include "support/gpu_fixture.h"

namespace glyphreel::gpu {
namespace {

/// Sets $XDG_CACHE_HOME to a temporary folder.
class PipelineCache : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    cache_home_.emplace("XDG_CACHE_HOME", folder_.string());
  }
  void TearDown() override {
    GpuTest::TearDown();
    cache_home_.reset();
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  std::optional<test::Environment> cache_home_;
};

const std::vector<std::byte> Content = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{250}};

TEST_F(PipelineCache, RoundTripsAndLeavesNoTemporaryFiles) {
  const std::filesystem::path path = folder_ / "deep" / "cache.bin";
  write_pipeline_cache(path, Content);
  EXPECT_EQ(read_pipeline_cache(path), Content);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 1u);
}

TEST_F(PipelineCache, IgnoresMissingTruncatedAndDamagedFiles) {
  const std::filesystem::path path = folder_ / "cache.bin";
  EXPECT_TRUE(read_pipeline_cache(path).empty());
  write_pipeline_cache(path, Content);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_TRUE(read_pipeline_cache(path).empty());
  write_pipeline_cache(path, Content);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x55');
  file.close();
  EXPECT_TRUE(read_pipeline_cache(path).empty());
  std::filesystem::resize_file(path, 3);
  EXPECT_TRUE(read_pipeline_cache(path).empty());
}

TEST_F(PipelineCache, IsWrittenByDeviceAndRepaired) {
  ASSERT_TRUE(Device::make({}));  // opens and closes a device
  const std::filesystem::path path = pipeline_cache_path(device()->properties());
  EXPECT_EQ(path.parent_path(), folder_ / "glyphreel");
  ASSERT_FALSE(read_pipeline_cache(path).empty());
  std::ofstream(path, std::ios::trunc) << "not a cache, but long enough for a header";
  ASSERT_TRUE(Device::make({}));
  EXPECT_FALSE(read_pipeline_cache(path).empty());
}

TEST_F(PipelineCache, DeviceOpensWhenCacheIsUnwritable) {
  const test::Environment nowhere("XDG_CACHE_HOME", "/proc/no-such-folder");
  EXPECT_TRUE(Device::make({}));
}

}  // namespace
}  // namespace glyphreel::gpu
