#include "gpu/device/device.h"

#include <gtest/gtest.h>

#include <vector>

#include "../environment.h"
#include "gpu/resources/buffer.h"
#include "support/gpu_fixture.h"

namespace glyphreel::gpu {
namespace {

TEST(Device, IsAvailable) {
  EXPECT_FALSE(list_devices().empty()) << "install mesa-vulkan-drivers to test without a GPU";
}

TEST_F(GpuTest, DeviceListIncludesOpenedDevice) {
  const std::vector<DeviceListing> devices = list_devices();
  const auto& listing = devices.at(static_cast<std::size_t>(device()->listing().index));
  EXPECT_EQ(listing.name, device()->name());
  EXPECT_GT(listing.score, 0);
  EXPECT_TRUE(listing.reason.empty()) << listing.reason;
  EXPECT_FALSE(listing.driver.empty());
  EXPECT_EQ(device()->is_software(), listing.kind == DeviceKind::Cpu);
}

TEST_F(GpuTest, ShadersAreTunedForTheDeviceUnlessGpuShadersAreWanted) {
  const auto has_gpu_shaders = [](ShaderTuning shaders) {
    const auto made = Device::make({.shaders = shaders});
    EXPECT_TRUE(made) << made.error().message;
    return (*made)->has_gpu_shaders();
  };
  EXPECT_TRUE(has_gpu_shaders(ShaderTuning::Gpu));
  const test::Environment other("GLYPHREEL_SHADERS", "");
  EXPECT_EQ(has_gpu_shaders(ShaderTuning::FromEnvironment), !device()->is_software());
  const test::Environment gpu("GLYPHREEL_SHADERS", "gpu");
  EXPECT_TRUE(has_gpu_shaders(ShaderTuning::FromEnvironment));
}

TEST_F(GpuTest, DeviceOpensByIndexAndPartialName) {
  const std::string name = device()->name();
  for (const std::string& selector :
       {std::to_string(device()->listing().index), name.substr(0, name.size() / 2)}) {
    const auto made = Device::make({.selector = selector});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ((*made)->name(), name);
  }
}

TEST_F(GpuTest, DeviceRejectsUnknownSelectorAndListsDevices) {
  const auto made = Device::make({.selector = "no such device"});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::NoDevice);
  EXPECT_NE(made.error().message.find(device()->name()), std::string::npos) << made.error().message;
}

TEST_F(GpuTest, DeviceRejectsMissingWindowExtension) {
  const auto made = Device::make({.instance_extensions = {"VK_KHR_no_such_surface"}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::NoDevice);
}

TEST_F(GpuTest, DeviceForwardsSurfaceError) {
  const auto made = Device::make({.make_surface = [](VkInstance) -> Result<VkSurfaceKHR> {
    return Error{ErrorCode::NoDevice, "There is no display.", {}};
  }});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "There is no display.");
}

// Checks that the error count, on which every other test relies, really changes.
TEST(Validation, CountsErrors) {
  ASSERT_FALSE(list_devices().empty());
  const auto made = Device::make({.validation = Validation::On});
  ASSERT_TRUE(made) << made.error().message;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = 0;  // invalid
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (vkCreateBuffer((*made)->handle(), &create, nullptr, &buffer) == VK_SUCCESS) {
    vkDestroyBuffer((*made)->handle(), buffer, nullptr);
  }
  EXPECT_GE((*made)->validation_messages(), 1u);
}

TEST(Validation, IsOffByDefault) {
  ASSERT_FALSE(list_devices().empty());
  const auto made = Device::make({.validation = Validation::Off});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE((*made)->has_validation());
  EXPECT_EQ(vkGetInstanceProcAddr((*made)->instance(), "vkSetDebugUtilsObjectNameEXT"), nullptr)
      << "objects are named only for debuggers and for validation messages";
}

TEST_F(GpuTest, BufferLargerThanShadersCanReadIsRejected) {
  const std::size_t limit = device()->properties().limits.maxStorageBufferRange;
  const auto made =
      make_buffer(*device(), limit + 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, MemoryKind::Device, "source");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::Usage) << made.error().message;
}

TEST_F(GpuTest, DeviceLossIsSticky) {
  const auto made = Device::make({});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE((*made)->is_lost());
  const Error error = (*made)->fail(VK_ERROR_DEVICE_LOST, "vkQueueSubmit2(...)");
  EXPECT_TRUE((*made)->is_lost());
  EXPECT_NE(error.message.find("The GPU was lost"), std::string::npos);
  EXPECT_EQ((*made)->wait(1).error().message, error.message);
}

}  // namespace
}  // namespace glyphreel::gpu
