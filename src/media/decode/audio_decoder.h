#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

/// The slowest and the fastest speed at which sound is produced.
inline constexpr double SlowestSound = 0.25;
inline constexpr double FastestSound = 4.0;

/// Decoded sound: interleaved stereo at the decoder's output rate.
struct AudioBlock {
  static constexpr int Channels = 2;

  std::vector<float> samples;  ///< frames() * Channels, -1 to 1
  double media_seconds = 0;    ///< of the first frame, on the container's scale (pts * time base)
  double speed = 1;            ///< media seconds per second played
  std::uint32_t epoch = 0;     ///< of the packets that it was decoded from
  [[nodiscard]] std::size_t frames() const { return samples.size() / Channels; }
};

/// Returns the epoch in which a packet was read.
[[nodiscard]] std::uint32_t epoch_of(const AudioPacket& packet);

/// Decodes the packets of one stream to stereo at a fixed rate and at the playback speed. Surround is
/// downmixed so that it cannot clip, the encoder's priming is dropped, and the stream may change its sample
/// format and rate midway. `media_seconds` is continuous from block to block, except where the stream's
/// timestamps jump by more than 20 ms; the caller decides how to handle such a jump.
///
/// Thread-safety: one thread at a time.
class AudioDecoder {
 public:
  /// `rate` is that of the blocks, in Hz. Errors: BadInput if this FFmpeg cannot decode the stream.
  [[nodiscard]] static Result<std::unique_ptr<AudioDecoder>> open(const AudioStream& stream,
                                                                  int rate = 48000);
  virtual ~AudioDecoder() = default;

  /// Returns the blocks that `packet` completes, possibly none. A packet whose epoch differs from the last
  /// one's flushes first.
  [[nodiscard]] virtual std::vector<AudioBlock> decode(const AudioPacket& packet) = 0;
  /// Ends the stream and returns what is still buffered. Call flush() before decoding further packets.
  [[nodiscard]] virtual std::vector<AudioBlock> drain() = 0;
  /// Discards everything buffered, for a seek.
  virtual void flush() = 0;

  /// Sets the playback speed for what is decoded from now on, clamped to SlowestSound to FastestSound; the
  /// pitch is preserved. What was decoded before comes out at the old speed, crossfaded into the new over a
  /// few milliseconds.
  virtual void set_speed(double speed) = 0;

  /// The number of packets that could not be decoded.
  [[nodiscard]] virtual std::uint64_t damaged_packets() const = 0;
  /// FFmpeg's name for the codec, for example "aac".
  [[nodiscard]] virtual std::string codec() const = 0;
};

}  // namespace glyphreel::media
