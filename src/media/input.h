#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/interrupt.h"
#include "media/ffmpeg.h"
#include "media/input_facts.h"
#include "media/opening_limits.h"
#include "media/web_page.h"
#include "media/webp_animation.h"

namespace glyphreel::media {

/// An opened demultiplexer, with its streams' parameters known.
/// Thread-safety: one thread at a time; interrupt() from any thread.
class Input {
 public:
  /// Opens a file; a URL; "-" for standard input; "camera:[N]"; "screen:[WxH+X+Y]"; "lavfi:GRAPH", a
  /// procedural source; "mf://PATTERN", numbered pictures as a video; a web page with a video, by yt-dlp.
  /// Blocks, for a network input OpenTimeoutSeconds at most; a request to `stop`, or Ctrl-C, ends the wait.
  /// What it opens and reads of playlists is bounded (OpeningLimits). An animated WebP, which FFmpeg cannot
  /// decode, is read as a whole, for as long as its bytes come, and its pictures are made as format() reads
  /// them. Errors: BadInput, one sentence that names the input; Interrupted.
  [[nodiscard]] static Result<std::unique_ptr<Input>> open(const std::string& url, std::stop_token stop = {});
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] AVFormatContext& format();
  /// False after a reopen() that failed.
  [[nodiscard]] bool is_open() const { return format_ != nullptr; }
  /// The input as messages call it: the file's name, the URL, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const InputFacts& facts() const { return facts_; }

  /// Makes blocking reads return AVERROR_EXIT, now and from now on.
  void interrupt();
  /// Waits; true as soon as it is interrupted, false after `timeout`.
  [[nodiscard]] bool wait_until_interrupted(std::chrono::milliseconds timeout);
  /// As interrupt() does, once the user asks the program to stop. Before reading starts.
  void end_on_interrupt() { ends_on_interrupt_ = true; }
  [[nodiscard]] bool interrupted() const {
    return interrupted_.load(std::memory_order_relaxed) || (ends_on_interrupt_ && glyphreel::interrupted());
  }

  /// Opens the same input again, after it broke. Streams that were discarded are discarded again, and those
  /// in use must be there with the same codecs; every AVStream is a new one, and timestamps start anew.
  /// Blocks as open() does. Errors: BadInput; there is no format() until a reopen() succeeds. Standard input
  /// cannot be opened again.
  [[nodiscard]] Result<void> reopen();

  /// Whether reading stopped before the end of the input when av_read_frame() returned `averror`: the
  /// connection broke, or a device failed. False at the end, after damage, and when interrupted. A live
  /// stream other than one over HTTP has no end that differs from a break.
  [[nodiscard]] bool has_broken(int averror) const;

  /// Whether the packet that av_read_frame() gave last may be cut short, by a break after which reopen()
  /// gives it whole.
  [[nodiscard]] bool may_be_cut_short() const;

  /// Why av_read_frame() failed with `averror`, in a sentence: "The camera ... was unplugged."
  [[nodiscard]] Error read_failure(int averror) const;

  /// The stream to show, attached pictures (cover art) left out. Errors: BadInput where there is none, or
  /// where its pictures are beyond PictureLimits.
  [[nodiscard]] Result<AVStream*> best_video() const;
  /// The stream to hear with `video`; null where there is none.
  [[nodiscard]] AVStream* best_audio(const AVStream& video) const;

 private:
  /// What a stream was before the input was opened again.
  struct StreamInUse {
    unsigned index = 0;
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    AVCodecID codec = AV_CODEC_ID_NONE;
  };
  using CloseIo = int (*)(AVFormatContext*, AVIOContext*);
  using OpenIo = int (*)(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**);

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
  [[nodiscard]] Result<int> open_animated_webp();
  [[nodiscard]] Error why_not_opened(int averror) const;
  [[nodiscard]] bool should_stop() const;
  [[nodiscard]] bool is_late() const;
  void find_facts();
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

  std::string url_;  ///< as given
  std::string name_;
  std::stop_token stop_;                ///< of the call of open() that is under way
  std::vector<Extent> declared_sizes_;  ///< of the streams, as the container has them
  std::optional<WebVideo> web_video_;
  std::vector<StreamInUse> in_use_;  ///< when the input was last opened and then broke
  InputFacts facts_;
  std::mutex interrupt_mutex_;
  std::condition_variable interrupt_there_;
  std::atomic<bool> interrupted_ = false;
  bool ends_on_interrupt_ = false;
  bool is_opening_ = false;
  bool has_broken_on_open_ = false;  ///< all that there is was read by then
  OpeningLimits limits_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;  ///< of opening
  AVIOContext* descriptor_io_ = nullptr;
  int descriptor_ = -1;                ///< what descriptor_io_ reads: standard input or a FIFO
  std::int64_t descriptor_bytes_ = 0;  ///< read so far
  OpenIo default_open_io_ = nullptr;
  CloseIo default_close_io_ = nullptr;
  AVIOContext* io_ = nullptr;  ///< what format_ reads where FFmpeg opened it; null: nothing, or a caller's
  std::unique_ptr<WebpAnimation> animated_webp_;  ///< what format_ reads; null: something else
  AVFormatContext* format_ = nullptr;
};

/// How long to wait before Input::reopen() is tried again after `failures` tries in a row that failed: at
/// once, then longer and longer up to 8 s. Empty: give up, the source has been away for more than a minute.
[[nodiscard]] std::optional<std::chrono::milliseconds> reopen_delay(int failures);

}  // namespace glyphreel::media
