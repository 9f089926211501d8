#include "gpu_fixture.h"

#include <cstring>
#include <string>

namespace glyphreel::gpu {
namespace {

/// One device for all tests of a process, since opening it takes longer than most tests. Released before
/// exit() destroys the validation layer's globals.
struct SharedDevice : testing::Environment {
  std::shared_ptr<Device> device;
  std::string problem;

  void open() {
    if (device || !problem.empty()) return;
    Result<std::shared_ptr<Device>> made = Device::make({.validation = Validation::On});
    if (made) {
      device = *std::move(made);
    } else {
      problem = made.error().message + " " + made.error().cause;
    }
  }

  void TearDown() override { device.reset(); }
};

/// Owned by GoogleTest.
SharedDevice* const environment =
    static_cast<SharedDevice*>(testing::AddGlobalTestEnvironment(new SharedDevice));

SharedDevice& shared_device() {
  environment->open();
  return *environment;
}

}  // namespace

const std::string& device_problem() {
  return shared_device().problem;
}

render::RenderSetup setup_of(const parity::Case& test_case, PictureFormat picture) {
  return {.grid = test_case.grid,
          .fit = test_case.fit,
          .glyphs = parity::glyphs_of(test_case),
          .mapping = test_case.mapping,
          .picture = picture};
}

void expect_same_cells(render::Renderer& gpu, const Frame& imported, render::Renderer& cpu,
                       const Frame& host) {
  const auto submitted = gpu.submit(imported, {});
  ASSERT_TRUE(submitted) << submitted.error().message << " " << submitted.error().cause;
  const auto rendered = gpu.collect();
  ASSERT_TRUE(rendered) << rendered.error().message;
  const auto expected = cpu.render(host, {});
  ASSERT_TRUE(expected);
  ASSERT_EQ(rendered->cells.size(), expected->cells.size());
  int mismatches = 0;
  for (std::size_t i = 0; i < rendered->cells.size(); ++i) {
    if (std::memcmp(&rendered->cells[i], &expected->cells[i], sizeof(render::Cell)) != 0) ++mismatches;
  }
  ASSERT_EQ(mismatches, 0) << "of " << rendered->cells.size() << " cells";
}

void GpuTest::SetUp() {
  ASSERT_FALSE(list_devices().empty())
      << "no Vulkan device: install mesa-vulkan-drivers to test without a GPU";
  ASSERT_TRUE(device()) << device_problem();
  RecordProperty("device", device()->name());  // run_on_gpu.py compares it with the program's GPU
  messages_before_ = device()->validation_messages();
}

void GpuTest::TearDown() {
  if (!shared_device().device) return;
  EXPECT_TRUE(device()->has_validation());
  EXPECT_EQ(device()->validation_messages(), messages_before_);
}

const std::shared_ptr<Device>& GpuTest::device() const {
  return shared_device().device;
}

}  // namespace glyphreel::gpu
