#pragma once

#include <atomic>
#include <memory>

#include "base/host_memory.h"
#include "media/ffmpeg.h"

namespace glyphreel::media {

/// Makes a decoder put its pictures into blocks of a HostMemory: each frame whole in one block.
/// Formats that PixelLayout cannot tell, and frames for which no block can be had, get FFmpeg's own buffers.
/// Thread-safety: the decoder calls in from its threads; holding_block() may be called from any thread.
class DirectBuffers {
 public:
  explicit DirectBuffers(HostMemory& memory);
  ~DirectBuffers();
  DirectBuffers(const DirectBuffers&) = delete;
  DirectBuffers& operator=(const DirectBuffers&) = delete;

  /// Hooks into a decoder that is not open yet. `this` outlives the decoder, but not its frames. Decoders
  /// without AV_CODEC_CAP_DR1 never ask and are left alone.
  void attach(AVCodecContext& decoder);

  /// The block that holds every plane of `frame`, or null where the decoder put it elsewhere. Lives as long
  /// as the frame's reference to it.
  [[nodiscard]] const HostBlock* holding_block(const AVFrame& frame) const;

  /// There was no memory for a picture. Decoders may tell that as damage, or not at all. Any thread.
  [[nodiscard]] bool has_run_out() const { return has_run_out_.load(std::memory_order_relaxed); }

 private:
  struct LiveBlocks;
  struct Lease;
  static int get_buffer(AVCodecContext* decoder, AVFrame* frame, int flags);
  static void release(void* opaque, std::uint8_t* bytes);
  [[nodiscard]] bool provide(AVCodecContext& decoder, AVFrame& frame) const;

  HostMemory& memory_;
  std::atomic<bool> has_run_out_ = false;
  std::shared_ptr<LiveBlocks> live_;
};

}  // namespace glyphreel::media
