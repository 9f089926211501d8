// Tests which extensions and queues the program enables on a device for FFmpeg's decoders, given the features
// that the driver reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/device/video_plan.h"

namespace glyphreel::gpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr VkQueueFlags Graphics = VK_QUEUE_GRAPHICS_BIT, Compute = VK_QUEUE_COMPUTE_BIT,
                       Transfer = VK_QUEUE_TRANSFER_BIT, Sparse = VK_QUEUE_SPARSE_BINDING_BIT,
                       Decode = VK_QUEUE_VIDEO_DECODE_BIT_KHR, Encode = 0x40, OpticalFlow = 0x100;
constexpr VkVideoCodecOperationFlagsKHR H264 = VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR,
                                        H265 = VK_VIDEO_CODEC_OPERATION_DECODE_H265_BIT_KHR, Av1 = DecodeAv1,
                                        Vp9 = 0x8, EncodeH264 = 0x10000, EncodeH265 = 0x20000;

/// The queue families that NVIDIA's driver reports on GeForce GPUs.
const std::vector<QueueFamily> Nvidia = {{0, Graphics | Compute | Transfer | Sparse, 0},
                                         {1, Transfer | Sparse, 0},
                                         {2, Compute | Transfer | Sparse, 0},
                                         {3, Transfer | Sparse | Decode, H264 | H265 | Av1 | Vp9},
                                         {4, Transfer | Sparse | Encode, EncodeH264 | EncodeH265},
                                         {5, Transfer | Sparse | OpticalFlow, 0}};
/// The queue families that RADV reports.
const std::vector<QueueFamily> Radv = {{0, Graphics | Compute | Transfer | Sparse, 0},
                                       {1, Compute | Transfer | Sparse, 0},
                                       {2, Decode, H264 | H265},
                                       {3, Encode, EncodeH264 | EncodeH265},
                                       {4, Sparse, 0}};
/// The queue families that lavapipe reports.
const std::vector<QueueFamily> Lavapipe = {{0, Graphics | Compute | Transfer, 0}};

const std::vector<std::string> Everything = {"VK_KHR_swapchain",          "VK_KHR_video_queue",
                                             "VK_KHR_video_decode_queue", "VK_KHR_video_encode_queue",
                                             "VK_KHR_video_decode_h264",  "VK_KHR_video_decode_h265",
                                             "VK_KHR_video_decode_av1",   "VK_KHR_video_decode_vp9"};

std::vector<std::string> without(const std::string& name) {
  std::vector<std::string> extensions = Everything;
  std::erase(extensions, name);
  return extensions;
}

std::vector<std::string> names(const VideoPlan& plan) {
  return {plan.extensions.begin(), plan.extensions.end()};
}

void expect_nothing(const VideoPlan& plan) {
  EXPECT_EQ(plan.codecs, 0u);
  EXPECT_THAT(plan.extensions, IsEmpty());
  EXPECT_THAT(plan.families, IsEmpty());
}

TEST(VideoPlan, UsesNvidiaDecodeAndTransferQueues) {
  const VideoPlan plan = plan_video(Everything, Nvidia, 0);
  EXPECT_EQ(plan.codecs, H264 | H265 | Av1);
  EXPECT_THAT(plan.families, ElementsAre(Nvidia[1], Nvidia[0], Nvidia[3]));
  EXPECT_THAT(names(plan),
              ElementsAre("VK_KHR_video_queue", "VK_KHR_video_decode_queue", "VK_KHR_video_decode_h264",
                          "VK_KHR_video_decode_h265", "VK_KHR_video_decode_av1"));
}

TEST(VideoPlan, UsesRadvDecodeQueueWithoutTransferQueue) {
  const VideoPlan plan = plan_video(Everything, Radv, 0);
  EXPECT_EQ(plan.codecs, H264 | H265);
  EXPECT_THAT(plan.families, ElementsAre(Radv[0], Radv[2]));
  EXPECT_THAT(names(plan), ElementsAre("VK_KHR_video_queue", "VK_KHR_video_decode_queue",
                                       "VK_KHR_video_decode_h264", "VK_KHR_video_decode_h265"))
      << "none of RADV's queues decodes AV1";
}

TEST(VideoPlan, IsEmptyWithoutDecoders) {
  expect_nothing(plan_video({"VK_KHR_swapchain"}, Lavapipe, 0));
  expect_nothing(plan_video({}, {}, 0));
  expect_nothing(plan_video(Everything, Lavapipe, 0));
}

TEST(VideoPlan, IsEmptyWithMissingExtension) {
  expect_nothing(plan_video(without("VK_KHR_video_queue"), Nvidia, 0));
  expect_nothing(plan_video(without("VK_KHR_video_decode_queue"), Nvidia, 0));
  expect_nothing(
      plan_video({"VK_KHR_video_queue", "VK_KHR_video_decode_queue", "VK_KHR_video_decode_vp9"}, Nvidia, 0));
}

TEST(VideoPlan, SkipsCodecWithMissingExtension) {
  const VideoPlan plan = plan_video(without("VK_KHR_video_decode_h265"), Nvidia, 0);
  EXPECT_EQ(plan.codecs, H264 | Av1);
  EXPECT_THAT(plan.families, ElementsAre(Nvidia[1], Nvidia[0], Nvidia[3]));
}

TEST(VideoPlan, IgnoresEncoders) {
  // Operations of a family that does not decode are ignored.
  const std::vector<QueueFamily> odd = {{0, Graphics | Compute, 0}, {1, Encode, H264 | EncodeH264}};
  expect_nothing(plan_video(Everything, odd, 0));
}

TEST(VideoPlan, OpensOnlyFamiliesThatAddCodec) {
  const std::vector<QueueFamily> split = {{0, Graphics | Compute, 0},
                                          {1, Decode, H264},
                                          {2, Decode, H264},
                                          {3, Decode, H265 | H264},
                                          {4, Decode, Vp9}};
  const VideoPlan plan = plan_video(Everything, split, 0);
  EXPECT_EQ(plan.codecs, H264 | H265);
  EXPECT_THAT(plan.families, ElementsAre(split[0], split[1], split[3]));
}

TEST(VideoPlan, GraphicsQueueMayDecode) {
  const std::vector<QueueFamily> one = {{0, Compute, 0},
                                        {1, Graphics | Compute | Transfer | Decode, H264 | Av1}};
  const VideoPlan plan = plan_video(Everything, one, 1);
  EXPECT_EQ(plan.codecs, H264 | Av1);
  EXPECT_THAT(plan.families, ElementsAre(one[1]));
}

}  // namespace
}  // namespace glyphreel::gpu
