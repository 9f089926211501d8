#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/frame.h"
#include "media/direct_buffers.h"
#include "media/ffmpeg.h"

struct SwsContext;

namespace glyphreel::media {

/// Describes decoded AVFrames as Frames. Formats that PixelLayout cannot tell are converted, and transparent
/// pictures are laid over the background; each of these copies is counted. Frames of hardware decoders stay
/// where they are, up to MostHeldSurfaces at a time; further ones are downloaded. Thread-safety: one thread
/// at a time.
class FrameMaker {
 public:
  /// All of them outlive the FrameMaker; `memory` (may be null) is where conversions go, `direct` (may be
  /// null) knows the blocks that the decoder filled.
  FrameMaker(AVFormatContext& format, AVStream& stream, HostMemory* memory, const DirectBuffers* direct);
  ~FrameMaker();
  FrameMaker(const FrameMaker&) = delete;
  FrameMaker& operator=(const FrameMaker&) = delete;

  /// `decoded` has its final pts and duration; `background` is 0xRRGGBB. Errors: Failed where its format
  /// cannot be converted, or a hardware frame not be fetched.
  [[nodiscard]] Result<Frame> make(FramePtr decoded, std::uint32_t epoch, std::uint32_t background);

 private:
  [[nodiscard]] Result<Frame> make_surface(FramePtr decoded, const Frame& described);
  [[nodiscard]] Result<void> convert(const AVFrame& decoded, AVPixelFormat native, Frame& frame);
  void expand_palette(const AVFrame& decoded, std::uint32_t background, Frame& frame);
  void lay_over(const ComponentLayout& alpha, std::uint32_t background, Frame& frame);

  AVFormatContext& format_;
  AVStream& stream_;
  HostMemory* memory_;
  const DirectBuffers* direct_;
  Rotation stream_rotation_;
  int peak_nits_;  ///< as the stream told it last: not every frame repeats it
  SwsContext* scaler_ = nullptr;
  std::shared_ptr<std::atomic<int>> held_surfaces_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace glyphreel::media
