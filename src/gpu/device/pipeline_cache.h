#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace glyphreel::gpu {

/// Returns the path of the file for the compiled pipelines of this device and driver, in
/// $XDG_CACHE_HOME/glyphreel or ~/.cache/glyphreel. Empty if neither folder is known.
[[nodiscard]] std::filesystem::path pipeline_cache_path(const VkPhysicalDeviceProperties& properties);

/// Reads the cache's content. Empty if the file is missing, truncated or damaged. The file has a checksum
/// because drivers check little more than the header of the content.
[[nodiscard]] std::vector<std::byte> read_pipeline_cache(const std::filesystem::path& path);

/// Writes a temporary file and renames it, so that a reader never sees a partial file. A failure only makes
/// the next start slower.
void write_pipeline_cache(const std::filesystem::path& path, const std::vector<std::byte>& content);

/// Creates a pipeline cache from the content that an earlier run saved, or an empty one. Returns null if the
/// driver fails.
[[nodiscard]] VkPipelineCache open_pipeline_cache(VkDevice device,
                                                  const VkPhysicalDeviceProperties& properties);
/// Saves the cache if its content differs from the file's.
void save_pipeline_cache(VkDevice device, const VkPhysicalDeviceProperties& properties,
                         VkPipelineCache cache);

}  // namespace glyphreel::gpu
