#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "media/containers.h"
#include "media/ffmpeg.h"

namespace glyphreel::media {

/// One file that is being multiplexed, flushed as it grows.
/// Thread-safety: one thread at a time.
class OutputFile {
 public:
  /// Multiplexes into `file`, which outlives this object. `path`: what messages call it. Errors: Failed where
  /// this FFmpeg lacks the muxer.
  [[nodiscard]] static Result<std::unique_ptr<OutputFile>> create(AtomicFile& file, const std::string& path,
                                                                  const char* muxer);
  /// Closes the file with its trailer if it can, so that what is in it plays.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Before start(). `time_base` is a wish, which the container meets where it can. Returns the stream's
  /// index.
  int add_stream(const AVCodecParameters& parameters, AVRational time_base);
  /// False after finish().
  [[nodiscard]] bool is_open() const { return format_->pb != nullptr; }
  /// For attributes that are set before start(), and the time base that is in force after it.
  [[nodiscard]] AVStream& stream(int index) { return *format_->streams[index]; }
  [[nodiscard]] bool has_global_header() const { return (format_->oformat->flags & AVFMT_GLOBALHEADER) != 0; }

  /// Writes the header. Errors: Usage where the container does not take the streams; else Failed.
  [[nodiscard]] Result<void> start(Options& options);

  /// Takes the packet, with timestamps in `time_base`. Packets of one stream come in decoding order. A packet
  /// that the muxer finds damaged is left out and counted. Errors: Failed.
  [[nodiscard]] Result<void> write(PacketPtr packet, int stream, AVRational time_base);

  /// Writes what is buffered and the trailer, and closes.
  [[nodiscard]] Result<void> finish();

  [[nodiscard]] std::int64_t bytes_written() const;
  [[nodiscard]] std::int64_t packets_written() const { return packets_written_; }
  /// Packets that the muxer found damaged.
  [[nodiscard]] std::int64_t packets_refused() const { return packets_refused_; }

 private:
  OutputFile(AtomicFile& file, std::string path) : file_(file), path_(std::move(path)) {}
  [[nodiscard]] Result<void> open(const char* muxer);
  void close_io();
  static int write_bytes(void* opaque, WrittenByte* bytes, int size);
  static std::int64_t seek_bytes(void* opaque, std::int64_t offset, int whence);
  [[nodiscard]] Error failure(int averror) const;
  [[nodiscard]] std::string codec_names() const;
  [[nodiscard]] bool is_refusal(int averror) const;

  AtomicFile& file_;
  std::string path_;
  AVFormatContext* format_ = nullptr;
  bool is_started_ = false;
  std::optional<int> first_failure_;  ///< later errors follow from it, and no trailer is tried
  std::int64_t packets_written_ = 0;
  std::int64_t packets_refused_ = 0;
  std::int64_t final_size_ = 0;
};

}  // namespace glyphreel::media
