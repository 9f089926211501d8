#include "gpu/device/pipeline_cache.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/user_folders.h"

namespace glyphreel::gpu {
namespace {

constexpr std::array<char, 8> Magic = {'g', 'l', 'y', 'p', 'i', 'p', 'e', '1'};
constexpr std::size_t HeaderSize = Magic.size() + 2 * sizeof(std::uint64_t);  // magic, size, checksum
constexpr std::uintmax_t MaxFileSize = 256u << 20;

/// FNV-1a.
std::uint64_t checksum(const std::byte* bytes, std::size_t size) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<std::uint64_t>(bytes[i])) * 1099511628211u;
  return hash;
}

std::vector<std::byte> content_of(VkDevice device, VkPipelineCache cache) {
  std::size_t size = 0;
  if (vkGetPipelineCacheData(device, cache, &size, nullptr) != VK_SUCCESS) return {};
  std::vector<std::byte> content(size);
  if (vkGetPipelineCacheData(device, cache, &size, content.data()) != VK_SUCCESS) return {};
  content.resize(size);
  return content;
}

}  // namespace

std::filesystem::path pipeline_cache_path(const VkPhysicalDeviceProperties& properties) {
  const std::filesystem::path folder = cache_folder();
  if (folder.empty()) return {};
  std::string uuid;
  for (const std::uint8_t byte : properties.pipelineCacheUUID) uuid += fmt::format("{:02x}", byte);
  return folder / fmt::format("pipelines-{:04x}-{:04x}-{:08x}-{}.bin", properties.vendorID,
                              properties.deviceID, properties.driverVersion, uuid);
}

std::vector<std::byte> read_pipeline_cache(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t file_size = std::filesystem::file_size(path, error);
  if (error || file_size < HeaderSize || file_size > MaxFileSize) return {};
  std::vector<std::byte> file(static_cast<std::size_t>(file_size));
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(file.size())))
    return {};

  std::uint64_t size = 0;
  std::uint64_t sum = 0;
  std::memcpy(&size, file.data() + Magic.size(), sizeof size);
  std::memcpy(&sum, file.data() + Magic.size() + sizeof size, sizeof sum);
  const std::byte* content = file.data() + HeaderSize;
  if (std::memcmp(file.data(), Magic.data(), Magic.size()) != 0 || size != file.size() - HeaderSize ||
      sum != checksum(content, file.size() - HeaderSize)) {
    log::debug("pipeline cache {} is damaged and was ignored", path.string());
    return {};
  }
  return {content, content + size};
}

void write_pipeline_cache(const std::filesystem::path& path, const std::vector<std::byte>& content) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const std::uint64_t size = content.size();
  const std::uint64_t sum = checksum(content.data(), content.size());
  std::string file(Magic.begin(), Magic.end());
  file.append(reinterpret_cast<const char*>(&size), sizeof size);
  file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  file.append(reinterpret_cast<const char*>(content.data()), content.size());
  const Result<void> written =
      write_file({.path = path.string(), .existing = AtomicFile::Existing::Replace}, file);
  if (!written) log::debug("The pipeline cache could not be saved: {}", written.error().message);
}

VkPipelineCache open_pipeline_cache(VkDevice device, const VkPhysicalDeviceProperties& properties) {
  const std::filesystem::path path = pipeline_cache_path(properties);
  const std::vector<std::byte> content = path.empty() ? std::vector<std::byte>{} : read_pipeline_cache(path);
  VkPipelineCacheCreateInfo create{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  create.initialDataSize = content.size();
  create.pInitialData = content.data();
  VkPipelineCache cache = VK_NULL_HANDLE;
  if (vkCreatePipelineCache(device, &create, nullptr, &cache) != VK_SUCCESS) return VK_NULL_HANDLE;
  return cache;
}

void save_pipeline_cache(VkDevice device, const VkPhysicalDeviceProperties& properties,
                         VkPipelineCache cache) {
  const std::filesystem::path path = pipeline_cache_path(properties);
  if (path.empty() || cache == VK_NULL_HANDLE) return;
  const std::vector<std::byte> content = content_of(device, cache);
  if (!content.empty() && content != read_pipeline_cache(path)) write_pipeline_cache(path, content);
}

}  // namespace glyphreel::gpu
