#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "media/ffmpeg.h"

namespace glyphreel::media {

/// An opened demultiplexer, with its streams' parameters known.
/// Thread-safety: one thread at a time; interrupt() from any thread.
class Input {
 public:
  /// Opens a file, a URL, or "-" for standard input. Errors: BadInput, one sentence that names the input.
  [[nodiscard]] static Result<std::unique_ptr<Input>> open(const std::string& url);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] AVFormatContext& format() { return *format_; }
  /// The input as messages call it: the file's name, the URL, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Makes blocking reads return AVERROR_EXIT, now and from now on.
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool interrupted() const { return interrupted_.load(std::memory_order_relaxed); }

  /// The stream to show, attached pictures (cover art) left out. Errors: BadInput where there is none.
  [[nodiscard]] Result<AVStream*> best_video() const;
  /// The stream to hear with `video`; null where there is none.
  [[nodiscard]] AVStream* best_audio(const AVStream& video) const;

 private:
  explicit Input(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] Result<void> open_format(const std::string& url);
  [[nodiscard]] Result<void> use_standard_input();
  static int is_interrupted(void* opaque);
  static int read_standard_input(void* opaque, std::uint8_t* buffer, int size);

  std::string name_;
  std::atomic<bool> interrupted_ = false;
  AVIOContext* standard_input_ = nullptr;
  bool standard_input_is_empty_ = true;  ///< as far as it was read
  AVFormatContext* format_ = nullptr;
};

}  // namespace glyphreel::media
