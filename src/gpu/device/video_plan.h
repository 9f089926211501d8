#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glyphreel::gpu {

/// VK_VIDEO_CODEC_OPERATION_DECODE_AV1_BIT_KHR, which Debian 12's headers lack.
inline constexpr VkVideoCodecOperationFlagsKHR DecodeAv1 = 0x4;

/// A queue family of a device, and what its queues can do.
struct QueueFamily {
  std::uint32_t index = 0;
  VkQueueFlags flags = 0;
  VkVideoCodecOperationFlagsKHR codecs = 0;  ///< codecs that its queues decode or encode
  bool operator==(const QueueFamily&) const = default;
};

/// The extensions and queues that a device is created with so that FFmpeg can decode video on it.
struct VideoPlan {
  /// The codecs that can be decoded. 0: none; the other members are then empty.
  VkVideoCodecOperationFlagsKHR codecs = 0;
  std::vector<const char*> extensions;
  /// The device has one queue of each of these families, which include the family that draws. For each
  /// operation, FFmpeg uses the first family that supports it. So a family for transfers comes first.
  /// Families that decode video come last, so that FFmpeg does not use them for other work, which would
  /// delay decoding.
  std::vector<QueueFamily> families;
};

/// Plans video decoding on a device. `available`: the device's extensions. `families`: all queue families of
/// the device. `own`: the family that draws.
[[nodiscard]] VideoPlan plan_video(const std::vector<std::string>& available,
                                   std::span<const QueueFamily> families, std::uint32_t own);

}  // namespace glyphreel::gpu
