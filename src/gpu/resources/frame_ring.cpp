#include "gpu/resources/frame_ring.h"

#include <utility>

namespace glyphreel::gpu {

Result<std::unique_ptr<FrameRing>> FrameRing::make(std::shared_ptr<Device> device, int slots,
                                                   StageTimes* times, int frames) {
  std::unique_ptr<FrameRing> ring(new FrameRing(std::move(device), times, frames));
  for (int i = 0; i < slots; ++i) TRY(ring->add_slot());
  return ring;
}

Result<void> FrameRing::add_slot() {
  Slot slot;
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = device_->queue_family();
  VK_CREATE(*device_, slot.pool, vkCreateCommandPool, pool);
  slot.pool.name("frame slot");

  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = slot.pool.get();
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = static_cast<std::uint32_t>(slot.commands.size());
  VK_TRY(*device_, vkAllocateCommandBuffers(device_->handle(), &allocate, slot.commands.data()));

  if (device_->timestamp_bits() > 0 && times_ != nullptr) {
    VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = timestamps(frames_);
    VK_CREATE(*device_, slot.queries, vkCreateQueryPool, queries);
  }
  slots_.push_back(std::move(slot));
  return {};
}

FrameRing::~FrameRing() {
  // finish() fails only if the device is lost. Even then, it frees no objects that a hung GPU may still use.
  for (int slot = 0; slot < slots(); ++slot) static_cast<void>(finish(slot));
}

Result<FrameCommands> FrameRing::begin(int frames) {
  CHECK(frames <= frames_, "too many frames for one recording");
  const int slot_index = next_;
  Slot& slot = at(slot_index);
  TRY(finish(slot_index));
  device_->free_retired();
  VK_TRY(*device_, vkResetCommandPool(device_->handle(), slot.pool.get(), 0));
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  for (const VkCommandBuffer commands : slot.commands)
    VK_TRY(*device_, vkBeginCommandBuffer(commands, &begin));
  if (slot.queries) vkCmdResetQueryPool(slot.commands[0], slot.queries.get(), 0, timestamps(frames));
  slot.recording = device_->retired().begin_recording();
  next_ = (next_ + 1) % slots();
  return FrameCommands(*this, slot_index, slot.commands[0]);
}

Result<void> FrameRing::finish(int slot_index) {
  Slot& slot = at(slot_index);
  if (!slot.in_flight) return {};
  slot.in_flight = false;
  Result<void> waited = device_->wait(slot.value);
  if (waited) read_timestamps(slot);
  slot.stages.clear();
  if (device_->is_hung()) static_cast<void>(new auto(std::move(slot.kept)));  // leaked: still in use
  slot.kept.clear();
  return waited;
}

void FrameRing::read_timestamps(Slot& slot) {
  if (!slot.queries || slot.stages.empty()) return;
  const auto count = static_cast<std::uint32_t>(2 * slot.stages.size());
  std::vector<std::uint64_t> ticks(count);
  const VkResult result =
      vkGetQueryPoolResults(device_->handle(), slot.queries.get(), 0, count, count * sizeof(std::uint64_t),
                            ticks.data(), sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT);
  if (result != VK_SUCCESS) return;
  const std::uint32_t bits = device_->timestamp_bits();
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const double period_ms = static_cast<double>(device_->properties().limits.timestampPeriod) / 1e6;
  double milliseconds = 0;
  for (std::size_t i = 0; i < slot.stages.size(); ++i) {
    milliseconds += static_cast<double>((ticks[2 * i + 1] - ticks[2 * i]) & mask) * period_ms;
    // end_reading() divides a stage into two parts. The time between them does not count, because the second
    // part may wait for the screen.
    if (i + 1 < slot.stages.size() && slot.stages[i + 1] == slot.stages[i]) continue;
    times_->add(slot.stages[i], std::exchange(milliseconds, 0));
  }
}

void FrameCommands::write_timestamp(std::uint32_t query) {
  const FrameRing::Slot& slot = ring_->at(slot_);
  if (!slot.queries) return;
  // The timestamps at the beginning and at the end of a stage both use ALL_COMMANDS. So each stage ends where
  // the next stage begins, and the times of all stages add up to the total.
  vkCmdWriteTimestamp2(commands_.handle(), VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, slot.queries.get(), query);
}

FrameCommands::FrameCommands(FrameRing& ring, int slot, VkCommandBuffer commands)
    : ring_(&ring), slot_(slot), commands_(commands, ring.device_->queue_family()) {}

FrameCommands::FrameCommands(FrameCommands&& other) noexcept
    : ring_(std::exchange(other.ring_, nullptr)),
      slot_(other.slot_),
      commands_(std::move(other.commands_)),
      command_buffers_(other.command_buffers_),
      frame_(std::move(other.frame_)) {}

FrameCommands::~FrameCommands() {
  if (ring_ == nullptr) return;
  FrameRing::Slot& slot = ring_->at(slot_);
  slot.stages.clear();
  slot.kept.clear();
  ring_->device_->retired().end_recording(slot.recording);
}

void FrameCommands::keep(std::shared_ptr<const void> owner) {
  ring_->at(slot_).kept.push_back(std::move(owner));
}

void FrameCommands::read(GpuFrame frame) {
  CHECK(frame_.waits.empty() && frame_.signals.empty() && frame_.lease == nullptr,
        "a frame with semaphores shares a recording");
  keep(std::move(frame.owner));
  frame_ = std::move(frame);
}

void FrameCommands::acquire_frame() {
  if (frame_.lease) frame_.lease->acquire(frame_.waits, frame_.signals);
}

void FrameCommands::end_reading() {
  if (frame_.signals.empty()) return;  // no decoder waits for the reading to end
  CHECK(command_buffers_ == 1, "end_reading() was called twice");
  FrameRing::Slot& slot = ring_->at(slot_);
  const Stage stage = slot.stages.back();
  end_stage();
  commands_.flush();
  const VkCommandBuffer next = slot.commands[command_buffers_++];
  commands_ = Commands(next, ring_->device_->queue_family());
  begin_stage(stage);
}

void FrameCommands::begin_stage(Stage stage) {
  FrameRing::Slot& slot = ring_->at(slot_);
  CHECK(2 * slot.stages.size() < FrameRing::timestamps(ring_->frames_),
        "too many timed stages in one recording");
  ring_->device_->debug().begin_label(commands_.handle(), stage_name(stage));
  write_timestamp(static_cast<std::uint32_t>(2 * slot.stages.size()));
  slot.stages.push_back(stage);
}

void FrameCommands::end_stage() {
  FrameRing::Slot& slot = ring_->at(slot_);
  write_timestamp(static_cast<std::uint32_t>(2 * slot.stages.size() - 1));
  ring_->device_->debug().end_label(commands_.handle());
}

Result<std::uint64_t> FrameCommands::submit(Device::Submission submission) {
  FrameRing& ring = *ring_;
  FrameRing::Slot& slot = ring.at(slot_);
  commands_.flush();
  submission.commands = std::span(slot.commands).first(command_buffers_);
  for (const VkCommandBuffer commands : submission.commands)
    VK_TRY(*ring.device_, vkEndCommandBuffer(commands));
  submission.waits = frame_.waits;
  submission.signals = frame_.signals;
  Result<std::uint64_t> value = ring.device_->submit(submission);
  if (value && frame_.lease) frame_.lease->submitted();
  frame_.lease.reset();
  ring_ = nullptr;
  ring.device_->retired().end_recording(slot.recording);
  if (!value) {
    slot.stages.clear();
    slot.kept.clear();
    return std::move(value.error());
  }
  slot.value = *value;
  slot.in_flight = true;
  return *value;
}

}  // namespace glyphreel::gpu
