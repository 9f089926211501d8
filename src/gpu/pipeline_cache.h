#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace glyphreel::gpu {

/// Where the compiled pipelines of this device and driver are kept: $XDG_CACHE_HOME/glyphreel or
/// ~/.cache/glyphreel. Empty where there is neither.
[[nodiscard]] std::filesystem::path pipeline_cache_path(const VkPhysicalDeviceProperties& properties);

/// The cache's content; empty where the file is missing, cut short or damaged (it carries a checksum, since
/// drivers check little more than the header).
[[nodiscard]] std::vector<std::byte> read_pipeline_cache(const std::filesystem::path& path);

/// Writes aside and renames, so that a reader never sees half a file. A failure only costs time at the next
/// start.
void write_pipeline_cache(const std::filesystem::path& path, const std::vector<std::byte>& content);

/// A pipeline cache with what an earlier run left, or an empty one. Null where the driver fails.
[[nodiscard]] VkPipelineCache open_pipeline_cache(VkDevice device,
                                                  const VkPhysicalDeviceProperties& properties);
/// Writes the cache where it differs from the file.
void save_pipeline_cache(VkDevice device, const VkPhysicalDeviceProperties& properties,
                         VkPipelineCache cache);

}  // namespace glyphreel::gpu
