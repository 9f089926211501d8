#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glyphreel::gpu {

/// VK_VIDEO_CODEC_OPERATION_DECODE_AV1_BIT_KHR, which Debian 12's headers lack.
inline constexpr VkVideoCodecOperationFlagsKHR DecodeAv1 = 0x4;

/// A queue family as the driver describes it, or one that a device has been opened with a queue of.
struct QueueFamily {
  std::uint32_t index = 0;
  VkQueueFlags flags = 0;
  VkVideoCodecOperationFlagsKHR codecs = 0;  ///< what it decodes and encodes
  bool operator==(const QueueFamily&) const = default;
};

/// What a device is opened with besides what drawing needs, so that FFmpeg can decode video on it.
struct VideoPlan {
  VkVideoCodecOperationFlagsKHR codecs = 0;  ///< that can be decoded; 0: none, and nothing is asked for
  std::vector<const char*> extensions;
  /// One queue of each, `own` among them. Those made for transfers stand first, those for video last: FFmpeg
  /// takes the first family that can do what it needs.
  std::vector<QueueFamily> families;
};

/// `available`: the device's extensions. `families`: all of the device's. `own`: the one that draws.
[[nodiscard]] VideoPlan plan_video(const std::vector<std::string>& available,
                                   std::span<const QueueFamily> families, std::uint32_t own);

}  // namespace glyphreel::gpu
