#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/stage_times.h"
#include "gpu/commands.h"
#include "gpu/device.h"
#include "gpu/frame_source.h"
#include "gpu/handle.h"

namespace glyphreel::gpu {

/// Slots that take turns at recording a frame's commands. A slot is used again once the GPU has passed its
/// last submission; then its timestamps are read and what it kept alive is let go. Thread-safety: one thread
/// at a time.
class FrameRing {
 public:
  /// Commands on their way to a submission; dropped without a submission they are thrown away.
  class Recording {
   public:
    Recording(FrameRing& ring, int slot, VkCommandBuffer commands);
    ~Recording();
    Recording(Recording&& other) noexcept;
    Recording& operator=(Recording&&) = delete;
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    [[nodiscard]] Commands& commands() { return commands_; }
    [[nodiscard]] int slot() const { return slot_; }
    /// Keeps `owner` alive until the GPU is done with this recording.
    void keep(std::shared_ptr<const void> owner);
    /// Commands that read this frame are to be recorded: the submission waits and signals as it says, and it
    /// is kept. Once for a recording.
    void read(GpuFrame frame);
    /// The first of those commands comes next.
    void take_frame();
    /// What stands between the two is timed as `stage` and labelled with its name.
    void begin_stage(Stage stage);
    void end_stage();
    /// Ends and submits; returns the timeline value that is reached when done.
    [[nodiscard]] Result<std::uint64_t> submit(Device::Submission submission = {});

   private:
    FrameRing* ring_;
    int slot_;
    Commands commands_;
    GpuFrame frame_;
  };

  /// Stage times go to `times` where it is not null; it outlives the ring.
  [[nodiscard]] static Result<std::unique_ptr<FrameRing>> make(std::shared_ptr<Device> device, int slots,
                                                               StageTimes* times);
  /// Waits for all slots.
  ~FrameRing();
  FrameRing(const FrameRing&) = delete;
  FrameRing& operator=(const FrameRing&) = delete;

  [[nodiscard]] int slots() const { return static_cast<int>(slots_.size()); }
  /// The next slot in turn, waiting for its last submission.
  [[nodiscard]] Result<Recording> begin();
  /// Waits for a slot's last submission, reads its timestamps and lets go of what it kept.
  [[nodiscard]] Result<void> finish(int slot);

 private:
  static constexpr std::uint32_t MaxStages = 8;  ///< timed in one recording

  struct Slot {
    CommandPoolHandle pool;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    QueryPoolHandle queries;
    std::uint64_t value = 0;  ///< of the timeline, reached by its last submission
    bool in_flight = false;
    std::vector<Stage> stages;  ///< in the order of their timestamps, two each
    std::vector<std::shared_ptr<const void>> kept;
  };

  FrameRing(std::shared_ptr<Device> device, StageTimes* times) : device_(std::move(device)), times_(times) {}
  [[nodiscard]] Result<void> add_slot();
  [[nodiscard]] Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  void read_timestamps(Slot& slot);
  void write_timestamp(Slot& slot, std::uint32_t query);

  const std::shared_ptr<Device> device_;
  StageTimes* const times_;
  std::vector<Slot> slots_;
  int next_ = 0;
};

}  // namespace glyphreel::gpu
