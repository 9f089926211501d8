#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "media/encode/encoders.h"
#include "media/encode/writer.h"
#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libswscale/swscale.h>
}

namespace glyphreel::media {

/// Makes times strictly increasing, as encoders and containers require, even if a source repeats a time.
class IncreasingTimes {
 public:
  [[nodiscard]] std::int64_t next(std::int64_t pts) {
    last_ = last_ == None ? pts : std::max(pts, last_ + 1);
    return last_;
  }
  /// Returns the last result of next().
  [[nodiscard]] std::int64_t last() const { return last_; }

 private:
  static constexpr std::int64_t None = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_ = None;
};

/// Encodes pictures to packets, each with the pts and duration of its picture.
/// Thread-safety: one thread at a time.
class VideoEncoder {
 public:
  /// Opens an encoder with the settings in `options`. Errors: Usage if the encoder rejects them.
  [[nodiscard]] static Result<std::unique_ptr<VideoEncoder>> open(const WriterOptions& options,
                                                                  const ChosenEncoder& encoder,
                                                                  CodecHeaders headers);

  /// Sends a picture, with times in WriterOptions::time_base. The encoder keeps the picture's memory block
  /// until it has encoded the picture.
  [[nodiscard]] Result<void> send(Picture picture, std::int64_t pts, std::int64_t duration);
  /// Ends the stream: no more pictures follow.
  [[nodiscard]] Result<void> end();
  /// Returns the next packet, with times in WriterOptions::time_base. Null means that the encoder needs more
  /// pictures or, after end(), that all packets have been returned.
  [[nodiscard]] Result<PacketPtr> receive();

  [[nodiscard]] const AVCodecContext& context() const { return *context_; }
  /// Returns the number of bytes that were copied from host memory to the memory of the GPU that encodes.
  [[nodiscard]] std::uint64_t bytes_copied() const { return bytes_copied_; }

 private:
  struct Timing {
    std::int64_t pts;
    std::int64_t duration;
  };
  VideoEncoder(CodecContextPtr context, AVRational time_base, const ChosenEncoder& encoder)
      : context_(std::move(context)),
        time_base_(time_base),
        encoder_(encoder),
        format_(picture_format_of(encoder.format)) {}
  [[nodiscard]] FramePtr describe_frame() const;
  [[nodiscard]] FramePtr wrap(Picture picture) const;
  [[nodiscard]] Result<FramePtr> convert(const Picture& picture);
  [[nodiscard]] Result<FramePtr> upload(FramePtr frame) const;
  [[nodiscard]] Error failure(int averror) const;

  CodecContextPtr context_;
  AVRational time_base_;
  ChosenEncoder encoder_;
  PictureFormat format_;
  std::unique_ptr<SwsContext, FreeDirect<sws_freeContext>> converter_;  ///< null: pictures need no conversion
  std::map<std::int64_t, Timing> in_flight_;  ///< times of pictures being encoded; key: AVFrame::pts
  std::optional<std::int64_t> last_encoder_pts_;
  std::uint64_t frames_sent_ = 0;
  bool is_ended_ = false;  ///< whether end() was called
  std::uint64_t bytes_copied_ = 0;
};

}  // namespace glyphreel::media
