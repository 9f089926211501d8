#include "gpu/resources/resource_state.h"

namespace glyphreel::gpu {
namespace {

constexpr VkAccessFlags2 WriteAccess = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT |
                                       VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_HOST_WRITE_BIT;

}  // namespace

BarrierSource ResourceState::next_use(const ResourceUse& use, ImageLayout layout) {
  const bool relayout = layout == ImageLayout::Changed;
  const VkAccessFlags2 writes = use.access & WriteAccess;
  if (writes != 0 || relayout) {
    // A write waits for the previous write and for all reads since then. Only the previous write must be made
    // available, since reads do not modify memory.
    const BarrierSource source{write_stage_ | read_stages_, write_access_,
                               relayout || (write_stage_ | read_stages_) != 0};
    write_stage_ = use.stage;
    write_access_ = writes;
    read_stages_ = writes == 0 ? use.stage : 0;
    // The writes of this use are not visible to any access yet, not even to reads of the same use.
    visible_stages_ = writes == 0 ? use.stage : 0;
    visible_access_ = writes == 0 ? use.access : 0;
    return source;
  }
  read_stages_ |= use.stage;
  const bool visible =
      (visible_stages_ & use.stage) == use.stage && (visible_access_ & use.access) == use.access;
  if (write_stage_ == 0 || visible) return {};
  visible_stages_ |= use.stage;
  visible_access_ |= use.access;
  return {write_stage_, write_access_, true};
}

void ResourceState::reset(VkPipelineStageFlags2 stage) {
  *this = ResourceState();
  write_stage_ = stage;
}

}  // namespace glyphreel::gpu
