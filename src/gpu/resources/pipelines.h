#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/threads/call_thread.h"
#include "gpu/device/device.h"
#include "gpu/device/handle.h"
#include "gpu/device/shader_interface.h"
#include "gpu/resources/command_buffer.h"

namespace glyphreel::gpu {

/// The descriptor sets of one frame in flight, by SetKind.
using SlotSets = std::array<VkDescriptorSet, SetKindCount>;

struct DescriptorSets {
  DescriptorPoolHandle pool;
  std::vector<SlotSets> slots;
};

/// Collects buffers (whole or in part) and images, each for one binding. write() updates the descriptor sets
/// of the given kinds: each set gets the buffers and images for the bindings that its kind has. No pending
/// submission may use these sets.
class BindingWriter {
 public:
  void add(shared::uint binding, VkBuffer buffer, VkDeviceSize offset = 0,
           VkDeviceSize range = VK_WHOLE_SIZE);
  void add(shared::uint binding, const Buffer& buffer) { add(binding, buffer.handle.get()); }
  /// Adds an image that shaders only read.
  void add(shared::uint binding, VkImageView view);
  void write(const Device& device, const SlotSets& sets,
             std::initializer_list<SetKind> kinds = {SetKind::Sample, SetKind::Map, SetKind::Draw});

 private:
  std::array<VkDescriptorBufferInfo, shared::BindingCount> buffers_{};
  std::array<VkDescriptorImageInfo, shared::BindingCount> images_{};
  std::array<shared::uint, shared::BindingCount> bindings_{};
  std::uint32_t count_ = 0;
};

/// The values of a shader's specialization constants 0, 1, 2 ...
using Constants = std::vector<std::uint32_t>;
using Spirv = std::span<const std::uint32_t>;

/// The pipelines of a device, each created once for all renderers, because creating a pipeline may take a
/// second. Each renderer has its own pipeline layouts, but they are defined identically, so a renderer can
/// use pipelines that another renderer created.
/// Thread-safety: any thread.
class PipelineStore {
 public:
  /// The fragment or compute shader, its constants, and the format of the color target. Compute shaders have
  /// no color target; their format is VK_FORMAT_UNDEFINED.
  using Key = std::tuple<const std::uint32_t*, Constants, VkFormat>;

  /// Returns null if there is no such pipeline.
  [[nodiscard]] VkPipeline find(const Key& key) EXCLUDES(mutex_);
  /// Stores a pipeline and returns it. If another thread has stored an equal pipeline in the meantime,
  /// returns that pipeline instead.
  [[nodiscard]] VkPipeline keep(Key key, PipelineHandle pipeline) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::map<Key, PipelineHandle> made_ GUARDED_BY(mutex_);
};

/// A renderer's access to the pipelines of its device, and the layouts of their descriptor sets. Bindings are
/// numbered as in shaders/interface.glsl.
/// Thread-safety: compute() and draw() from any thread.
class Pipelines {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Pipelines>> make(Device& device);

  [[nodiscard]] Device& device() const { return device_; }
  /// Binds the descriptor set of kind `kind` for the commands that follow.
  void bind(Commands& commands, VkPipelineBindPoint point, SetKind kind, const SlotSets& sets) const {
    vkCmdBindDescriptorSets(commands.handle(), point, layout(kind), 0, 1,
                            &sets[static_cast<std::size_t>(kind)], 0, nullptr);
  }
  /// Allocates the descriptor sets of `count` frames in flight.
  [[nodiscard]] Result<DescriptorSets> make_sets(int count);

  /// Returns a compute pipeline that uses a descriptor set of kind `set`.
  [[nodiscard]] Result<VkPipeline> compute(SetKind set, Spirv spirv, const Constants& constants,
                                           const char* name);
  /// Returns the compute pipeline if a renderer of this device has already created it by calling compute()
  /// with these arguments; otherwise returns null.
  [[nodiscard]] VkPipeline find_compute(Spirv spirv, const Constants& constants) {
    return store_.find(Key(spirv.data(), constants, VK_FORMAT_UNDEFINED));
  }
  /// Returns the graphics pipeline if a renderer of this device has already created it by calling draw() with
  /// these arguments; otherwise returns null.
  [[nodiscard]] VkPipeline find_draw(Spirv fragment, const Constants& constants, VkFormat format) {
    return store_.find(Key(fragment.data(), constants, format));
  }
  /// Calls compute() or draw() on a background thread, unless the pipeline exists, that thread is still busy
  /// with the previous call, or an earlier call has failed. When the pipeline is ready, find_compute() or
  /// find_draw() returns it. Thread-safety: one thread at a time.
  void draw_in_background(Spirv vertex, Spirv fragment, const Constants& constants, VkFormat format,
                          const char* name);
  void compute_in_background(SetKind set, Spirv spirv, const Constants& constants, const char* name);
  /// Returns a pipeline that draws one triangle over the whole color target. `format`: the color target's
  /// format. `constants`: the fragment shader's constants.
  [[nodiscard]] Result<VkPipeline> draw(Spirv vertex, Spirv fragment, const Constants& constants,
                                        VkFormat format, const char* name);

 private:
  using Key = PipelineStore::Key;

  explicit Pipelines(Device& device) : device_(device), store_(device.shared<PipelineStore>()) {}
  [[nodiscard]] VkPipelineLayout layout(SetKind kind) const {
    return layouts_[static_cast<std::size_t>(kind)].get();
  }
  void in_background(const Key& key, const char* name, std::function<Result<VkPipeline>()> create);
  /// Names a new pipeline and stores it.
  [[nodiscard]] VkPipeline keep(Key key, VkPipeline handle, const char* name);

  Device& device_;
  PipelineStore& store_;
  std::array<SetLayoutHandle, SetKindCount> set_layouts_;
  std::array<PipelineLayoutHandle, SetKindCount> layouts_;
  /// Whether compiling a pipeline in the background has failed. If so, in_background() does nothing.
  bool has_failed_ = false;
  std::unique_ptr<CallThread<bool>> compiler_;  // declared last, so that it is joined first
};

}  // namespace glyphreel::gpu
