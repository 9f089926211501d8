#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Whether the opened input is an HLS or DASH playlist, whose demuxer opens each segment separately.
[[nodiscard]] bool is_manifest(const AVFormatContext& format);

/// Limits how many files are opened and how many bytes of playlists are read while an input is opened. Each
/// opened file is called a part.
/// If a playlist contains its own address, FFmpeg's HLS demuxer reopens it endlessly, and FFmpeg's concat
/// demuxer opens it recursively. Both demuxers, like FFmpeg's other text demuxers, keep the whole playlist in
/// memory, however long it is.
/// Thread-safety: one thread at a time.
class OpeningLimits {
 public:
  static constexpr std::size_t MaxParts = 1000;
  static constexpr std::int64_t MaxListBytes = 4 << 20;
  static constexpr std::size_t MaxStackBytes = 512 << 10;
  enum class Exceeded { Nothing, Parts, ListBytes, Nesting };

  /// Starts counting opened files and bytes of playlists; end() stops counting.
  void begin();
  void end() { is_active_ = false; }
  /// Call before closing `io`, which open() opened. While FFmpeg closes the connection, it still calls the
  /// interrupt callback but has already freed `io`. After forget(), the callback no longer accesses `io`.
  void forget(const AVIOContext* io);
  /// Call after all contexts that open() opened are closed.
  void forget_parts() { parts_.clear(); }
  [[nodiscard]] Exceeded exceeded() const { return exceeded_; }
  /// Whether reading may continue; the interrupt callback calls this. Returns false if a limit is exceeded.
  /// Also returns false on the thread that called begin() if that thread has since used more than
  /// MaxStackBytes of stack, which means that lists are nested too deeply.
  [[nodiscard]] bool may_continue();

  /// Returns the result of `open_part`, which opens `*io` with the default io_open of `format`. Returns
  /// AVERROR_EXIT instead if more than MaxParts parts would be opened. Later, each read from `*io` fails with
  /// AVERROR_EXIT if `format.interrupt_callback` requests a stop, or if `*io` is a list that exceeds
  /// MaxListBytes or makes the number of parts exceed MaxParts.
  [[nodiscard]] int open(AVFormatContext& format, AVIOContext** io, const std::function<int()>& open_part);
  /// Records that `text` was read from an input. `total_bytes`: all bytes read from that input so far.
  /// Returns false if a limit is exceeded.
  [[nodiscard]] bool may_read_on(const AVFormatContext& format, std::string_view text,
                                 std::int64_t total_bytes);

 private:
  struct Part {
    OpeningLimits* limits = nullptr;
    AVFormatContext* format = nullptr;
    AVIOInterruptCB whole{};  ///< the interrupt callback of `format` before open()
    AVIOContext* io = nullptr;
    bool is_nested_list = false;
    std::int64_t counted = 0;  ///< avio_tell(io) when the bytes read from `io` were last counted
  };
  static int is_interrupted(void* opaque);
  [[nodiscard]] bool may_open(std::size_t parts);

  bool is_active_ = false;
  std::thread::id thread_;             ///< the thread that called begin()
  std::uintptr_t stack_at_begin_ = 0;  ///< stack address in begin()
  std::size_t parts_named_ = 0;        ///< number of parts opened, plus those named in manifests
  Exceeded exceeded_ = Exceeded::Nothing;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace glyphreel::media
