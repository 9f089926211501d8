#pragma once

#include <cstdint>
#include <optional>

#include "media/source.h"
#include "player/audio/audio_player.h"
#include "player/playback/decode_thread.h"

namespace glyphreel::player {

/// Moves an input to another position: its decoder and its audio together. Each seek starts a new epoch.
/// Thread-safety: the player's thread only.
class Seeker {
 public:
  /// All outlive the seeker. `audio`: null if there is none. `origin_seconds`: container time at position 0.
  Seeker(const media::Source& source, DecodeThread& decoder, AudioPlayer* audio, double origin_seconds)
      : source_(source), decoder_(decoder), audio_(audio), origin_(origin_seconds) {}

  /// The epoch of the frames to show. It changes with each seek, and when a live input was reopened.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }
  void set_epoch(std::uint32_t epoch) { epoch_ = epoch; }

  /// Starts a seek to `seconds` from the stream's start. Returns its target, within the input. An input that
  /// is not seekable is played on to that point exactly, or to the first one that is not decoded yet; empty:
  /// the point has passed, and nothing has changed. `shown`: the frame on the screen; null: none.
  [[nodiscard]] std::optional<double> seek(double seconds, media::SeekMode mode, const Frame* shown);

 private:
  [[nodiscard]] std::optional<double> next_reachable(double seconds, media::SeekMode mode,
                                                     const Frame* shown) const;

  const media::Source& source_;
  DecodeThread& decoder_;
  AudioPlayer* audio_;
  double origin_;
  std::uint32_t epoch_ = 0;
};

}  // namespace glyphreel::player
