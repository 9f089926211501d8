#include "gpu/resources/pipelines.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/io/log.h"

namespace glyphreel::gpu {
namespace {

constexpr VkShaderStageFlags AllStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

constexpr VkDescriptorType descriptor_type(shared::uint binding) {
  if (binding < shared::FirstUniformBinding) return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  return binding < shared::FirstPlaneBinding ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                             : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
}

constexpr bool has_binding(std::size_t kind, shared::uint binding) {
  return (bindings_of(static_cast<SetKind>(kind)) >> binding & 1u) != 0;
}

/// Creates a shader module, which is only needed until its pipeline is created.
Result<ShaderModuleHandle> make_module(Device& device, Spirv spirv) {
  VkShaderModuleCreateInfo create{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  create.codeSize = spirv.size_bytes();
  create.pCode = spirv.data();
  ShaderModuleHandle module;
  VK_CREATE(device, module, vkCreateShaderModule, create);
  return module;
}

/// Specialization constants of 32 bits each. The ID of a constant is its position in `constants`.
struct Specialization {
  std::vector<VkSpecializationMapEntry> entries;
  VkSpecializationInfo description{};

  explicit Specialization(const Constants& constants) {
    for (std::uint32_t id = 0; id < constants.size(); ++id) entries.push_back({id, id * 4, 4});
    description.mapEntryCount = static_cast<std::uint32_t>(entries.size());
    description.pMapEntries = entries.data();
    description.dataSize = constants.size() * sizeof(std::uint32_t);
    description.pData = constants.data();
  }
};

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits bit, const ShaderModuleHandle& module,
                                      const VkSpecializationInfo* specialization) {
  VkPipelineShaderStageCreateInfo create{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  create.stage = bit;
  create.module = module.get();
  create.pName = "main";
  create.pSpecializationInfo = specialization;
  return create;
}

}  // namespace

Result<std::unique_ptr<Pipelines>> Pipelines::make(Device& device) {
  std::unique_ptr<Pipelines> made(new Pipelines(device));
  TRY_ASSIGN(made->compiler_, CallThread<bool>::start("pipelines", {}));
  for (std::size_t kind = 0; kind < SetKindCount; ++kind) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < shared::BindingCount; ++i) {
      if (has_binding(kind, i)) bindings.push_back({i, descriptor_type(i), 1, AllStages, nullptr});
    }
    VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = static_cast<std::uint32_t>(bindings.size());
    set.pBindings = bindings.data();
    VK_CREATE(device, made->set_layouts_[kind], vkCreateDescriptorSetLayout, set);

    VkPipelineLayoutCreateInfo pipeline{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    pipeline.setLayoutCount = 1;
    const VkDescriptorSetLayout set_layout = made->set_layouts_[kind].get();
    pipeline.pSetLayouts = &set_layout;
    VK_CREATE(device, made->layouts_[kind], vkCreatePipelineLayout, pipeline);
  }
  return made;
}

Result<DescriptorSets> Pipelines::make_sets(int count) {
  const auto slots = static_cast<std::uint32_t>(count);
  const std::array sizes = {
      VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SetKindCount * NeededStorageBuffers * slots},
      VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SetKindCount * slots},
      VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, SetKindCount * shared::MaxPlanes * slots}};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = SetKindCount * slots;
  pool.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  DescriptorSets sets;
  VK_CREATE(device_, sets.pool, vkCreateDescriptorPool, pool);

  std::array<VkDescriptorSetLayout, SetKindCount> layouts{};
  std::ranges::transform(set_layouts_, layouts.begin(), &SetLayoutHandle::get);
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = sets.pool.get();
  allocate.descriptorSetCount = SetKindCount;
  allocate.pSetLayouts = layouts.data();
  sets.slots.resize(slots);
  for (SlotSets& slot : sets.slots) {
    VK_TRY(device_, vkAllocateDescriptorSets(device_.handle(), &allocate, slot.data()));
  }
  return sets;
}

void BindingWriter::add(shared::uint binding, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize range) {
  buffers_[count_] = {buffer, offset, range};
  bindings_[count_] = binding;
  ++count_;
}

void BindingWriter::add(shared::uint binding, VkImageView view) {
  images_[count_] = {VK_NULL_HANDLE, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  bindings_[count_] = binding;
  ++count_;
}

void BindingWriter::write(const Device& device, const SlotSets& sets, std::initializer_list<SetKind> kinds) {
  std::array<VkWriteDescriptorSet, SetKindCount * shared::BindingCount> writes{};
  std::uint32_t count = 0;
  for (const SetKind each : kinds) {
    const auto kind = static_cast<std::size_t>(each);
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (!has_binding(kind, bindings_[i])) continue;
      VkWriteDescriptorSet& write = writes[count++];
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = sets[kind];
      write.dstBinding = bindings_[i];
      write.descriptorCount = 1;
      write.descriptorType = descriptor_type(bindings_[i]);
      write.pBufferInfo = &buffers_[i];
      write.pImageInfo = &images_[i];
    }
  }
  vkUpdateDescriptorSets(device.handle(), count, writes.data(), 0, nullptr);
}

