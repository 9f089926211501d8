#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "gpu/device/device_choice.h"

namespace glyphreel::gpu {

/// How decoded frames reach shaders, and how drawn pictures and cells reach the host. Follows from the
/// device's kind and memory types.
struct MemoryPolicy {
  /// The memory that the host and the GPU share.
  enum class HostAccess {
    Coherent,  ///< cached by the host; the host and the GPU see each other's writes
    Flushed,   ///< cached by the host, which must flush what it wrote and invalidate before it reads
    Uncached,  ///< the host writes at full speed but reads many times more slowly
  };
  HostAccess host_access = HostAccess::Coherent;

  /// Whether the GPU copies frames into its own memory before shaders read them, and pictures out of it after
  /// shaders wrote them. A discrete GPU's shaders would otherwise read each byte of a frame over PCIe two or
  /// three times.
  bool stages = false;

  /// Whether decoders and readers of pictures use the shared memory directly. Both read from it (decoders
  /// read reference frames), so they use the heap instead if reading the shared memory is slow. The CPU then
  /// copies each frame or picture once.
  [[nodiscard]] bool shares_with_host() const { return host_access != HostAccess::Uncached; }
  /// Returns the properties of the shared memory's type.
  [[nodiscard]] VkMemoryPropertyFlags shared_memory() const;
  bool operator==(const MemoryPolicy&) const = default;
};

[[nodiscard]] MemoryPolicy choose_memory_policy(DeviceKind kind,
                                                const VkPhysicalDeviceMemoryProperties& memory);

/// Returns a description of how frames are read, for example "in place from coherent host memory".
[[nodiscard]] std::string description_of(const MemoryPolicy& policy);

}  // namespace glyphreel::gpu
