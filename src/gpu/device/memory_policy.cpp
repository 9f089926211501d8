#include "gpu/device/memory_policy.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

namespace glyphreel::gpu {
namespace {

struct HostAccessSpec {
  VkMemoryPropertyFlags memory;
  const char* description;
};

/// The kinds of shared memory, indexed by MemoryPolicy::HostAccess, best first.
constexpr std::array<HostAccessSpec, 3> HostAccesses = {{
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
         VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
     "coherent host memory"},
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
     "host memory that needs flushes"},
    // The specification guarantees that every device has a type with these flags.
    {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, "uncached host memory"},
}};

}  // namespace

VkMemoryPropertyFlags MemoryPolicy::shared_memory() const {
  return HostAccesses[static_cast<std::size_t>(host_access)].memory;
}

MemoryPolicy choose_memory_policy(DeviceKind kind, const VkPhysicalDeviceMemoryProperties& memory) {
  const std::span types(memory.memoryTypes, memory.memoryTypeCount);
  const auto exists = [&](const HostAccessSpec& access) {
    return std::ranges::any_of(types, [&](const VkMemoryType& type) {
      return (type.propertyFlags & access.memory) == access.memory;
    });
  };
  const auto best = std::ranges::find_if(HostAccesses, exists);
  const auto index = std::min<std::ptrdiff_t>(best - HostAccesses.begin(), HostAccesses.size() - 1);
  return {.host_access = static_cast<MemoryPolicy::HostAccess>(index),
          .stages = kind == DeviceKind::Discrete};
}

std::string description_of(const MemoryPolicy& policy) {
  return fmt::format("{} from {}", policy.stages ? "from GPU memory after a copy" : "in place",
                     HostAccesses[static_cast<std::size_t>(policy.host_access)].description);
}

}  // namespace glyphreel::gpu
