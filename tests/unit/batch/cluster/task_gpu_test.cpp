#include "batch/cluster/task_gpu.h"

#include <gtest/gtest.h>

#include <vector>

namespace glyphreel::batch::task_gpu_test {
namespace {

constexpr const char* TwoGpus =
    "GPU 0: NVIDIA H100 (UUID: GPU-11111111-2222-3333-4444-555555555555)\n"
    "  MIG 1g.10gb Device 0: (UUID: MIG-99999999-2222-3333-4444-555555555555)\n"
    "GPU 1: NVIDIA H100 (UUID: GPU-AAAAAAAA-2222-3333-4444-555555555555)\n";
const std::vector<ListedGpu> Listed = {{0, "aaaaaaaa222233334444555555555555", false},
                                       {1, "11111111222233334444555555555555", false},
                                       {2, "6d657361", true}};

TEST(TaskGpu, NoneIsAssigned) {
  EXPECT_FALSE(find_task_gpu({}, Listed).index);
  EXPECT_FALSE(find_task_gpu({.visible = "", .job = "0", .nvidia_smi = TwoGpus}, Listed).index);
  EXPECT_FALSE(find_task_gpu({.visible = "NoDevFiles", .job = {}, .nvidia_smi = TwoGpus}, Listed).index);
}

TEST(TaskGpu, NumberIsThatOfNvidiaSmi) {
  EXPECT_EQ(find_task_gpu({.visible = "0", .job = "0", .nvidia_smi = TwoGpus}, Listed).index, 1);
  EXPECT_EQ(find_task_gpu({.visible = "1,0", .job = "1", .nvidia_smi = TwoGpus}, Listed).index, 0);
  EXPECT_EQ(find_task_gpu({.visible = {}, .job = "1", .nvidia_smi = TwoGpus}, Listed).index, 0);
}

TEST(TaskGpu, UuidIsUsedDirectly) {
  EXPECT_EQ(find_task_gpu({.visible = "GPU-AAAAAAAA", .job = {}, .nvidia_smi = {}}, Listed).index, 0);
}

TEST(TaskGpu, OnlyVisibleGpuMayHaveTheNumberOfTheNode) {
  const std::string one = "GPU 0: NVIDIA H100 (UUID: GPU-11111111-2222-3333-4444-555555555555)\n";
  EXPECT_EQ(find_task_gpu({.visible = {}, .job = "5", .nvidia_smi = one}, Listed).index, 1);
}

TEST(TaskGpu, GpuThatVulkanLacksIsNotReplaced) {
  const TaskGpu found = find_task_gpu({.visible = "GPU-77777777", .job = {}, .nvidia_smi = {}}, Listed);
  EXPECT_FALSE(found.index);
  EXPECT_NE(found.reason.find("77777777"), std::string::npos);
}

TEST(TaskGpu, WithoutUuidOnlyASingleGpuIsUsed) {
  EXPECT_FALSE(find_task_gpu({.visible = "0", .job = {}, .nvidia_smi = {}}, Listed).index);
  const std::vector<ListedGpu> single = {{0, "", true}, {1, "", false}};
  EXPECT_EQ(find_task_gpu({.visible = "0", .job = {}, .nvidia_smi = {}}, single).index, 1);
  const std::vector<ListedGpu> software = {{0, "", true}};
  EXPECT_FALSE(find_task_gpu({.visible = "0", .job = {}, .nvidia_smi = {}}, software).index);
}

}  // namespace
}  // namespace glyphreel::batch::task_gpu_test
