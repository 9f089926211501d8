#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "media/ffmpeg.h"
#include "media/writer.h"

namespace glyphreel::media {

/// Pictures in, packets out, each with the pts and duration that its picture came with.
/// Thread-safety: one thread at a time.
class VideoEncoder {
 public:
  /// Errors: Usage where the encoder refuses the settings.
  [[nodiscard]] static Result<std::unique_ptr<VideoEncoder>> open(const WriterOptions& options,
                                                                  const AVCodec& codec,
                                                                  bool has_global_header);

  /// Times in WriterOptions::time_base. The picture's block is held until the encoder lets go of it.
  [[nodiscard]] Result<void> send(Picture picture, std::int64_t pts, std::int64_t duration);
  /// No more pictures.
  [[nodiscard]] Result<void> end();
  /// The next packet, times in WriterOptions::time_base; null: send more, or all is out after end().
  [[nodiscard]] Result<PacketPtr> receive();

  [[nodiscard]] const AVCodecContext& context() const { return *context_; }

 private:
  struct Timing {
    std::int64_t pts;
    std::int64_t duration;
  };
  VideoEncoder(CodecContextPtr context, AVRational time_base, PictureFormat format)
      : context_(std::move(context)), time_base_(time_base), format_(format) {}
  [[nodiscard]] Error failure(int averror) const;

  CodecContextPtr context_;
  AVRational time_base_;
  PictureFormat format_;
  std::map<std::int64_t, Timing> in_flight_;  ///< by the pts that the encoder sees
  std::optional<std::int64_t> last_encoder_pts_;
};

}  // namespace glyphreel::media
