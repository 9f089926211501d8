#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "media/ffmpeg.h"

namespace glyphreel::media {

/// Whether what was opened is a list of parts, which its demuxer opens one by one.
[[nodiscard]] bool is_manifest(const AVFormatContext& format);

/// Bounds what opening an input may open and read. FFmpeg's HLS demuxer follows a playlist that names itself
/// without end, its concat demuxer does so by recursion, and like other demuxers of text they keep all of a
/// list in memory, however long that is. Thread-safety: one thread at a time.
class OpeningLimits {
 public:
  static constexpr std::size_t MaxParts = 1000;
  static constexpr std::int64_t MaxListBytes = 4 << 20;
  static constexpr std::size_t MaxStackBytes = 512 << 10;
  enum class Exceeded { Nothing, Parts, ListBytes, Nesting };

  /// What is opened and read from now on counts, up to end().
  void begin();
  void end() { is_active_ = false; }
  /// Before a context that open() opened is closed: protocols ask the interrupt callback while they close,
  /// when the context is freed already.
  void forget(const AVIOContext* io);
  /// After all of them are closed.
  void forget_parts() { parts_.clear(); }
  [[nodiscard]] Exceeded exceeded() const { return exceeded_; }
  /// For the interrupt callback of what is opened. False: a limit is exceeded, or the calling thread, which
  /// called begin(), has used MaxStackBytes since then, because lists name lists.
  [[nodiscard]] bool may_continue();

  /// Calls `open_part`, which opens `*io` by the default io_open of `format`. AVERROR_EXIT beyond MaxParts.
  /// Reading a list returns AVERROR_EXIT behind MaxListBytes or MaxParts, as it does once
  /// `format.interrupt_callback` says so.
  [[nodiscard]] int open(AVFormatContext& format, AVIOContext** io, const std::function<int()>& open_part);
  /// Notes that `text` was read of an input, as its last so far of `total_bytes`. False: it is more than may
  /// be read.
  [[nodiscard]] bool may_read_on(const AVFormatContext& format, std::string_view text,
                                 std::int64_t total_bytes);

 private:
  struct Part {
    OpeningLimits* limits = nullptr;
    AVFormatContext* format = nullptr;
    AVIOInterruptCB whole{};  ///< of the format
    AVIOContext* io = nullptr;
    bool is_nested_list = false;
    std::int64_t noted = 0;  ///< bytes
  };
  static int is_interrupted(void* opaque);
  [[nodiscard]] bool may_open(std::size_t parts);

  bool is_active_ = false;
  std::thread::id thread_;             ///< the one that called begin()
  std::uintptr_t stack_at_begin_ = 0;  ///< its address in memory
  std::size_t parts_named_ = 0;        ///< opened, or listed to be opened
  Exceeded exceeded_ = Exceeded::Nothing;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace glyphreel::media
