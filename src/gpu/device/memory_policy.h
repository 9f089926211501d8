#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "gpu/device/device_choice.h"

namespace glyphreel::gpu {

/// How decoded frames get to shaders, and how drawn pictures and cells get back to the host. Depends on the
/// device's kind and memory types.
struct MemoryPolicy {
  /// How the host accesses the memory that it shares with the GPU.
  enum class HostAccess {
    Coherent,  ///< cached by the host; the host and the GPU see each other's writes
    Flushed,   ///< cached by the host, which must flush what it wrote and invalidate before it reads
    Uncached,  ///< the host writes at full speed but reads many times more slowly
  };
  HostAccess host_access = HostAccess::Coherent;

  /// Whether the GPU copies frames to its own memory before shaders read them, and copies drawn pictures from
  /// its own memory to shared memory. True for discrete GPUs, whose shaders would otherwise read each byte of
  /// a frame over PCIe two or three times.
  bool stages = false;

  /// Whether decoders write frames directly to shared memory, and the host reads drawn pictures directly from
  /// shared memory. Decoders also read the frames, as reference frames. If the host reads shared memory
  /// slowly, it uses memory from make_heap_memory() instead, and the CPU copies each frame to shared memory
  /// and each picture from shared memory.
  [[nodiscard]] bool shares_with_host() const { return host_access != HostAccess::Uncached; }
  /// Returns the properties that the memory type of shared memory must have.
  [[nodiscard]] VkMemoryPropertyFlags shared_memory() const;
  bool operator==(const MemoryPolicy&) const = default;
};

[[nodiscard]] MemoryPolicy choose_memory_policy(DeviceKind kind,
                                                const VkPhysicalDeviceMemoryProperties& memory);

/// Returns a description of how frames are read, for example "in place from coherent host memory".
[[nodiscard]] std::string description_of(const MemoryPolicy& policy);

}  // namespace glyphreel::gpu
