#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Whether the opened input is a list of parts that its demuxer opens one by one.
[[nodiscard]] bool is_manifest(const AVFormatContext& format);

/// Limits what opening an input may open and read. FFmpeg's HLS demuxer follows a playlist that names
/// itself without end, its concat demuxer does so recursively, and like other text demuxers they keep the
/// whole list in memory, however long. Thread-safety: one thread at a time.
class OpeningLimits {
 public:
  static constexpr std::size_t MaxParts = 1000;
  static constexpr std::int64_t MaxListBytes = 4 << 20;
  static constexpr std::size_t MaxStackBytes = 512 << 10;
  enum class Exceeded { Nothing, Parts, ListBytes, Nesting };

  /// Starts to count what is opened and read, until end().
  void begin();
  void end() { is_active_ = false; }
  /// Call before a context that open() opened is closed: protocols call the interrupt callback while they
  /// close, when the context is already freed.
  void forget(const AVIOContext* io);
  /// Call after all of them are closed.
  void forget_parts() { parts_.clear(); }
  [[nodiscard]] Exceeded exceeded() const { return exceeded_; }
  /// For the interrupt callback of what is opened. False if a limit is exceeded, or if the calling thread
  /// is the one that called begin() and has used MaxStackBytes since then, because of nested lists.
  [[nodiscard]] bool may_continue();

  /// Calls `open_part`, which opens `*io` with the default io_open of `format`. Returns AVERROR_EXIT beyond
  /// MaxParts. Reading a list returns AVERROR_EXIT beyond MaxListBytes or MaxParts, and once
  /// `format.interrupt_callback` asks to stop.
  [[nodiscard]] int open(AVFormatContext& format, AVIOContext** io, const std::function<int()>& open_part);
  /// Records that `text` was read from an input, `total_bytes` so far. False if that exceeds a limit.
  [[nodiscard]] bool may_read_on(const AVFormatContext& format, std::string_view text,
                                 std::int64_t total_bytes);

 private:
  struct Part {
    OpeningLimits* limits = nullptr;
    AVFormatContext* format = nullptr;
    AVIOInterruptCB whole{};  ///< the format's own callback
    AVIOContext* io = nullptr;
    bool is_nested_list = false;
    std::int64_t counted = 0;  ///< bytes counted so far
  };
  static int is_interrupted(void* opaque);
  [[nodiscard]] bool may_open(std::size_t parts);

  bool is_active_ = false;
  std::thread::id thread_;             ///< the one that called begin()
  std::uintptr_t stack_at_begin_ = 0;  ///< stack address in begin()
  std::size_t parts_named_ = 0;        ///< opened, or listed to be opened
  Exceeded exceeded_ = Exceeded::Nothing;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace glyphreel::media
