#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glyphreel::batch {

/// A GPU that Vulkan lists.
struct ListedGpu {
  int index = 0;
  std::string uuid;  ///< 32 hexadecimal digits; empty: unknown
  bool is_software = false;
};

/// What the scheduler's environment and nvidia-smi say about a task's GPU.
struct AssignedGpu {
  std::optional<std::string> visible;  ///< CUDA_VISIBLE_DEVICES; empty: not set
  std::optional<std::string> job;      ///< SLURM_JOB_GPUS; empty: not set
  std::string nvidia_smi;              ///< output of `nvidia-smi -L`; empty: no output
};

/// Which device a task renders on, and why.
struct TaskGpu {
  std::optional<int> index;  ///< ListedGpu::index; empty: the CPU renders
  std::string reason;        ///< for the log
};

/// Finds the GPU that Slurm has assigned to a task. `listed`: the GPUs that Vulkan lists, which may include
/// GPUs of other jobs. Compares UUIDs. If the assigned UUID is unknown and Vulkan lists only one hardware
/// GPU, chooses that GPU. Without a match, the CPU renders.
[[nodiscard]] TaskGpu find_task_gpu(const AssignedGpu& assigned, std::span<const ListedGpu> listed);

}  // namespace glyphreel::batch
