#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "gpu/buffer.h"
#include "gpu/device.h"
#include "gpu/handle.h"
#include "gpu/shader_interface.h"

namespace glyphreel::gpu {

/// Descriptor sets of that layout.
struct DescriptorSets {
  DescriptorPoolHandle pool;
  std::vector<VkDescriptorSet> sets;
};

/// Points bindings of a set that no pending submission uses to buffers, whole or in part, and to images.
class BindingWriter {
 public:
  void add(shared::uint binding, VkBuffer buffer, VkDeviceSize offset = 0,
           VkDeviceSize range = VK_WHOLE_SIZE);
  void add(shared::uint binding, const Buffer& buffer) { add(binding, buffer.handle.get()); }
  /// An image that shaders only read.
  void add(shared::uint binding, VkImageView view);
  void write(const Device& device, VkDescriptorSet set);

 private:
  std::array<VkDescriptorBufferInfo, shared::BindingCount> buffers_{};
  std::array<VkDescriptorImageInfo, shared::BindingCount> images_{};
  std::array<shared::uint, shared::BindingCount> bindings_{};
  std::uint32_t count_ = 0;
};

/// Values of the specialisation constants 0, 1, 2 ... of a shader.
using Constants = std::vector<std::uint32_t>;
using Spirv = std::span<const std::uint32_t>;

/// All pipelines of a renderer, each made once, and the one descriptor set layout that they share: storage
/// buffers and images by the numbers of shaders/bindings.glsl. Thread-safety: compute() and draw() on any
/// thread.
class Pipelines {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Pipelines>> make(Device& device);

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] VkPipelineLayout layout() const { return layout_.get(); }
  [[nodiscard]] Result<DescriptorSets> make_sets(int count);

  [[nodiscard]] Result<VkPipeline> compute(Spirv spirv, const Constants& constants, const char* name);
  /// Draws one triangle over a colour target of `format`, with `constants` for the fragment shader.
  [[nodiscard]] Result<VkPipeline> draw(Spirv vertex, Spirv fragment, const Constants& constants,
                                        VkFormat format, const char* name);

 private:
  /// The (fragment or compute) shader, its constants, and the target's format.
  using Key = std::tuple<const std::uint32_t*, Constants, VkFormat>;

  explicit Pipelines(Device& device) : device_(device) {}
  [[nodiscard]] VkPipeline find(const Key& key) EXCLUDES(mutex_);
  /// Keeps a pipeline and returns it, or the one that another thread has made meanwhile.
  [[nodiscard]] VkPipeline keep(Key key, VkPipeline handle, const char* name) EXCLUDES(mutex_);

  Device& device_;
  SetLayoutHandle set_layout_;
  PipelineLayoutHandle layout_;
  std::mutex mutex_;
  std::map<Key, PipelineHandle> made_ GUARDED_BY(mutex_);
};

}  // namespace glyphreel::gpu
