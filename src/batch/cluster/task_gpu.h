#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glyphreel::batch {

/// A GPU as Vulkan lists it.
struct ListedGpu {
  int index = 0;
  std::string uuid;  ///< 32 hexadecimal digits; empty: unknown
  bool is_software = false;
};

/// What the scheduler's environment and nvidia-smi say about a task's GPU.
struct AssignedGpu {
  std::optional<std::string> visible;  ///< CUDA_VISIBLE_DEVICES; empty: not set
  std::optional<std::string> job;      ///< SLURM_JOB_GPUS; empty: not set
  std::string nvidia_smi;              ///< output of `nvidia-smi -L`; empty: there is none
};

/// Which device a task renders on, and why.
struct TaskGpu {
  std::optional<int> index;  ///< of ListedGpu; empty: the CPU
  std::string reason;        ///< in words
};

/// Finds the GPU that Slurm has assigned to a task among those that Vulkan lists, which may be those of other
/// jobs, too: by its UUID, or, if that is unknown, if there is only one GPU. Without a match, the CPU
/// renders.
[[nodiscard]] TaskGpu find_task_gpu(const AssignedGpu& assigned, std::span<const ListedGpu> listed);

}  // namespace glyphreel::batch
