#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "media/decode/deinterlacing.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/stream/input_facts.h"
#include "media/stream/source_item.h"
#include "media/stream/video_facts.h"
#include "media/subtitle/subtitle_tracks.h"
#include "media/subtitle/subtitles.h"

namespace glyphreel::media {

/// How a Source delivers audio.
enum class AudioDelivery {
  None,
  WithFrames,  ///< packets come from read(), in file order: for recording
  Apart,       ///< packets come from read_audio(), for a separate thread: for playback
};

/// Which frame follows a seek.
enum class SeekMode {
  Exact,           ///< the first at or after the target
  KeyframeBefore,  ///< the last keyframe at or before it: fast
  KeyframeAfter,   ///< the first keyframe at or after it; if there is none, as KeyframeBefore
  FrameBefore,     ///< the last one before it, then those after that
};

/// How much of the input is ready to be decoded.
struct ReadAhead {
  std::size_t bytes = 0;
  double seconds = 0;            ///< of video packets
  bool at_end = false;           ///< all of the input was read
  bool is_starved = false;       ///< a decoder is waiting for the input
  bool is_reconnecting = false;  ///< the connection broke and is being reopened
};

class HwDecodeBackend;

struct SourceOptions {
  std::string url;  ///< a file, a URL, "-" for standard input
  int threads = 0;  ///< decoder threads; 0: one per CPU
  HostMemory* memory =
      nullptr;  ///< frames are decoded into it; null: FFmpeg's own buffers. Must outlive the Source
  AudioDelivery audio = AudioDelivery::None;
  int audio_track = 0;          ///< number of the track to play, from 1; 0, or a missing one: the best
  bool want_subtitles = false;  ///< keep the packets of subtitle streams for try_read_subtitle()
  bool tells_skipped = false;   ///< read() returns Skipped for frames before a seek's target
  std::stop_token stop = {};    ///< a request makes open() return soon, with an error
  std::optional<double> start_seconds;  ///< seek here first (exact: earlier frames are decoded and dropped)
  std::optional<double> end_seconds;    ///< frames at or after this time end the stream
  std::uint32_t background = 0;         ///< 0xRRGGBB: drawn behind transparent pictures
  StageTimes* times = nullptr;          ///< receives decoding times; may be null
  HwDecodeChoice hwdec = HwDecodeChoice::No;
  const DeferredHwDecode* hardware = nullptr;  ///< null: only what `hwdec` names. Must outlive the Source
  Deinterlacing deinterlace = Deinterlacing::Auto;
  bool ends_on_interrupt =
      false;  ///< read() ends once the user asks the program to stop: for work without a player
  HwDecodeBackend* hw_decode_backend = nullptr;  ///< replaces FFmpeg's, for tests. Must outlive the Source
};

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
