#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "gpu/device/device.h"
#include "gpu/device/handle.h"
#include "gpu/resources/command_buffer.h"
#include "gpu/resources/frame_source.h"

namespace glyphreel::gpu {

class FrameRing;

/// Commands being recorded for one submission, made by FrameRing::begin(). Destroying FrameCommands before
/// submit() discards them. Thread-safety: one thread at a time.
class FrameCommands {
 public:
  FrameCommands(FrameRing& ring, int slot, VkCommandBuffer commands);
  ~FrameCommands();
  FrameCommands(FrameCommands&& other) noexcept;
  FrameCommands& operator=(FrameCommands&&) = delete;
  FrameCommands(const FrameCommands&) = delete;
  FrameCommands& operator=(const FrameCommands&) = delete;

  [[nodiscard]] Commands& commands() { return commands_; }
  [[nodiscard]] int slot() const { return slot_; }
  /// Keeps `owner` alive until the GPU is done with this recording.
  void keep(std::shared_ptr<const void> owner);
  /// Announces that commands reading this frame will be recorded. The submission will wait for and signal
  /// the frame's semaphores and keep the frame alive. If a recording reads several frames, none of them may
  /// have semaphores or a lease.
  void read(GpuFrame frame);
  [[nodiscard]] const GpuFrame& frame() const { return frame_; }
  /// Calls FrameLease::acquire(). Call directly before recording the first command that reads the frame.
  void acquire_frame();
  /// Marks the end of the commands that read the frame. If the frame's decoder waits for these commands,
  /// all later commands go into a second command buffer. The decoder does not wait for that buffer, and no
  /// descriptor set is bound in it yet. Call at most once, within a stage.
  void end_reading();
  /// Times the commands between begin_stage() and end_stage() as `stage` and labels them with its name.
  void begin_stage(Stage stage);
  void end_stage();
  /// Ends and submits the recording. Returns the timeline value that is reached when the GPU is done.
  [[nodiscard]] Result<std::uint64_t> submit(Device::Submission submission = {});

 private:
  void write_timestamp(std::uint32_t query);

  FrameRing* ring_;
  int slot_;
  Commands commands_;
  std::uint32_t command_buffers_ = 1;  ///< number of command buffers used so far
  GpuFrame frame_;
};

/// A ring of slots that take turns recording the commands of a frame, or of several frames. A slot is reused
/// once the GPU has finished the slot's last submission. The slot's timestamps are then read, and the objects
/// that the slot kept alive are released. Thread-safety: one thread at a time.
class FrameRing {
 public:
  /// Creates a ring whose recordings have at most `frames` frames. Stage times are recorded in `times`, which
  /// may be null and must outlive the ring.
  [[nodiscard]] static Result<std::unique_ptr<FrameRing>> make(std::shared_ptr<Device> device, int slots,
                                                               StageTimes* times, int frames = 1);
  /// Waits for the last submission of every slot.
  ~FrameRing();
  FrameRing(const FrameRing&) = delete;
  FrameRing& operator=(const FrameRing&) = delete;

  [[nodiscard]] int slots() const { return static_cast<int>(slots_.size()); }
  [[nodiscard]] int frames() const { return frames_; }
  /// Starts recording `frames` frames in the next slot, after waiting for the slot's last submission.
  [[nodiscard]] Result<FrameCommands> begin(int frames = 1);
  /// Waits for a slot's last submission, reads the slot's timestamps and releases what the slot kept alive.
  [[nodiscard]] Result<void> finish(int slot);

 private:
  friend class FrameCommands;
  static constexpr int MaxStages = 8;  ///< maximum number of timed stages of a frame

  struct Slot {
    CommandPoolHandle pool;
    std::array<VkCommandBuffer, 2> commands{};  ///< the second is recorded after end_reading()
    QueryPoolHandle queries;
    std::uint64_t recording = 0;  ///< number of the last recording, see RetiredObjects::begin_recording()
    std::uint64_t value = 0;      ///< the timeline value that the slot's last submission reaches
    bool in_flight = false;
    std::vector<Stage> stages;  ///< the timed stages in order; each has two timestamps
    std::vector<std::shared_ptr<const void>> kept;
  };

  FrameRing(std::shared_ptr<Device> device, StageTimes* times, int frames)
      : device_(std::move(device)), times_(times), frames_(frames) {}
  /// Returns the number of timestamps that the stages of `frames` frames need.
  [[nodiscard]] static std::uint32_t timestamps(int frames) {
    return static_cast<std::uint32_t>(2 * MaxStages * frames);
  }
  [[nodiscard]] Result<void> add_slot();
  [[nodiscard]] Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  void read_timestamps(Slot& slot);

  const std::shared_ptr<Device> device_;
  StageTimes* const times_;
  const int frames_;
  std::vector<Slot> slots_;
  int next_ = 0;
};

}  // namespace glyphreel::gpu
