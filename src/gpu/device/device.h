#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "gpu/device/debug_names.h"
#include "gpu/device/instance.h"
#include "gpu/device/memory_policy.h"
#include "gpu/device/physical_device.h"
#include "gpu/device/retired_objects.h"

namespace glyphreel::gpu {

/// Frames in flight for a window: the GPU draws one frame while the CPU records another.
inline constexpr int FramesInFlight = 2;

/// A semaphore, and its timeline value to wait for or to signal. The value is 0 for a binary semaphore.
struct TimelinePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

/// Which kind of device the mapping shaders are tuned for. This decides the order of the data that they pass
/// to each other, and whether their loops interleave independent work. The resulting cells are the same.
enum class ShaderTuning {
  FromEnvironment,  ///< Gpu if GLYPHREEL_SHADERS=gpu, otherwise what suits the device
  Gpu,              ///< tuned for GPUs, even if the driver is a software driver; only tests use this value
};

struct DeviceOptions {
  /// Which device to use: an index in list_devices(), or part of a device's name, ignoring case. If empty:
  /// DevicePreference::Display if there is a window or if the environment variable DRI_PRIME or
  /// MESA_VK_DEVICE_SELECT is set, otherwise DevicePreference::Fastest.
  std::string selector;
  Validation validation = Validation::FromEnvironment;
  /// Required by the window system; empty if there is no window.
  std::vector<std::string> instance_extensions;
  /// Creates the window's surface; empty if there is no window. Devices that cannot present to the surface
  /// are skipped.
  std::function<Result<VkSurfaceKHR>(VkInstance)> make_surface;
  /// Called with the name and the handle of each pipeline that is created, on any thread. If set, and if the
  /// driver supports VK_KHR_pipeline_executable_properties, pipelines capture their statistics, such as the
  /// number of registers. For tests/gpu/gpu_timing.cpp.
  std::function<void(const char* name, VkPipeline)> on_pipeline;
  ShaderTuning shaders = ShaderTuning::FromEnvironment;
};

/// Lists every physical device, with its score or the reason why it cannot be used. Returns an empty list if
/// there is no Vulkan driver.
[[nodiscard]] std::vector<DeviceListing> list_devices();

/// Work outside the device's queue, such as a CUDA stream, that signals semaphores. Submissions to the queue
/// wait for these semaphores. The work may fail and leave them unsignaled.
/// Thread-safety: any thread.
class Signaler {
 public:
  virtual ~Signaler() = default;
  /// Called when a wait for the device takes a long time. Signals every value that submissions wait for and
  /// that would otherwise never be signaled.
  virtual void signal_abandoned() = 0;
};

/// One GPU: the instance, the logical device, one queue for all work of this program, and the timeline that
/// counts the queue's submissions. If the GPU decodes video through Vulkan, FFmpeg gets further queues. An
/// object that the GPU may still use is added to retired() and destroyed once the timeline has passed the
/// object's last use.
/// Thread-safety: every member may be called from any thread.
class Device {
 public:
  /// Errors: NoDevice, with a one-sentence message, if there is no driver, if no device is usable (the
  /// message says why for each device), or if no device matches the selector.
  [[nodiscard]] static Result<std::shared_ptr<Device>> make(const DeviceOptions& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const std::string& name() const { return listing().name; }
  [[nodiscard]] const DeviceListing& listing() const { return physical_.listing; }
  /// Whether the driver runs on the CPU, as lavapipe does: `--renderer auto` then prefers the CPU renderer.
  [[nodiscard]] bool is_software() const { return listing().kind == DeviceKind::Cpu; }
  /// Whether the mapping shaders are tuned for GPUs, that is, whether their constant OnGpu is 1. By default,
  /// this is true for all devices except software drivers.
  [[nodiscard]] bool has_gpu_shaders() const { return has_gpu_shaders_; }
  /// Whether the GPU was lost. Sticky: everything created from this Device is then unusable.
  [[nodiscard]] bool is_lost() const { return lost_.load(std::memory_order_relaxed); }
  /// Whether the GPU was lost because it did not finish its work, which may still be running.
  [[nodiscard]] bool is_hung() const { return hung_.load(std::memory_order_relaxed); }
  /// Returns the number of validation messages (warnings and errors) so far; 0 if validation is off.
  [[nodiscard]] std::uint64_t validation_messages() const { return instance_->messages(); }
  [[nodiscard]] bool has_validation() const { return instance_->has_validation(); }
  /// Transfers the surface that `make_surface` created to the caller, which must destroy it (a Swapchain
  /// does). Returns null on every further call.
  [[nodiscard]] VkSurfaceKHR take_surface();

  /// Whether an optional extension is enabled, such as one for external memory, semaphores or dma-bufs.
  [[nodiscard]] bool has(std::string_view extension) const {
    return std::find(extensions_.begin(), extensions_.end(), extension) != extensions_.end();
  }

  /// Returns what FFmpeg needs for decoding: the codecs that the device decodes through Vulkan, the queue
  /// families, and the extensions. The device was created with all of these extensions enabled. Empty if the
  /// device decodes no codec.
  [[nodiscard]] const VideoPlan& video() const { return video_; }
  /// Returns the enabled features as a pNext chain, which is valid as long as this object exists.
  [[nodiscard]] const VkPhysicalDeviceFeatures2& enabled_features() const { return features_.all; }
  /// Locks the queue of `family`, which is one of video().families or queue_family(). Code that submits to a
  /// queue without submit() or present() must hold the queue's lock.
  void lock_queue(std::uint32_t family) NO_THREAD_SAFETY_ANALYSIS;  // `family` selects the mutex
  void unlock_queue(std::uint32_t family) NO_THREAD_SAFETY_ANALYSIS;

  // For the gpu and interop libraries only.
  [[nodiscard]] VkDevice handle() const { return device_; }
  [[nodiscard]] VkPhysicalDevice physical() const { return physical_.handle; }
  [[nodiscard]] VkInstance instance() const { return instance_->handle(); }
  [[nodiscard]] std::uint32_t queue_family() const { return physical_.queue_family; }
  [[nodiscard]] const VkPhysicalDeviceProperties& properties() const { return properties_; }
  [[nodiscard]] MemoryPolicy memory_policy() const { return choose_memory_policy(listing().kind, memory_); }
  [[nodiscard]] VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  [[nodiscard]] std::uint32_t timestamp_bits() const { return physical_.timestamp_bits; }
  /// Returns the flags with which every pipeline must be created.
  [[nodiscard]] VkPipelineCreateFlags pipeline_flags() const {
    return has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)
               ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR
               : 0;
  }
  void report_pipeline(const char* name, VkPipeline pipeline) const {
    if (on_pipeline_) on_pipeline_(name, pipeline);
  }

