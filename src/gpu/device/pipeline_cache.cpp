#include "gpu/device/pipeline_cache.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/read_file.h"
#include "base/io/user_folders.h"

namespace glyphreel::gpu {
namespace {

constexpr std::size_t MaxFileBytes = 256u << 20;

/// The file's header, which precedes the content.
struct Header {
  std::array<char, 8> magic = {'g', 'l', 'y', 'p', 'i', 'p', 'e', '1'};
  std::uint64_t size = 0;
  std::uint64_t checksum = 14695981039346656037u;  ///< FNV-1a hash of the content; the offset basis if empty
};

Header header_of(std::span<const std::byte> content) {
  Header header{.size = content.size()};
  for (const std::byte byte : content) {
    header.checksum = (header.checksum ^ static_cast<std::uint64_t>(byte)) * 1099511628211u;
  }
  return header;
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
  const auto unexplained = [](FileProblem) { return std::string(); };
  const Result<std::string> file =
      read_file(path.string(), {.max_bytes = MaxFileBytes, .explain = unexplained});
  if (!file) return {};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(*file));
  if (bytes.size() > sizeof(Header)) {
    const std::span<const std::byte> content = bytes.subspan(sizeof(Header));
    const Header header = header_of(content);
    if (std::memcmp(bytes.data(), &header, sizeof header) == 0) return {content.begin(), content.end()};
  }
  log::debug("pipeline cache {} is damaged and was ignored", path.string());
  return {};
}

void write_pipeline_cache(const std::filesystem::path& path, const std::vector<std::byte>& content) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const Header header = header_of(content);
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
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
  std::size_t size = 0;
  if (vkGetPipelineCacheData(device, cache, &size, nullptr) != VK_SUCCESS) return;
  std::vector<std::byte> content(size);
  if (vkGetPipelineCacheData(device, cache, &size, content.data()) != VK_SUCCESS) return;
  content.resize(size);
  if (!content.empty() && content != read_pipeline_cache(path)) write_pipeline_cache(path, content);
}

}  // namespace glyphreel::gpu
