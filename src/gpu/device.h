#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "gpu/device_choice.h"
#include "gpu/instance.h"
#include "gpu/video_plan.h"

namespace glyphreel::gpu {

/// Frames that a window keeps in flight: one drawn by the GPU while the next is recorded.
inline constexpr int FramesInFlight = 2;

/// A value that a timeline semaphore reaches.
struct TimelinePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

struct DeviceOptions {
  std::string
      selector;  ///< empty: the best; a number: index in list_devices(); else part of a name, any case
  Validation validation = Validation::FromEnvironment;
  std::vector<std::string> instance_extensions;  ///< what the window system asks for; empty: no window
  /// Makes the window's surface; empty: no window. Devices that cannot present to it are passed over.
  std::function<Result<VkSurfaceKHR>(VkInstance)> make_surface;
};

/// Every physical device with its score, or why it cannot be used. Empty where there is no Vulkan driver.
[[nodiscard]] std::vector<DeviceListing> list_devices();

/// What signals, beside the device's own queue, semaphores that submissions wait for, and may fail to.
/// Thread-safety: any thread.
class Signaller {
 public:
  virtual ~Signaller() = default;
  /// A wait for the device takes long: signals that are owed and will not come any more are to be made good.
  virtual void make_good() = 0;
};

/// One GPU: instance, logical device, one queue for everything, and the timeline that counts its submissions.
/// Where the GPU decodes video by Vulkan there are queues for FFmpeg beside it.
/// Objects that the GPU may still use are retired here and destroyed once the timeline has passed them.
/// Thread-safety: every member may be called from any thread.
class Device {
 public:
  /// Errors: NoDevice with one sentence: no driver, nothing fits (each device's reason is named), no such
  /// selector.
  [[nodiscard]] static Result<std::shared_ptr<Device>> make(const DeviceOptions& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const std::string& name() const { return listing_.name; }
  [[nodiscard]] const DeviceListing& listing() const { return listing_; }
  /// A driver that runs on the CPU, such as lavapipe: `--renderer auto` then prefers the CPU renderer.
  [[nodiscard]] bool is_software() const { return listing_.kind == DeviceKind::Cpu; }
  /// Sticky: the GPU stopped answering, and everything made from this Device is dead.
  [[nodiscard]] bool is_lost() const { return lost_.load(std::memory_order_relaxed); }
  /// Validation messages (warnings and errors) so far; 0 where validation is off.
  [[nodiscard]] std::uint64_t validation_messages() const { return instance_->messages(); }
  [[nodiscard]] bool has_validation() const { return instance_->has_validation(); }
  /// Hands the surface that `make_surface` made to the caller, who destroys it (a Swapchain does); null where
  /// taken.
  [[nodiscard]] VkSurfaceKHR take_surface();

  /// Whether an extension that is not asked for of every driver is enabled: external memory and semaphores,
  /// dma-bufs.
  [[nodiscard]] bool has(std::string_view extension) const {
    return std::find(enabled_optional_.begin(), enabled_optional_.end(), extension) !=
           enabled_optional_.end();
  }

  /// What can be decoded by Vulkan, and on which queues: what FFmpeg has to be told to drive this device.
  /// Empty where nothing can. Its extensions are enabled.
  [[nodiscard]] const VideoPlan& video() const { return video_; }
  /// The features that are enabled, as a chain. Valid as long as the device.
  [[nodiscard]] const VkPhysicalDeviceFeatures2& enabled_features() const { return features_.all; }
  /// Whoever submits to a queue of this device besides submit() and present() holds the lock of the queue's
  /// `family`, one of video().families or queue_family().
  void lock_queue(std::uint32_t family);
  void unlock_queue(std::uint32_t family);

  // What the rest of this room needs.
  [[nodiscard]] VkDevice handle() const { return device_; }
  [[nodiscard]] VkPhysicalDevice physical() const { return physical_; }
  [[nodiscard]] VkInstance instance() const { return instance_->handle(); }
  [[nodiscard]] std::uint32_t queue_family() const { return queue_family_; }
  [[nodiscard]] const VkPhysicalDeviceProperties& properties() const { return properties_; }
  [[nodiscard]] VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  [[nodiscard]] std::uint32_t timestamp_bits() const { return timestamp_bits_; }

  /// The error for a failed call; device loss becomes sticky.
  [[nodiscard]] Error fail(VkResult result, const char* call);
  /// The first memory type of `type_bits` with all of `flags`; -1 where there is none.
  [[nodiscard]] int memory_type(std::uint32_t type_bits, VkMemoryPropertyFlags flags) const;

  struct Submission {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkSemaphore wait = VK_NULL_HANDLE;  ///< binary, may be null
    VkPipelineStageFlags2 wait_stage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    VkSemaphore signal = VK_NULL_HANDLE;     ///< binary, may be null
    std::span<const TimelinePoint> waits;    ///< before compute shaders
    std::span<const TimelinePoint> signals;  ///< once all is done
  };
  /// Submits and returns the timeline value that it reaches when done. Never waits.
  [[nodiscard]] Result<std::uint64_t> submit(const Submission& submission) EXCLUDES(queue_mutex_);
  /// Queues a present: SUCCESS, SUBOPTIMAL, OUT_OF_DATE or an error.
  [[nodiscard]] VkResult present(const VkPresentInfoKHR& present) EXCLUDES(queue_mutex_);
  /// Waits until the timeline has reached `value`.
  [[nodiscard]] Result<void> wait(std::uint64_t value) EXCLUDES(signallers_mutex_);
  /// Whoever else signals what submissions wait for is asked about it where a wait takes long.
  void heed(std::weak_ptr<Signaller> signaller) EXCLUDES(signallers_mutex_);
  [[nodiscard]] std::uint64_t completed() const;
  /// Waits for the queue to run dry: for shutdown of what the timeline does not cover (presents).
  void wait_idle() EXCLUDES(queue_mutex_);

  /// Destroys an object (a non-dispatchable handle of `type`) once all that may use it is done.
  void retire(VkObjectType type, std::uint64_t object) EXCLUDES(retired_mutex_);
  /// Destroys what was retired and is no longer in use.
  void free_retired() EXCLUDES(retired_mutex_);
  /// A command buffer is being recorded: what is retired until its submission may be in it.
  void begin_recording() { ++recordings_; }
  void end_recording() { --recordings_; }

  /// Names an object for debuggers and validation messages.
  void name_object(VkObjectType type, std::uint64_t object, const char* name) const;
  void begin_label(VkCommandBuffer commands, const char* name) const;
  void end_label(VkCommandBuffer commands) const;

 private:
  struct Retired {
    VkObjectType type;
    std::uint64_t object;
    std::uint64_t value;
  };

  /// Chained: `all`, then the others.
  struct Features {
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  };

  Device() = default;
  void ask_signallers() EXCLUDES(signallers_mutex_);
  void choose_features();
  [[nodiscard]] Result<void> create_logical();
  [[nodiscard]] std::mutex& mutex_of(std::uint32_t family);
  void destroy(const Retired& retired) const;

  std::unique_ptr<Instance> instance_;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  DeviceListing listing_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  std::vector<std::string> enabled_optional_;
  VideoPlan video_;
  Features features_;
  std::uint32_t queue_family_ = 0;
  std::uint32_t timestamp_bits_ = 0;
  VkDevice device_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  PFN_vkSetDebugUtilsObjectNameEXT set_name_ = nullptr;
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label_ = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT end_label_ = nullptr;
  std::mutex signallers_mutex_;
  std::vector<std::weak_ptr<Signaller>> signallers_ GUARDED_BY(signallers_mutex_);
  std::atomic<bool> lost_ = false;
  std::atomic<std::uint64_t> recordings_ = 0;
  std::atomic<std::uint64_t> submitted_ = 0;

  std::mutex queue_mutex_;
  VkQueue queue_ GUARDED_BY(queue_mutex_) = VK_NULL_HANDLE;
  std::map<std::uint32_t, std::mutex> other_queues_;  ///< by family, from create_logical() on

  std::mutex retired_mutex_;
  std::vector<Retired> retired_ GUARDED_BY(retired_mutex_);
  std::vector<Retired> kept_buffers_ GUARDED_BY(retired_mutex_);  ///< of software drivers, see free_retired()
};

}  // namespace glyphreel::gpu
