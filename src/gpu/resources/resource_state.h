#pragma once

#include <vulkan/vulkan.h>

namespace glyphreel::gpu {

/// What a command does with a buffer or an image.
struct ResourceUse {
  VkPipelineStageFlags2 stage = 0;
  VkAccessFlags2 access = 0;
};

// The uses that occur in this program.
inline constexpr ResourceUse ComputeRead{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                         VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
inline constexpr ResourceUse ComputeFetch{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                          VK_ACCESS_2_SHADER_SAMPLED_READ_BIT};
inline constexpr ResourceUse ComputeWrite{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                          VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
inline constexpr ResourceUse ComputeUpdate{
    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
    VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
inline constexpr ResourceUse FragmentRead{VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                          VK_ACCESS_2_SHADER_STORAGE_READ_BIT};
inline constexpr ResourceUse CopyRead{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
inline constexpr ResourceUse CopyWrite{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
inline constexpr ResourceUse ClearWrite{VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
/// For vkCmdFillBuffer. Validation layers disagree on whether this command copies or clears, so the stage
/// includes both.
inline constexpr ResourceUse FillWrite{VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
inline constexpr ResourceUse ColorWrite{VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                        VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
inline constexpr ResourceUse HostRead{VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT};

/// What a barrier must wait for before a use, and whether a barrier is needed.
struct BarrierSource {
  VkPipelineStageFlags2 stage = 0;
  VkAccessFlags2 access = 0;
  bool needed = false;
};

/// Whether a use changes the layout of an image, which counts as a write.
enum class ImageLayout { Kept, Changed };

/// Tracks how a resource was last used. Uses are recorded in the order in which their commands are recorded
/// and submitted. A pure state machine: class `Commands` turns the results of next_use() into barriers.
class ResourceState {
 public:
  /// Records a use and returns the barrier required before it.
  [[nodiscard]] BarrierSource next_use(const ResourceUse& use, ImageLayout layout = ImageLayout::Kept);

  /// Discards all earlier uses. If `stage` is 0, these uses must already be complete. Otherwise, the
  /// submission that contains the next use must wait for these uses, through a semaphore, before `stage`.
  void reset(VkPipelineStageFlags2 stage = 0);

 private:
  VkPipelineStageFlags2 write_stage_ = 0;
  VkAccessFlags2 write_access_ = 0;
  VkPipelineStageFlags2 read_stages_ = 0;     ///< stages of all reads since the last write
  VkPipelineStageFlags2 visible_stages_ = 0;  ///< stages to which the last write is visible
  VkAccessFlags2 visible_access_ = 0;         ///< accesses to which the last write is visible
};

}  // namespace glyphreel::gpu
