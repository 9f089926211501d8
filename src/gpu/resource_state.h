#pragma once

#include <vulkan/vulkan.h>

namespace glyphreel::gpu {

/// What a command does with a buffer or an image.
struct ResourceUse {
  VkPipelineStageFlags2 stage = 0;
  VkAccessFlags2 access = 0;
  bool operator==(const ResourceUse&) const = default;
};

// The uses that this program has.
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
/// vkCmdFillBuffer: layers do not agree on whether it copies or clears.
inline constexpr ResourceUse FillWrite{VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
inline constexpr ResourceUse BlitRead{VK_PIPELINE_STAGE_2_BLIT_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
inline constexpr ResourceUse BlitWrite{VK_PIPELINE_STAGE_2_BLIT_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
inline constexpr ResourceUse ColorWrite{VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                        VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
inline constexpr ResourceUse HostRead{VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT};

/// What a barrier must wait for before a use; no stage: none is needed.
struct BarrierSource {
  VkPipelineStageFlags2 stage = 0;
  VkAccessFlags2 access = 0;
  bool needed = false;
};

/// How a resource was last used, in the order in which commands are recorded and submitted.
/// A pure state machine: the commands turn what next_use() answers into barriers.
class ResourceState {
 public:
  /// Records a use and tells the barrier that must stand before it. `relayout`: an image changes its layout,
  /// which is a write of its own.
  [[nodiscard]] BarrierSource next_use(const ResourceUse& use, bool relayout = false);

  /// Forgets the past: all earlier uses are known to be over, up to those of `stage` (a semaphore's wait
  /// stage).
  void reset(VkPipelineStageFlags2 stage = 0);

 private:
  VkPipelineStageFlags2 write_stage_ = 0;
  VkAccessFlags2 write_access_ = 0;
  VkPipelineStageFlags2 read_stages_ = 0;     ///< reads since the last write
  VkPipelineStageFlags2 visible_stages_ = 0;  ///< the last write is visible there ...
  VkAccessFlags2 visible_access_ = 0;         ///< ... to these accesses
};

}  // namespace glyphreel::gpu
