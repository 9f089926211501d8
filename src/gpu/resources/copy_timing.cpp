#include "gpu/resources/copy_timing.h"

#include <vector>

#include "base/threads/stage_times.h"
#include "gpu/resources/buffer.h"
#include "gpu/resources/frame_ring.h"

namespace glyphreel::gpu {

Result<double> copy_ms(const std::shared_ptr<Device>& device, std::size_t bytes, int copies) {
  StageTimes times{StageTimes::Keep::All};
  TRY_ASSIGN(const std::unique_ptr<FrameRing> ring, FrameRing::make(device, 1, &times));
  constexpr VkBufferUsageFlags Usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  TRY_ASSIGN(Buffer from, make_buffer(*device, bytes, Usage, MemoryKind::Device, "copy source"));
  TRY_ASSIGN(Buffer to, make_buffer(*device, bytes, Usage, MemoryKind::Device, "copy target"));
  for (int i = 0; i < copies; ++i) {
    TRY_ASSIGN(FrameCommands frame_commands, ring->begin());
    Commands& commands = frame_commands.commands();
    if (i == 0) {
      commands.use(from, FillWrite);
      vkCmdFillBuffer(commands.handle(), from.handle.get(), 0, VK_WHOLE_SIZE, 0x5A5A5A5A);
    }
    commands.use(from, CopyRead);
    commands.use(to, CopyWrite);
    frame_commands.begin_stage(Stage::Import);
    const VkBufferCopy region{0, 0, bytes};
    vkCmdCopyBuffer(commands.handle(), from.handle.get(), to.handle.get(), 1, &region);
    frame_commands.end_stage();
    TRY(frame_commands.submit());
    TRY(ring->finish(0));
  }
  std::vector<float> all = times.samples(Stage::Import);
  if (all.empty()) return 0.0;
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 5));
  return quantile(std::move(all), 0.5);
}

}  // namespace glyphreel::gpu