  /// Returns the error for a failed call. If `result` reports that the device is lost, is_lost() is true from
  /// then on.
  [[nodiscard]] Error fail(VkResult result, const char* call);
  /// Returns the memory types in the bit mask `type_bits` that have all flags in `needed`. Types that also
  /// have all flags in `preferred` come first.
  [[nodiscard]] std::vector<std::uint32_t> memory_types(std::uint32_t type_bits, VkMemoryPropertyFlags needed,
                                                        VkMemoryPropertyFlags preferred = 0) const;

  /// One or two command buffers, which are executed in order. The first may read a decoder's frame, and the
  /// decoder waits until this first buffer is done. The last may draw to a window, so it may wait for the
  /// screen. If reading and drawing are in separate buffers, the decoder does not wait for the screen.
  struct Submission {
    std::span<const VkCommandBuffer> commands;  ///< one or two
    std::span<const TimelinePoint> waits;       ///< the first buffer's compute shaders wait for these
    std::span<const TimelinePoint> signals;     ///< signaled when the first buffer is done
    /// Binary semaphore; the last buffer waits for it before writing color attachments. May be null.
    VkSemaphore wait = VK_NULL_HANDLE;
    VkSemaphore signal = VK_NULL_HANDLE;  ///< binary, signaled when the last buffer is done; may be null
  };
  /// Submits commands and returns the timeline value that is reached when all commands are done. Does not
  /// wait for the GPU, but blocks while a call of present() blocks.
  [[nodiscard]] Result<std::uint64_t> submit(const Submission& submission) EXCLUDES(queue_mutex_);
  /// Calls vkQueuePresentKHR(), which may block, and returns its result.
  [[nodiscard]] VkResult present(const VkPresentInfoKHR& present) EXCLUDES(queue_mutex_);
  /// Waits until the timeline has reached `value`.
  [[nodiscard]] Result<void> wait(std::uint64_t value) EXCLUDES(signalers_mutex_);
  /// Registers a signaler; its signal_abandoned() is called when a wait takes a long time.
  void register_signaler(std::weak_ptr<Signaler> signaler) EXCLUDES(signalers_mutex_);
  /// Waits until the queue is empty, including presents, which the timeline does not cover. For shutdown
  /// only.
  void wait_idle() EXCLUDES(queue_mutex_);

