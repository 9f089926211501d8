#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "gpu/device/device.h"

namespace glyphreel::gpu {

/// Collects the statistics that the driver reports about each pipeline of a device through
/// VK_KHR_pipeline_executable_properties. Each driver chooses its statistics,
/// such as registers, spills or occupancy.
/// Thread-safety: any thread.
class PipelineReport {
 public:
  /// Opens the default device and reports each pipeline that is created on it.
  [[nodiscard]] static Result<std::shared_ptr<PipelineReport>> make();

  [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
  /// Returns {supported, pipelines: [{name, count, executables: [{name, stages, subgroup, statistics}]}]}.
  /// Equal pipelines are listed once, with their `count`.
  [[nodiscard]] nlohmann::json json() const EXCLUDES(mutex_);

 private:
  PipelineReport() = default;
  void add(const char* name, VkPipeline pipeline) EXCLUDES(mutex_);

  mutable Mutex mutex_;
  nlohmann::json pipelines_ GUARDED_BY(mutex_) = nlohmann::json::array();
  std::shared_ptr<Device> device_;
};

}  // namespace glyphreel::gpu
