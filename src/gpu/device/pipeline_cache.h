#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace glyphreel::gpu {

/// The file for the compiled pipelines of this device and driver, in $XDG_CACHE_HOME/glyphreel or
/// ~/.cache/glyphreel. Empty if there is neither.
[[nodiscard]] std::filesystem::path pipeline_cache_path(const VkPhysicalDeviceProperties& properties);

/// Reads the cache's content. Empty if the file is missing, truncated or damaged (it carries a checksum,
/// since drivers check little more than the header).
[[nodiscard]] std::vector<std::byte> read_pipeline_cache(const std::filesystem::path& path);

/// Writes a temporary file and renames it, so that a reader never sees half a file. A failure only costs
/// time at the next start.
void write_pipeline_cache(const std::filesystem::path& path, const std::vector<std::byte>& content);

/// Creates a pipeline cache with what an earlier run saved, or an empty one. Null if the driver fails.
[[nodiscard]] VkPipelineCache open_pipeline_cache(VkDevice device,
                                                  const VkPhysicalDeviceProperties& properties);
/// Saves the cache if it differs from the file.
void save_pipeline_cache(VkDevice device, const VkPhysicalDeviceProperties& properties,
                         VkPipelineCache cache);

}  // namespace glyphreel::gpu
