#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/reading/source_options.h"
#include "media/stream/input_facts.h"
#include "media/stream/source_item.h"
#include "media/stream/video_facts.h"
#include "media/subtitle/subtitle_tracks.h"
#include "media/subtitle/subtitles.h"

namespace glyphreel::media {

/// An opened input: demuxes, decodes video, and passes encoded audio packets on.
/// A damaged stretch is skipped and counted; decoding continues with what can still be decoded. A live
/// input whose connection breaks is reopened, for up to a minute; its frames then have another epoch.
/// Thread-safety: one thread at a time; read_audio() from one other; interrupt(), set_background() and
/// read_ahead() from any thread.
class Source {
 public:
  /// Errors: BadInput with one sentence (no such file; a directory; empty; not media; contains no video;
  /// cannot be decoded).
  [[nodiscard]] static Result<std::unique_ptr<Source>> open(const SourceOptions& options);
  virtual ~Source() = default;

  [[nodiscard]] virtual const VideoFacts& facts() const = 0;
  [[nodiscard]] virtual const InputFacts& input() const = 0;
  /// The audio stream whose packets are delivered; null if there is none or none was requested.
  [[nodiscard]] virtual std::shared_ptr<const AudioStream> audio() const = 0;

  /// Returns the next frame, in presentation order with non-decreasing pts, or the next audio packet, in
  /// file order. Blocks on input. Errors: reading failed and cannot continue.
  [[nodiscard]] virtual Result<SourceItem> read() = 0;

  /// For AudioDelivery::Apart: returns the next audio packet, or EndOfStream; packets arrive again after a
  /// seek. Waits for the input, and for a seek in progress.
  [[nodiscard]] virtual Result<SourceItem> read_audio() = 0;

  /// Seeks so that the next frame is the one that `mode` selects for `seconds` (from the stream's start).
  /// What follows has `epoch`, or the last epoch plus one if that is 0, even if the seek fails and playback
  /// continues from where it was. Errors: Failed if the input cannot seek.
  [[nodiscard]] virtual Result<void> seek(double seconds, SeekMode mode = SeekMode::Exact,
                                          std::uint32_t epoch = 0) = 0;

  [[nodiscard]] virtual ReadAhead read_ahead() const = 0;

  /// The input's subtitle streams that can be decoded.
  [[nodiscard]] virtual const std::vector<SubtitleTrackInfo>& subtitle_tracks() const = 0;
  /// Opens a decoder for one of them, see SubtitleDecoder::open().
  [[nodiscard]] virtual Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int stream_index, const std::string& charset) const = 0;
  /// Returns the next packet read of one of them, without waiting; null if there is none. Any one thread.
  [[nodiscard]] virtual std::shared_ptr<const SubtitlePacket> try_read_subtitle(int stream_index) = 0;

  /// Sets the color drawn behind transparent pictures from the next read() on, 0xRRGGBB.
  virtual void set_background(std::uint32_t rgb) = 0;

  /// Makes a blocking read() return soon, as end of stream.
  virtual void interrupt() = 0;

  /// Number of packets that the decoder could not use.
  [[nodiscard]] virtual std::uint64_t damaged_packets() const = 0;

  /// Any thread.
  [[nodiscard]] virtual HwDecodeStatus hardware_use() const { return {}; }
};

}  // namespace glyphreel::media
