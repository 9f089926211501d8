#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/source.h"

namespace glyphreel::media {

/// The slowest and the fastest speed at which sound is made.
inline constexpr double SlowestSound = 0.25;
inline constexpr double FastestSound = 4.0;

/// Decoded sound: interleaved stereo at the decoder's output rate.
struct AudioBlock {
  static constexpr int Channels = 2;

  std::vector<float> samples;  ///< frames() * Channels, -1 to 1
  double media_seconds = 0;    ///< of the first frame, as the container counts (pts * time base)
  double speed = 1;            ///< media seconds per second heard
  std::uint32_t epoch = 0;     ///< of the packets that it was made from
  [[nodiscard]] std::size_t frames() const { return samples.size() / Channels; }
};

/// The epoch that a packet was read in.
[[nodiscard]] std::uint32_t epoch_of(const AudioPacket& packet);

/// Encoded packets of one stream in, stereo at one rate and at the speed of play out. Surround is mixed down
/// so that it cannot clip, the encoder's priming is left out, and the stream may change its sample format and
/// rate on the way. Blocks follow each other without a break in `media_seconds` but where the stream's
/// timestamps jump by more than 20 ms; what to do about such a jump is the caller's.
///
/// Thread-safety: one thread at a time.
class AudioDecoder {
 public:
  /// `rate`: of the blocks, in Hz. Errors: BadInput where this FFmpeg cannot decode the stream.
  [[nodiscard]] static Result<std::unique_ptr<AudioDecoder>> open(const AudioStream& stream,
                                                                  int rate = 48000);
  virtual ~AudioDecoder() = default;

  /// The blocks that `packet` completes, none or more. A packet of another epoch than the last one's flushes
  /// first.
  [[nodiscard]] virtual std::vector<AudioBlock> decode(const AudioPacket& packet) = 0;
  /// The stream has ended: what is still under way. Then only packets after a flush() are taken.
  [[nodiscard]] virtual std::vector<AudioBlock> drain() = 0;
  /// Forgets what is under way, for a seek.
  virtual void flush() = 0;

  /// Speed of play of what is decoded from now on, the pitch kept; limited to SlowestSound to FastestSound.
  /// What was decoded before comes out at the old speed, faded into the new over a few milliseconds.
  virtual void set_speed(double speed) = 0;

  /// Packets that could not be decoded.
  [[nodiscard]] virtual std::uint64_t damaged_packets() const = 0;
  /// FFmpeg's name of the codec, for example "aac".
  [[nodiscard]] virtual std::string codec() const = 0;
};

}  // namespace glyphreel::media
