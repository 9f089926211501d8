#include "gpu/device/video_plan.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace glyphreel::gpu {
namespace {

struct Codec {
  const char* extension;
  VkVideoCodecOperationFlagsKHR operation;
};

/// The codecs that at least one FFmpeg release up to 7.1 decodes through Vulkan. VP9 is excluded because
/// Debian's Vulkan headers lack its feature structure.
constexpr std::array Codecs = {
    Codec{VK_KHR_VIDEO_DECODE_H264_EXTENSION_NAME, VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR},
    Codec{VK_KHR_VIDEO_DECODE_H265_EXTENSION_NAME, VK_VIDEO_CODEC_OPERATION_DECODE_H265_BIT_KHR},
    Codec{"VK_KHR_video_decode_av1", DecodeAv1}};

constexpr std::array QueueExtensions = {VK_KHR_VIDEO_QUEUE_EXTENSION_NAME,
                                        VK_KHR_VIDEO_DECODE_QUEUE_EXTENSION_NAME};

bool decodes(const QueueFamily& family) {
  return (family.flags & VK_QUEUE_VIDEO_DECODE_BIT_KHR) != 0;
}

bool is_for_transfers(const QueueFamily& family) {
  constexpr VkQueueFlags Memory =
      VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
  return (family.flags & VK_QUEUE_TRANSFER_BIT) != 0 && (family.flags & ~Memory) == 0;
}

}  // namespace

VideoPlan plan_video(const std::vector<std::string>& available, std::span<const QueueFamily> families,
                     std::uint32_t own) {
  const auto has = [&](std::string_view name) {
    return std::find(available.begin(), available.end(), name) != available.end();
  };
  if (!std::all_of(QueueExtensions.begin(), QueueExtensions.end(), has)) return {};

  // The plan includes a codec only if its extension is available and at least one queue family decodes it.
  VideoPlan plan;
  plan.extensions.assign(QueueExtensions.begin(), QueueExtensions.end());
  for (const Codec& codec : Codecs) {
    const auto decodes_codec = [&](const QueueFamily& family) {
      return decodes(family) && (family.codecs & codec.operation) != 0;
    };
    if (!has(codec.extension) || std::ranges::none_of(families, decodes_codec)) continue;
    plan.extensions.push_back(codec.extension);
    plan.codecs |= codec.operation;
  }
  if (plan.codecs == 0) return {};

  const auto transfers = std::find_if(families.begin(), families.end(), is_for_transfers);
  if (transfers != families.end()) plan.families.push_back(*transfers);
  VkVideoCodecOperationFlagsKHR covered = 0;
  for (const QueueFamily& family : families) {
    if (family.index != own) continue;
    plan.families.push_back(family);
    if (decodes(family)) covered = family.codecs;
  }
  for (const QueueFamily& family : families) {
    if (!decodes(family) || (family.codecs & plan.codecs & ~covered) == 0) continue;
    plan.families.push_back(family);
    covered |= family.codecs;
  }
  return plan;
}

}  // namespace glyphreel::gpu
