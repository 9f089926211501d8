#include "support/pipeline_report.h"

#include <algorithm>
#include <vector>

namespace glyphreel::gpu {
namespace {

using Json = nlohmann::json;

Json value_of(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
      return statistic.value.b32 == VK_TRUE;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      return statistic.value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
      return statistic.value.u64;
    default:
      return statistic.value.f64;
  }
}

/// Calls a Vulkan enumeration function twice: first for the number of elements, then for the elements.
template <typename Element, typename Function, typename Info>
std::vector<Element> listed(Function function, VkDevice device, const Info& info, VkStructureType type) {
  std::uint32_t count = 0;
  if (function(device, &info, &count, nullptr) != VK_SUCCESS) return {};
  Element empty{};
  empty.sType = type;
  std::vector<Element> elements(count, empty);
  if (function(device, &info, &count, elements.data()) != VK_SUCCESS) return {};
  return elements;
}

Json executables_of(VkDevice device, VkPipeline pipeline) {
  const auto get_executables = reinterpret_cast<PFN_vkGetPipelineExecutablePropertiesKHR>(
      vkGetDeviceProcAddr(device, "vkGetPipelineExecutablePropertiesKHR"));
  const auto get_statistics = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
      vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR"));
  Json executables = Json::array();
  if (get_executables == nullptr || get_statistics == nullptr) return executables;
  VkPipelineInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
  info.pipeline = pipeline;
  const auto found = listed<VkPipelineExecutablePropertiesKHR>(
      get_executables, device, info, VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR);
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    VkPipelineExecutableInfoKHR which{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
    which.pipeline = pipeline;
    which.executableIndex = i;
    Json statistics = Json::array();
    for (const VkPipelineExecutableStatisticKHR& statistic : listed<VkPipelineExecutableStatisticKHR>(
             get_statistics, device, which, VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR)) {
      statistics.push_back({{"name", statistic.name}, {"value", value_of(statistic)}});
    }
    executables.push_back({{"name", found[i].name},
                           {"stages", found[i].stages},
                           {"subgroup", found[i].subgroupSize},
                           {"statistics", statistics}});
  }
  return executables;
}

}  // namespace

Result<std::shared_ptr<PipelineReport>> PipelineReport::make() {
  std::shared_ptr<PipelineReport> report(new PipelineReport);
  // The device, which keeps the report's address, is destroyed before the report.
  DeviceOptions options;
  options.on_pipeline = [self = report.get()](const char* name, VkPipeline pipeline) {
    self->add(name, pipeline);
  };
  TRY_ASSIGN(report->device_, Device::make(options));
  return report;
}

void PipelineReport::add(const char* name, VkPipeline pipeline) {
  Json executables =
      device_->pipeline_flags() != 0 ? executables_of(device_->handle(), pipeline) : Json::array();
  const MutexLock lock(mutex_);
  const auto equal = std::ranges::find_if(pipelines_, [&](const Json& other) {
    return other["name"] == name && other["executables"] == executables;
  });
  if (equal != pipelines_.end()) {
    (*equal)["count"] = (*equal)["count"].get<int>() + 1;
  } else {
    pipelines_.push_back({{"name", name}, {"count", 1}, {"executables", std::move(executables)}});
  }
}

Json PipelineReport::json() const {
  const MutexLock lock(mutex_);
  return {{"supported", device_->pipeline_flags() != 0}, {"pipelines", pipelines_}};
}

}  // namespace glyphreel::gpu
