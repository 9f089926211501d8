#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/stage_times.h"
#include "media/input_facts.h"
#include "media/subtitle_tracks.h"
#include "media/subtitles.h"

namespace glyphreel::media {

/// Facts about the opened input, as far as its headers tell them.
struct VideoFacts {
  std::string codec;         ///< FFmpeg's name, for example "h264"
  std::string decoder;       ///< the decoder in use, for example "libdav1d"
  std::string pixel_format;  ///< FFmpeg's name of the decoded format
  Extent size;               ///< stored pixels
  Rational frame_rate;       ///< average, frames per second; 0/1 unknown
  Rational time_base;        ///< seconds per pts unit
  Rational sample_aspect_ratio{1, 1};
  Rotation rotation = Rotation::None;
  ColorTags color;
  std::optional<double> duration_seconds;
  std::int64_t start_pts = 0;    ///< pts of the stream's start, 0 where unknown
  std::int64_t frame_count = 0;  ///< estimate from the headers; 0 unknown
  struct Chapter {
    double start_seconds = 0;  ///< from the stream's start
    std::string title;         ///< may be empty
  };
  std::vector<Chapter> chapters;
  std::vector<std::string> audio_tracks;  ///< each described in a few words: "aac, eng"
  int audio_track = 0;                    ///< number of the one that is delivered, from 1; 0: none
  std::string audio_language;             ///< of that one, as the container tells it; empty: unknown
  bool native_layout = false;             ///< false: frames pass through swscale, one counted copy each
};

/// How an audio stream is described to a Writer. Opaque: holds FFmpeg's codec parameters.
struct AudioStream;

/// One encoded audio packet on its way to a Writer. Opaque: holds FFmpeg's packet, timestamps in the stream's
/// time base.
struct AudioPacket;

/// The input ended.
struct EndOfStream {};

/// A frame before a seek's target was decoded and thrown away: the place to ask whether the seek is still
/// wanted.
struct Skipped {};

using SourceItem = std::variant<Frame, std::shared_ptr<const AudioPacket>, Skipped, EndOfStream>;

/// How a Source hands its sound on.
enum class AudioDelivery {
  None,
  WithFrames,  ///< packets come from read(), in the file's order: for recording
  Apart,       ///< packets come from read_audio(), for a thread of their own: for playing
};

/// Which frame a seek leads to.
enum class SeekMode {
  Exact,           ///< the first at or after the target
  KeyframeBefore,  ///< the last key frame at or before it: quick
  KeyframeAfter,   ///< the first key frame at or after it; where there is none, as KeyframeBefore
  FrameBefore,     ///< the last before it, and those after that
};

/// How much of the input lies ready to be decoded.
struct ReadAhead {
  std::size_t bytes = 0;
  double seconds = 0;            ///< of video packets
  bool at_end = false;           ///< all of the input was read
  bool is_starved = false;       ///< a decoder waits for the input right now
  bool is_reconnecting = false;  ///< the connection broke, and is tried again
};

/// Who may decode video besides the processor.
enum class HardwareChoice {
  Auto,  ///< whatever is fastest, where a GPU draws: else frames would have to come back to the host
  No,
  Vaapi,  ///< this one, wherever its frames go to; the processor where it cannot
  Cuda,
  Vulkan,
};

class HardwareDevices;

/// Who draws. A processor that runs a GPU's driver is one.
enum class DrawnBy { Processor, Gpu };

/// What hardware decoders may use, so that their frames stay with who draws.
struct HardwareOffer {
  std::shared_ptr<HardwareDevices> devices;  ///< null: there are none
  DrawnBy drawn_by = DrawnBy::Processor;
};

/// The hardware that may decode, which is only known once the renderer is: until bind() the processor
/// decodes, and after it hardware takes over where that left off. So an input can be opened, and its errors
/// told, before any device.
class LateHardware {
 public:
  /// Called before the thread that reads is started.
  void bind(HardwareOffer offer) {
    offer_ = std::move(offer);
    is_bound_ = true;
  }
  [[nodiscard]] bool is_bound() const { return is_bound_; }
  [[nodiscard]] const HardwareOffer& offer() const { return offer_; }

