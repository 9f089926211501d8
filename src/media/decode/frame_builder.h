#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/frame.h"
#include "media/decode/light_meter.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/frame/direct_buffers.h"

extern "C" {
#include <libswscale/swscale.h>
}

namespace glyphreel::media {

/// Wraps decoded AVFrames as Frames. Converts formats that PixelLayout cannot describe, and composites
/// transparent frames over the background. Frame::bytes_copied includes these copies. Up to
/// max_held_surfaces() hardware frames stay on their device at a time; further frames are downloaded.
/// Thread-safety: one thread at a time.
class FrameBuilder {
 public:
  /// `memory` and `direct` must outlive the FrameBuilder. Converted frames are written to `memory`, or, if it
  /// is null, to memory that FFmpeg allocates. `direct` is the decoder's buffer allocator; may be null.
  /// `aspect`: see SourceOptions::aspect.
  FrameBuilder(const AVStream& stream, HostMemory* memory, const DirectBuffers* direct,
               std::optional<Rational> aspect = {});

  /// Wraps `decoded`, whose pts and duration must be final. A hardware frame must have a format that
  /// layout_of() supports. `background` is 0xRRGGBB. Errors: Failed if the format cannot be converted.
  [[nodiscard]] Result<Frame> make(FramePtr decoded, std::uint32_t epoch, std::uint32_t background);

 private:
  [[nodiscard]] Result<Frame> build(FramePtr decoded, std::uint32_t epoch, std::uint32_t background);
  [[nodiscard]] Frame make_surface(FramePtr decoded, const Frame& described);
  [[nodiscard]] Result<void> convert(const AVFrame& decoded, AVPixelFormat native, Frame& frame);
  void expand_palette(const AVFrame& decoded, std::uint32_t background, Frame& frame);
  void composite_over_background(const ComponentLayout& alpha, std::uint32_t background, Frame& frame);

  HostMemory* memory_;
  const DirectBuffers* direct_;
  Rational time_base_;
  std::optional<Rational> shown_aspect_;
  AVRational stream_aspect_;  ///< sample aspect ratio of the stream; if it is 0/1, each frame's ratio is used
  Rotation stream_rotation_;
  int peak_nits_;  ///< the latest declared peak luminance in cd/m2, since not every frame declares it
  LightMeter meter_;
  std::unique_ptr<SwsContext, FreeDirect<sws_freeContext>> scaler_;
  std::shared_ptr<std::atomic<int>> held_surfaces_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace glyphreel::media
