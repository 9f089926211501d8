#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/mutex.h"

namespace glyphreel::gpu {

/// Vulkan objects that are destroyed once the GPU has executed all commands that may use them.
/// Thread-safety: any thread.
class RetiredObjects {
 public:
  using Destroy = void (*)(VkDevice, std::uint64_t object);
  /// Adds a non-dispatchable handle of `type`, which `destroy` destroys.
  void add(VkObjectType type, std::uint64_t object, Destroy destroy) EXCLUDES(mutex_);

  /// Reports that the recording of a command buffer begins. Returns a number for end_recording(), which must
  /// be called after the submission. Objects that are added between the two calls are destroyed only after
  /// the command buffer has been executed, since it may use these objects.
  [[nodiscard]] std::uint64_t begin_recording() EXCLUDES(mutex_);
  void end_recording(std::uint64_t number) EXCLUDES(mutex_);

  /// Whether destroy_unused() destroys buffers. lavapipe (Mesa 22.3) crashes because it accesses destroyed
  /// buffers that were once bound, even on an idle device. On software drivers, buffer handles, a few hundred
  /// bytes each, are therefore kept until destroy_all(). The buffers' memory is still freed immediately.
  enum class Buffers { Destroyed, Kept };
  /// Destroys the objects that are no longer in use. `submitted`: the value that the device's timeline will
  /// reach after the last submission. `done`: the value that the timeline has reached.
  void destroy_unused(VkDevice device, const std::atomic<std::uint64_t>& submitted, std::uint64_t done,
                      Buffers buffers) EXCLUDES(mutex_);
  /// Destroys all objects. The device must be idle.
  void destroy_all(VkDevice device) EXCLUDES(mutex_);

 private:
  struct Retired {
    VkObjectType type;
    std::uint64_t object;
    Destroy destroy;
    std::uint64_t next_recording;  ///< recordings with lower numbers may use the object
    /// The timeline value after which the object is unused; empty while a recording may use it.
    std::optional<std::uint64_t> value = {};
  };

  Mutex mutex_;
  std::uint64_t next_recording_ GUARDED_BY(mutex_) = 0;
  std::set<std::uint64_t> open_recordings_ GUARDED_BY(mutex_);
  std::vector<Retired> objects_ GUARDED_BY(mutex_);
  std::vector<Retired> kept_buffers_ GUARDED_BY(mutex_);
};

}  // namespace glyphreel::gpu
