#include "gpu/device/retired_objects.h"

#include <algorithm>

namespace glyphreel::gpu {

void RetiredObjects::add(VkObjectType type, std::uint64_t object, Destroy destroy) {
  const MutexLock lock(mutex_);
  objects_.push_back({type, object, destroy, next_recording_});
}

std::uint64_t RetiredObjects::begin_recording() {
  const MutexLock lock(mutex_);
  open_recordings_.insert(next_recording_);
  return next_recording_++;
}

void RetiredObjects::end_recording(std::uint64_t number) {
  const MutexLock lock(mutex_);
  open_recordings_.erase(number);
}

void RetiredObjects::destroy_unused(VkDevice device, const std::atomic<std::uint64_t>& submitted,
                                    std::uint64_t done, Buffers buffers) {
  std::vector<Retired> unused;
  {
    const MutexLock lock(mutex_);
    const std::uint64_t oldest = open_recordings_.empty() ? next_recording_ : *open_recordings_.begin();
    for (Retired& retired : objects_) {
      // Once all recordings that may use the object have been submitted or discarded, only the submissions
      // made so far can use the object.
      if (!retired.value && retired.next_recording <= oldest) retired.value = submitted.load();
    }
    const auto still_used = std::stable_partition(
        objects_.begin(), objects_.end(), [&](const Retired& r) { return r.value && *r.value <= done; });
    unused.assign(objects_.begin(), still_used);
    objects_.erase(objects_.begin(), still_used);
    if (buffers == Buffers::Kept) {
      const auto kept = std::stable_partition(
          unused.begin(), unused.end(), [](const Retired& r) { return r.type != VK_OBJECT_TYPE_BUFFER; });
      kept_buffers_.insert(kept_buffers_.end(), kept, unused.end());
      unused.erase(kept, unused.end());
    }
  }
  for (const Retired& retired : unused) retired.destroy(device, retired.object);
}

void RetiredObjects::destroy_all(VkDevice device) {
  std::vector<Retired> all;
  {
    const MutexLock lock(mutex_);
    all.swap(objects_);
    all.insert(all.end(), kept_buffers_.begin(), kept_buffers_.end());
    kept_buffers_.clear();
  }
  for (const Retired& retired : all) retired.destroy(device, retired.object);
}

}  // namespace glyphreel::gpu
