#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "media/ffmpeg.h"

struct AVAudioFifo;

namespace glyphreel::media {

/// Samples in, packets of AAC or Opus out, one after another without a gap.
/// Thread-safety: one thread at a time.
class SampleEncoder {
 public:
  /// `encoder` is FFmpeg's name; it gets the rate that it takes and is nearest to `rate`. Errors: Failed
  /// where this FFmpeg cannot encode so.
  [[nodiscard]] static Result<std::unique_ptr<SampleEncoder>> open(const char* encoder, int rate,
                                                                   const AVChannelLayout& layout,
                                                                   bool has_global_header);
  ~SampleEncoder();
  SampleEncoder(const SampleEncoder&) = delete;
  SampleEncoder& operator=(const SampleEncoder&) = delete;

  /// The form of the samples, and the time base of the packets.
  [[nodiscard]] const AVCodecContext& context() const { return *context_; }

  /// The place of the next sample, in 1/sample_rate; empty: none has been added, and begin_at() has not been
  /// called.
  [[nodiscard]] std::optional<std::int64_t> next_pts() const { return next_pts_; }
  void begin_at(std::int64_t pts) { next_pts_ = pts; }

  /// Samples in the encoder's own form.
  void add(const AVFrame& samples);
  /// Interleaved, as many channels as the encoder has.
  void add(std::span<const float> samples);
  void add_silence(std::int64_t samples);

  /// Adds to `packets` what is complete. Errors: Failed.
  [[nodiscard]] Result<void> encode(std::vector<PacketPtr>& packets);
  /// No more samples: adds the rest.
  [[nodiscard]] Result<void> finish(std::vector<PacketPtr>& packets);

 private:
  SampleEncoder() = default;
  void add(std::uint8_t** planes, int samples);
  [[nodiscard]] Result<void> encode_next(int samples, std::vector<PacketPtr>& packets);
  [[nodiscard]] Result<void> send(const AVFrame* frame, std::vector<PacketPtr>& packets);
  [[nodiscard]] int frame_size() const;

  CodecContextPtr context_;
  AVAudioFifo* fifo_ = nullptr;
  std::optional<std::int64_t> next_pts_;  ///< of the sample after the last in fifo_
};

/// "The sound cannot be <what> (<name>): ...".
[[nodiscard]] Error sound_failure(const char* what, const char* name, int averror);

}  // namespace glyphreel::media