 private:
  HardwareOffer offer_;
  bool is_bound_ = false;
};

/// How many frames of a hardware decoder may be held at a time without taking from it what it decodes into;
/// further ones come with their planes in host memory. NVDEC has 32 surfaces at most, of which a stream's
/// references take up to 17.
inline constexpr int MostHeldSurfaces = 12;

/// Who decodes the video, and who could not.
struct HardwareUse {
  std::string decoder = "no";  ///< "no": the processor; "vaapi", "cuda", "vulkan"
  struct Fallback {
    std::string from;    ///< "vaapi", "cuda", "vulkan"
    std::string reason;  ///< a sentence
  };
  std::vector<Fallback> fallbacks;  ///< oldest first
};

class HardwareCalls;

/// What becomes of frames that are flagged as interlaced.
enum class Deinterlacing {
  Auto,  ///< whole pictures are made of them, one of each; the processor decodes them
  No,
};

struct SourceOptions {
  std::string url;  ///< a file, a URL, "-" for standard input
  int threads = 0;  ///< decoder threads; 0: one per processor
  HostMemory* memory =
      nullptr;  ///< where frames are decoded to; null: FFmpeg's own buffers. Outlives the Source
  AudioDelivery audio = AudioDelivery::None;
  int audio_track = 0;  ///< number of the track to hear, from 1; 0, or one that is not there: the best
  bool want_subtitles = false;          ///< keep the packets of subtitle streams for try_read_subtitle()
  bool tells_skipped = false;           ///< read() gives Skipped for frames on the way to a seek's target
  std::stop_token stop = {};            ///< a request ends open() soon, with an error
  std::optional<double> start_seconds;  ///< seek here first (exact: earlier frames are decoded and dropped)
  std::optional<double> end_seconds;    ///< frames at or after this time end the stream
  std::uint32_t background = 0;         ///< 0xRRGGBB: what transparent pictures are laid over
  StageTimes* times = nullptr;          ///< where decoding time goes; may be null
  HardwareChoice hwdec = HardwareChoice::No;
  const LateHardware* hardware = nullptr;  ///< null: none but what `hwdec` names. Outlives the Source
  Deinterlacing deinterlace = Deinterlacing::Auto;
  bool ends_on_interrupt =
      false;  ///< read() ends once the user asks the program to stop: for work without a player
  HardwareCalls* hardware_calls = nullptr;  ///< in FFmpeg's place: for tests. Outlives the Source
};

/// An opened input: demultiplexes, decodes video, and passes encoded audio packets on.
/// A damaged stretch is skipped and counted; decoding goes on with what can still be decoded. A live input
/// whose connection breaks is opened again, for up to a minute; its frames are then of another epoch.
/// Thread-safety: one thread at a time; read_audio() from one other; interrupt(), set_background() and
/// read_ahead() from any thread.
class Source {
 public:
  /// Errors: BadInput with one sentence (no such file; a directory; empty; not media; holds no video; cannot
  /// decode).
  [[nodiscard]] static Result<std::unique_ptr<Source>> open(const SourceOptions& options);
  virtual ~Source() = default;

  [[nodiscard]] virtual const VideoFacts& facts() const = 0;
  [[nodiscard]] virtual const InputFacts& input() const = 0;
  /// The audio stream whose packets are delivered; null where there is none or none was asked for.
  [[nodiscard]] virtual std::shared_ptr<const AudioStream> audio() const = 0;

  /// The next frame, in presentation order with non-decreasing pts, or the next audio packet, in the file's
  /// order. Blocks on input. Errors: reading failed in a way that cannot go on.
  [[nodiscard]] virtual Result<SourceItem> read() = 0;

  /// AudioDelivery::Apart: the next audio packet, or EndOfStream; after a seek packets come again. Waits for
  /// the input, and for a seek that is under way.
  [[nodiscard]] virtual Result<SourceItem> read_audio() = 0;

  /// Seeks so that the next frame is the one that `mode` says of `seconds` (from the stream's start). What
  /// comes after is of `epoch`, or of the one after the last where it is 0, also where the seek fails and
  /// playing goes on from where it was. Errors: Failed where the input cannot be played from another place.
  [[nodiscard]] virtual Result<void> seek(double seconds, SeekMode mode = SeekMode::Exact,
                                          std::uint32_t epoch = 0) = 0;

  [[nodiscard]] virtual ReadAhead read_ahead() const = 0;

  /// The input's subtitle streams that can be decoded.
  [[nodiscard]] virtual const std::vector<SubtitleTrackInfo>& subtitle_tracks() const = 0;
  /// A decoder for one of them, see SubtitleDecoder::open().
  [[nodiscard]] virtual Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int stream_index, const std::string& charset) const = 0;
  /// The next packet of one of them that was read, without waiting; null: none. Any one thread.
  [[nodiscard]] virtual std::shared_ptr<const SubtitlePacket> try_read_subtitle(int stream_index) = 0;

  /// What transparent pictures are laid over from the next read() on, 0xRRGGBB.
  virtual void set_background(std::uint32_t rgb) = 0;

  /// Makes a blocking read() return soon, as end of stream.
  virtual void interrupt() = 0;

  /// Packets that the decoder could not use.
  [[nodiscard]] virtual std::uint64_t damaged_packets() const = 0;

  /// Any thread.
  [[nodiscard]] virtual HardwareUse hardware_use() const { return {}; }
};

/// What `glyphreel info INPUT` shows of one stream.
struct StreamListing {
  int index = 0;
  std::string kind;         ///< "video", "audio", "subtitle", "data"
  std::string description;  ///< one line: codec, size or rate, language
};
/// All streams of an input, without decoding.
[[nodiscard]] Result<std::vector<StreamListing>> list_streams(const std::string& url);

/// FFmpeg's version, and the names of the decoders and encoders that matter to this program and are present.
struct MediaCapabilities {
  std::string ffmpeg_version;
  std::vector<std::string> decoders;
  std::vector<std::string> encoders;
};
[[nodiscard]] MediaCapabilities capabilities();

/// Routes FFmpeg's own messages to the debug log, so that the user sees this program's sentences alone.
void quiet_ffmpeg();

}  // namespace glyphreel::media
