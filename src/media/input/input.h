#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/interrupt.h"
#include "base/mutex.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/input/opening_limits.h"
#include "media/input/ytdl.h"
#include "media/still/webp_animation.h"
#include "media/stream/input_facts.h"

namespace glyphreel::media {

/// An open FFmpeg demuxer whose streams' parameters are known, or an animated WebP.
/// Thread-safety: one thread at a time; interrupt() from any thread.
class Input {
 public:
  /// Opens `url`: a file; a URL; "-" (standard input); "camera:[N]"; "screen:[WxH+X+Y]"; "lavfi:GRAPH" (a
  /// procedural source); "mf://PATTERN" (image files as a video); or a web page with a video, which
  /// yt-dlp finds. Blocks. A network input fails if it does not describe its streams within
  /// OpenTimeoutSeconds, unless waits_for_sender() is true. A stop request through `stop`, or Ctrl-C, ends
  /// the wait. OpeningLimits bounds the number of files that are opened and the size of playlists. An
  /// animated WebP, which FFmpeg cannot decode, is read completely, however long that takes. Errors:
  /// BadInput, with one sentence that names the input; Interrupted.
  [[nodiscard]] static Result<std::unique_ptr<Input>> open(const std::string& url, std::stop_token stop = {});
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Returns FFmpeg's context; it has no streams if the input is an animated WebP.
  [[nodiscard]] AVFormatContext& format();
  /// Returns the animation if the input is an animated WebP, otherwise null. Owned by this object.
  [[nodiscard]] WebpAnimation* animated_webp() const { return animated_webp_.get(); }
  /// Whether the input is open; false after a failed reopen().
  [[nodiscard]] bool is_open() const { return format_ != nullptr; }
  /// Returns the input's name for messages: the file's name, the URL, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const InputFacts& facts() const { return facts_; }

  /// Makes current and future blocking reads return AVERROR_EXIT.
  void interrupt();
  /// Waits. Returns true as soon as the input is interrupted, false after `timeout`.
  [[nodiscard]] bool wait_until_interrupted(std::chrono::milliseconds timeout);
  /// Makes Ctrl-C, and any other request to stop the program, have the same effect as interrupt(). Call
  /// before reading starts.
  void end_on_interrupt() { ends_on_interrupt_ = true; }
  [[nodiscard]] bool interrupted() const {
    return interrupted_.load(std::memory_order_relaxed) || (ends_on_interrupt_ && glyphreel::interrupted());
  }

  /// Reopens the input after its connection was lost. Streams that were in use must still exist with the
  /// same codecs; all other streams are discarded. Every AVStream is a new object, and timestamps restart.
  /// Blocks as open() does. Standard input and FIFOs cannot be reopened. Errors: BadInput; Interrupted. After
  /// an error, do not call format() until a reopen() succeeds.
  [[nodiscard]] Result<void> reopen();

  /// Whether the error `averror` of av_read_frame() means that reading stopped before the end of the input:
  /// the connection was lost, or a device failed. False for damaged data and after an interruption. At the
  /// end of the input, true only where the end looks like a lost connection: for live DASH, for live HLS
  /// without #EXT-X-ENDLIST, for live streams over protocols other than HTTP, or for HTTP after an I/O error.
  [[nodiscard]] bool has_broken(int averror) const;

  /// Whether the last packet from av_read_frame() may be truncated because the connection was lost. After
  /// reopen(), the complete packet is read again.
  [[nodiscard]] bool may_be_cut_short() const;

  /// Returns an error whose message says why av_read_frame() failed with `averror`, for example because the
  /// connection was lost.
  [[nodiscard]] Error read_failure(int averror) const;

  /// Returns the video stream to show; attached pictures (cover art) are ignored. Errors: BadInput if there
  /// is none, or if its pictures exceed PictureLimits.
  [[nodiscard]] Result<AVStream*> best_video() const;
  /// Returns the audio stream to play with `video`; null if there is none.
  [[nodiscard]] AVStream* best_audio(const AVStream& video) const;

 private:
  /// A stream in use, as it was before the input was reopened.
  struct StreamInUse {
    int index = 0;
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    AVCodecID codec = AV_CODEC_ID_NONE;
  };

  Input(std::string url, std::stop_token stop);
  [[nodiscard]] Result<void> open_address();
  [[nodiscard]] Result<void> open_web_page(const std::string& page);
  [[nodiscard]] Result<void> open_format();
  [[nodiscard]] Result<int> read_header(const std::string& name, const AVInputFormat* format,
                                        Options& options);
  [[nodiscard]] Result<std::string> choose_format(Options& options, const AVInputFormat*& format);
  [[nodiscard]] Result<void> read_from(int descriptor);
  void new_format();
  [[nodiscard]] int find_streams();
  [[nodiscard]] bool holds_animated_webp() const;
  [[nodiscard]] Result<void> read_animated_webp();
  [[nodiscard]] Error opening_error(int averror) const;
  [[nodiscard]] bool should_stop() const;
  [[nodiscard]] bool is_late() const;
  void find_facts();
  void find_animation_facts();
  [[nodiscard]] bool is_live_network() const;
  void close();
  static int is_interrupted(void* opaque);
  static int read_descriptor(void* opaque, std::uint8_t* buffer, int size);
  void close_format();
  [[nodiscard]] int open_part(AVFormatContext& format, AVIOContext** io, const char* url, int flags,
                              AVDictionary** options);
  static int close_io(AVFormatContext* format, AVIOContext* io);
  static int open_io(AVFormatContext* format, AVIOContext** io, const char* url, int flags,
                     AVDictionary** options);

  std::string url_;  ///< as passed to open()
  std::string name_;
  std::stop_token stop_;                ///< stop token of the open() call in progress
  std::vector<Extent> declared_sizes_;  ///< for each stream, the size that the container declares
  std::optional<WebVideo> web_video_;
  std::vector<StreamInUse> in_use_;  ///< streams in use before the connection was lost
  InputFacts facts_;
  Mutex interrupt_mutex_;
  ConditionVariable interrupt_there_;
  std::atomic<bool> interrupted_ = false;
  bool ends_on_interrupt_ = false;
  bool is_opening_ = false;
  bool has_broken_on_open_ = false;  ///< the connection was already lost when opening succeeded
  OpeningLimits limits_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;  ///< end of the time allowed for opening
  AVIOContext* descriptor_io_ = nullptr;
  int descriptor_ = -1;                ///< the descriptor that descriptor_io_ reads: standard input or a FIFO
  std::int64_t descriptor_bytes_ = 0;  ///< number of bytes read from descriptor_ so far
  decltype(AVFormatContext::io_open) default_open_io_ = nullptr;
  decltype(AVFormatContext::io_close2) default_close_io_ = nullptr;
  AVIOContext* io_ = nullptr;  ///< the I/O context that FFmpeg opened for format_; null if it opened none
  std::unique_ptr<WebpAnimation> animated_webp_;
  AVFormatContext* format_ = nullptr;
};

/// Returns how long to wait before the next attempt of Input::reopen() after `failures` consecutive
/// failures: 0 before the first attempt, then 0.25 s, doubling up to 8 s. Empty after 12 failures (about a
/// minute in all): the caller should give up.
[[nodiscard]] std::optional<std::chrono::milliseconds> reopen_delay(int failures);

}  // namespace glyphreel::media
