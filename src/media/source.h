#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/reading/source_options.h"
#include "media/reading/time_range.h"
#include "media/stream/input_facts.h"
#include "media/stream/source_item.h"
#include "media/stream/video_facts.h"
#include "media/subtitle/subtitle_tracks.h"
#include "media/subtitle/subtitles.h"

namespace glyphreel::media {

/// Demuxes an input, decodes its video, and returns its encoded audio packets.
/// Damaged parts are skipped and counted; decoding continues after them. If the connection to an input is
/// lost and InputFacts::may_come_back() is true, the Source tries to reopen the input for up to a minute.
/// Frames read afterward have a new epoch (see Frame::epoch).
/// Thread-safety: one thread at a time. In addition, read_audio() may be called on one other thread, and
/// interrupt(), set_background() and read_ahead() on any thread.
class Source {
 public:
  /// Opens an input. Errors: BadInput, with a one-sentence message, if the input does not exist, is a
  /// directory, is empty, is not media, contains no video, or cannot be decoded; Usage if the requested range
  /// is empty or the subtitle track to copy does not exist; Failed if the range's start cannot be reached;
  /// Interrupted if opening is interrupted.
  [[nodiscard]] static Result<std::unique_ptr<Source>> open(const SourceOptions& options);
  virtual ~Source() = default;

  [[nodiscard]] virtual const VideoFacts& facts() const = 0;
  [[nodiscard]] virtual const InputFacts& input() const = 0;
  /// Returns the part of the input that is read.
  [[nodiscard]] virtual TimeRange range() const { return {}; }
  /// Returns the audio stream whose packets are delivered; null if there is none or none was requested.
  [[nodiscard]] virtual std::shared_ptr<const AudioStream> audio() const = 0;
  /// Returns what SourceOptions::copied requested; read() returns the packets of its tracks. Null if nothing
  /// was requested.
  [[nodiscard]] virtual std::shared_ptr<const CopiedContent> copied() const { return nullptr; }

  /// Returns the next frame, the next packet of a copied track, or, with AudioDelivery::WithFrames, the next
  /// packet of audio(). Frames are in presentation order with non-decreasing pts; packets are in file order.
  /// Blocks until one of these is available. Errors: reading failed and cannot continue.
  [[nodiscard]] virtual Result<SourceItem> read() = 0;

  /// With AudioDelivery::Apart, returns the next audio packet, or EndOfStream at the end of the input.
  /// Reading can continue after a seek, even if the end was reached before. Blocks until a packet is
  /// available and no seek is in progress.
  [[nodiscard]] virtual Result<SourceItem> read_audio() = 0;

  /// Seeks to the frame that `mode` selects for `seconds`, counted from the stream's start; read() returns
  /// this frame next. Later frames and packets have the epoch `epoch`, or the last epoch plus one if `epoch`
  /// is 0. They have this new epoch even if the seek fails and playback continues at the old position.
  /// Errors: Failed if the input cannot seek.
  [[nodiscard]] virtual Result<void> seek(double seconds, SeekMode mode = SeekMode::Exact,
                                          std::uint32_t epoch = 0) = 0;

  [[nodiscard]] virtual ReadAhead read_ahead() const = 0;

  /// Returns the input's subtitle streams that can be decoded.
  [[nodiscard]] virtual const std::vector<SubtitleTrackInfo>& subtitle_tracks() const = 0;
  /// Opens a decoder for a stream of subtitle_tracks(), see SubtitleDecoder::open().
  [[nodiscard]] virtual Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int stream_index, const std::string& charset) const = 0;
  /// Returns the next packet of a stream of subtitle_tracks(), without waiting; null if none is queued. May
  /// be called on any thread, but only on one at a time.
  [[nodiscard]] virtual std::shared_ptr<const SubtitlePacket> try_read_subtitle(int stream_index) = 0;

  /// Sets the color (0xRRGGBB) behind transparent frames, starting with the next read().
  virtual void set_background(std::uint32_t rgb) = 0;

  /// Makes current and later calls of read() and read_audio() return EndOfStream soon.
  virtual void interrupt() = 0;

  /// Returns the number of damaged packets: those that could not be read or decoded.
  [[nodiscard]] virtual std::uint64_t damaged_packets() const = 0;

  /// Returns which hardware decoder is in use. May be called on any thread.
  [[nodiscard]] virtual HwDecodeStatus hardware_use() const { return {}; }
};

}  // namespace glyphreel::media
