#include "gpu_fixture.h"

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

void GpuTest::SetUp() {
  ASSERT_FALSE(list_devices().empty())
      << "no Vulkan device: install mesa-vulkan-drivers to test without a GPU";
  ASSERT_TRUE(device()) << device_problem();
  RecordProperty("device", device()->name());  // run_on_gpu.py checks that it is the program's
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
