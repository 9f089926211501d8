#include "batch/cluster/task_gpu.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

namespace glyphreel::batch {
namespace {

/// Returns the hexadecimal digits of "GPU-1b2c3d4e-...", in lowercase.
std::string digits_of(std::string_view uuid) {
  if (uuid.starts_with("GPU-")) uuid.remove_prefix(4);
  std::string digits;
  for (const char character : uuid) {
    if (character != '-')
      digits += static_cast<char>(character >= 'A' && character <= 'F' ? character + 32 : character);
  }
  return digits;
}

/// Returns the UUIDs in lines such as "GPU 0: NVIDIA H100 (UUID: GPU-1b2c...)", in the order of the lines.
std::vector<std::string> uuids_of(std::string_view nvidia_smi) {
  constexpr std::string_view Mark = "(UUID: ";
  std::vector<std::string> uuids;
  for (std::size_t at = nvidia_smi.find(Mark); at != nvidia_smi.npos; at = nvidia_smi.find(Mark, at)) {
    at += Mark.size();
    const std::string_view uuid = nvidia_smi.substr(at, nvidia_smi.find(')', at) - at);
    if (uuid.starts_with("GPU-")) uuids.push_back(digits_of(uuid));  // skips MIG slices
  }
  return uuids;
}

/// Returns the UUID, or its beginning, of the first GPU that CUDA would use; empty if it is unknown.
std::string assigned_uuid(const AssignedGpu& assigned) {
  const std::vector<std::string> uuids = uuids_of(assigned.nvidia_smi);
  const std::string& list = assigned.visible ? *assigned.visible : *assigned.job;
  const std::string first = list.substr(0, list.find(','));
  if (first.starts_with("GPU-")) return digits_of(first);
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(first.data(), first.data() + first.size(), index);
  if (problem == std::errc() && end == first.data() + first.size() && index < uuids.size())
    return uuids[index];
  // The index may refer to the list of all the node's GPUs, while nvidia-smi lists only the job's GPUs. If
  // nvidia-smi lists a single GPU, that GPU is the job's.
  return uuids.size() == 1 ? uuids.front() : std::string();
}

}  // namespace

TaskGpu find_task_gpu(const AssignedGpu& assigned, std::span<const ListedGpu> listed) {
  const bool is_hidden = assigned.visible && (assigned.visible->empty() || assigned.visible == "NoDevFiles");
  if (is_hidden || (!assigned.visible && !assigned.job)) return {{}, "Slurm has assigned no GPU"};
  if (const std::string uuid = assigned_uuid(assigned); !uuid.empty()) {
    for (const ListedGpu& gpu : listed) {
      if (gpu.uuid.starts_with(uuid)) return {gpu.index, "its UUID matches the GPU that Slurm has assigned"};
    }
    return {{}, fmt::format("Vulkan does not list the GPU {} that Slurm has assigned", uuid)};
  }
  const auto is_gpu = [](const ListedGpu& gpu) { return !gpu.is_software; };
  if (std::ranges::count_if(listed, is_gpu) == 1)
    return {std::ranges::find_if(listed, is_gpu)->index, "it is the only GPU"};
  return {{}, "it is unknown which GPU Slurm has assigned"};
}

}  // namespace glyphreel::batch