  /// Returns the objects that are destroyed once no commands use them.
  [[nodiscard]] RetiredObjects& retired() { return retired_; }
  /// Destroys retired objects that are no longer in use.
  void free_retired();

  [[nodiscard]] const DebugNames& debug() const { return debug_; }

  /// Returns the object that all renderers on this device share, which is a PipelineStore
  /// (gpu/resources/pipelines.h). The first call creates the object, and the device destroys it. `T` must be
  /// the same type in every call.
  template <typename T>
  [[nodiscard]] T& shared() EXCLUDES(shared_mutex_) {
    const MutexLock lock(shared_mutex_);
    if (!shared_) shared_ = std::make_shared<T>();
    return *static_cast<T*>(shared_.get());
  }

 private:
  /// A pNext chain that begins at `all`.
  struct Features {
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDevicePresentWaitFeaturesKHR present_wait{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR};
    VkPhysicalDevicePresentIdFeaturesKHR present_id{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR};
    VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  };

  Device() = default;
  void choose_features();
  /// Which extensions and queues the device is created with, in addition to those that drawing needs.
  /// NoVideo: extensions for importing decoded frames and for measuring presents. All: also extensions and
  /// queues for decoding video.
  enum class Extras { None, NoVideo, All };
  [[nodiscard]] VkResult create_device(Extras extras);
  [[nodiscard]] Result<void> create_logical();
  [[nodiscard]] Mutex& mutex_of(std::uint32_t family);

  std::unique_ptr<Instance> instance_;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  PhysicalDevice physical_;
  VkPhysicalDeviceProperties properties_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  std::vector<const char*> extensions_;  ///< the enabled extensions
  VideoPlan video_;
  Features features_;
  bool has_gpu_shaders_ = true;
  std::function<void(const char*, VkPipeline)> on_pipeline_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  DebugNames debug_;
  Mutex signalers_mutex_;
  std::vector<std::weak_ptr<Signaler>> signalers_ GUARDED_BY(signalers_mutex_);
  std::atomic<bool> lost_ = false, hung_ = false;
  std::atomic<std::uint64_t> submitted_ = 0;

  Mutex queue_mutex_;
  VkQueue queue_ GUARDED_BY(queue_mutex_) = VK_NULL_HANDLE;
  std::map<std::uint32_t, Mutex> other_queues_;  ///< mutexes of FFmpeg's queues, by family
  RetiredObjects retired_;
  Mutex shared_mutex_;
  std::shared_ptr<void> shared_ GUARDED_BY(shared_mutex_);
};

}  // namespace glyphreel::gpu
