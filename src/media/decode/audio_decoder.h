#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

/// The range of playback speeds that AudioDecoder supports.
inline constexpr double MinAudioSpeed = 0.25;
inline constexpr double MaxAudioSpeed = 4.0;

/// Decoded audio: interleaved stereo at the decoder's output rate.
struct AudioBlock {
  static constexpr int Channels = 2;

  std::vector<float> samples;  ///< frames() * Channels values from -1 to 1
  double media_seconds = 0;    ///< container time of the first sample: pts * time base
  double speed = 1;            ///< media seconds per second of playback
  std::uint32_t epoch = 0;     ///< epoch of the packets from which the block was decoded
  [[nodiscard]] std::size_t frames() const { return samples.size() / Channels; }
};

/// Returns the epoch in which a packet was read.
[[nodiscard]] std::uint32_t epoch_of(const AudioPacket& packet);

/// Decodes the packets of one stream to stereo at a fixed sample rate, and changes the tempo to match the
/// playback speed. Surround sound is downmixed at a level that prevents clipping. The encoder's priming is
/// dropped. The stream may change its sample format and rate midway. AudioBlock::media_seconds is continuous
/// from block to block, except where the stream's timestamps jump by more than 20 ms; the caller must handle
/// these jumps.
///
/// Thread-safety: one thread at a time.
class AudioDecoder {
 public:
  /// `rate` is the sample rate of the blocks in Hz. Errors: BadInput if this FFmpeg cannot decode the stream.
  [[nodiscard]] static Result<std::unique_ptr<AudioDecoder>> open(const AudioStream& stream,
                                                                  int rate = 48000);
  virtual ~AudioDecoder() = default;

  /// Returns the blocks that `packet` completes, possibly none. If the epoch of `packet` differs from that
  /// of the previous packet, the decoder is flushed first.
  [[nodiscard]] virtual std::vector<AudioBlock> decode(const AudioPacket& packet) = 0;
  /// Ends the stream and returns the audio that is still buffered. Call flush() before decoding further
  /// packets.
  [[nodiscard]] virtual std::vector<AudioBlock> drain() = 0;
  /// Discards all buffered audio, for example after a seek.
  virtual void flush() = 0;

  /// Sets the playback speed, clamped to [MinAudioSpeed, MaxAudioSpeed], for all packets that are decoded
  /// after this call. The pitch is preserved. Audio decoded earlier keeps the old speed and is crossfaded
  /// into the new audio over a few milliseconds.
  virtual void set_speed(double speed) = 0;

  /// Returns the number of packets that could not be decoded or converted.
  [[nodiscard]] virtual std::uint64_t damaged_packets() const = 0;
  /// Returns FFmpeg's name for the codec, for example "aac".
  [[nodiscard]] virtual std::string codec() const = 0;
};

}  // namespace glyphreel::media