VkPipeline PipelineStore::find(const Key& key) {
  const MutexLock lock(mutex_);
  const auto found = made_.find(key);
  return found != made_.end() ? found->second.get() : VK_NULL_HANDLE;
}

VkPipeline PipelineStore::keep(Key key, PipelineHandle pipeline) {
  const MutexLock lock(mutex_);
  return made_.try_emplace(std::move(key), std::move(pipeline)).first->second.get();
}

VkPipeline Pipelines::keep(Key key, VkPipeline handle, const char* name) {
  PipelineHandle made(device_, handle);
  made.name(name);
  device_.report_pipeline(name, made.get());
  return store_.keep(std::move(key), std::move(made));
}

Result<VkPipeline> Pipelines::compute(SetKind set, Spirv spirv, const Constants& constants,
                                      const char* name) {
  Key key(spirv.data(), constants, VK_FORMAT_UNDEFINED);
  if (const VkPipeline found = store_.find(key)) return found;
  TRY_ASSIGN(const ShaderModuleHandle module, make_module(device_, spirv));
  const Specialization specialization(constants);
  VkComputePipelineCreateInfo create{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  create.flags = device_.pipeline_flags();
  create.stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module, &specialization.description);
  create.layout = layout(set);
  VkPipeline handle = VK_NULL_HANDLE;
  VK_TRY(device_,
         vkCreateComputePipelines(device_.handle(), device_.pipeline_cache(), 1, &create, nullptr, &handle));
  return keep(std::move(key), handle, name);
}

void Pipelines::compute_in_background(SetKind set, Spirv spirv, const Constants& constants,
                                      const char* name) {
  in_background(Key(spirv.data(), constants, VK_FORMAT_UNDEFINED), name,
                [this, set, spirv, constants, name] { return compute(set, spirv, constants, name); });
}

void Pipelines::draw_in_background(Spirv vertex, Spirv fragment, const Constants& constants, VkFormat format,
                                   const char* name) {
  in_background(Key(fragment.data(), constants, format), name,
                [this, vertex, fragment, constants, format, name] {
                  return draw(vertex, fragment, constants, format, name);
                });
}

void Pipelines::in_background(const Key& key, const char* name, std::function<Result<VkPipeline>()> create) {
  if (store_.find(key) != VK_NULL_HANDLE || has_failed_ || !compiler_->wait(std::chrono::milliseconds(0)))
    return;
  has_failed_ = !compiler_->take_result().value_or(true);
  if (has_failed_) return;
  compiler_->begin([create = std::move(create), name] {
    const Result<VkPipeline> made = catching(create);
    if (!made)
      log::debug("The pipeline \"{}\" could not be compiled in the background: {}", name,
                 made.error().message);
    return bool(made);
  });
}

Result<VkPipeline> Pipelines::draw(Spirv vertex, Spirv fragment, const Constants& constants, VkFormat format,
                                   const char* name) {
  Key key(fragment.data(), constants, format);
  if (const VkPipeline found = store_.find(key)) return found;
  TRY_ASSIGN(const ShaderModuleHandle vertex_module, make_module(device_, vertex));
  TRY_ASSIGN(const ShaderModuleHandle fragment_module, make_module(device_, fragment));
  const Specialization specialization(constants);
  const std::array stages = {
      stage(VK_SHADER_STAGE_VERTEX_BIT, vertex_module, nullptr),
      stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment_module, &specialization.description)};

  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.polygonMode = VK_POLYGON_MODE_FILL;
  raster.cullMode = VK_CULL_MODE_NONE;
  raster.lineWidth = 1.0F;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendAttachmentState attachment{};
  attachment.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT |
                              VK_COLOR_COMPONENT_A_BIT;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  const std::array dynamic_states = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = static_cast<std::uint32_t>(dynamic_states.size());
  dynamic.pDynamicStates = dynamic_states.data();
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &format;

  VkGraphicsPipelineCreateInfo create{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  create.pNext = &rendering;
  create.flags = device_.pipeline_flags();
  create.stageCount = static_cast<std::uint32_t>(stages.size());
  create.pStages = stages.data();
  create.pVertexInputState = &input;
  create.pInputAssemblyState = &assembly;
  create.pViewportState = &viewport;
  create.pRasterizationState = &raster;
  create.pMultisampleState = &samples;
  create.pColorBlendState = &blend;
  create.pDynamicState = &dynamic;
  create.layout = layout(SetKind::Draw);
  VkPipeline handle = VK_NULL_HANDLE;
  VK_TRY(device_,
         vkCreateGraphicsPipelines(device_.handle(), device_.pipeline_cache(), 1, &create, nullptr, &handle));
  return keep(std::move(key), handle, name);
}

}  // namespace glyphreel::gpu
