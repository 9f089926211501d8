#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glyphreel::gpu {

/// VK_VIDEO_CODEC_OPERATION_DECODE_AV1_BIT_KHR, which Debian 12's headers lack.
inline constexpr VkVideoCodecOperationFlagsKHR DecodeAv1 = 0x4;

/// A queue family as the driver describes it, or one that a device was created with a queue of.
struct QueueFamily {
  std::uint32_t index = 0;
  VkQueueFlags flags = 0;
  VkVideoCodecOperationFlagsKHR codecs = 0;  ///< what it decodes and encodes
  bool operator==(const QueueFamily&) const = default;
};

/// What a device is created with, beyond what drawing needs, so that FFmpeg can decode video on it.
struct VideoPlan {
  VkVideoCodecOperationFlagsKHR codecs = 0;  ///< that can be decoded; 0: none, and the rest is empty
  std::vector<const char*> extensions;
  /// The device has one queue of each, including `own`. Transfer families come first and video families
  /// last: FFmpeg takes the first family that can do what it needs.
  std::vector<QueueFamily> families;
};

/// Plans video decoding on a device. `available`: the device's extensions. `families`: all of the device's.
/// `own`: the family that draws.
[[nodiscard]] VideoPlan plan_video(const std::vector<std::string>& available,
                                   std::span<const QueueFamily> families, std::uint32_t own);

}  // namespace glyphreel::gpu
