#pragma once

#include <atomic>
#include <memory>

#include "base/host_memory.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Makes a decoder write each frame into a single block of a HostMemory. Frames for which no block is
/// available, or whose format PixelLayout cannot describe, are written to buffers that FFmpeg allocates.
/// Thread-safety: the decoder's threads call into this object; holding_block() may be called from any
/// thread.
class DirectBuffers {
 public:
  explicit DirectBuffers(HostMemory& memory);

  /// Sets the callbacks of a decoder that is not open yet. `this` must outlive the decoder, but not its
  /// frames. Decoders without AV_CODEC_CAP_DR1 do not request buffers and remain unchanged.
  void attach(AVCodecContext& decoder);

  /// Returns the block that contains every plane of `frame`, or null if the decoder used other memory. The
  /// block is valid as long as `frame` references it.
  [[nodiscard]] const HostBlock* holding_block(const AVFrame& frame) const;

  /// Whether memory for a frame has run out. A decoder may report this as damage, or may report nothing, so
  /// call this function after decoding. May be called on any thread.
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
