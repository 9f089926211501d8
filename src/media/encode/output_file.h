#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/io/atomic_file.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/input/copied_content.h"

namespace glyphreel::media {

/// Muxes streams into one file, and flushes its I/O buffer after each packet.
/// Thread-safety: one thread at a time.
class OutputFile {
 public:
  /// Muxes into `file`, which must outlive this object. `path` is the file's name in messages. Errors:
  /// Failed if this FFmpeg lacks the muxer.
  [[nodiscard]] static Result<std::unique_ptr<OutputFile>> create(AtomicFile& file, const std::string& path,
                                                                  const char* muxer);
  /// If finish() was not called, writes the trailer if possible, so that the packets written so far are
  /// playable.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Adds a stream and returns its index. Call before start(). `time_base` is a hint: the container may not
  /// support it.
  int add_stream(const AVCodecParameters& parameters, AVRational time_base);
  /// Copies metadata and chapters. For Matroska, also copies attachments, and adds covers as attachments.
  /// Call before start(). Chapter times are reduced by `origin_seconds`. `video_stream`: index of the stream
  /// that gets the video track's metadata; -1: none.
  void copy_content(const CopiedContent& content, int video_stream = -1, double origin_seconds = 0);
  /// Whether packets can be written; false after finish().
  [[nodiscard]] bool is_open() const { return format_->pb != nullptr; }
  /// Returns a stream. Set its attributes before start(); read its actual time base after start().
  [[nodiscard]] AVStream& stream(int index) { return *format_->streams[index]; }
  [[nodiscard]] CodecHeaders codec_headers() const {
    return (format_->oformat->flags & AVFMT_GLOBALHEADER) != 0 ? CodecHeaders::InContainer
                                                               : CodecHeaders::InPackets;
  }

  /// Writes the header. Errors: Usage if the container does not support the streams; Failed for other
  /// reasons.
  [[nodiscard]] Result<void> start(Options& options);

  /// Writes a packet with timestamps in `time_base`. Packets of one stream must arrive in decoding order. A
  /// packet that the muxer rejects as damaged is dropped and counted. Errors: Failed.
  [[nodiscard]] Result<void> write(PacketPtr packet, int stream, AVRational time_base);

  /// Writes buffered packets and the trailer. No packets can be written afterward. Errors: Failed.
  [[nodiscard]] Result<void> finish();

  [[nodiscard]] std::int64_t packets_written() const { return packets_written_; }
  /// Returns the number of packets that the muxer rejected as damaged.
  [[nodiscard]] std::int64_t packets_refused() const { return packets_refused_; }

 private:
  OutputFile(AtomicFile& file, std::string path) : file_(file), path_(std::move(path)) {}
  void close_io();
  void add_attachment(const AVCodecParameters& parameters, const AVDictionary* metadata);
  void add_cover_attachment(const CopiedContent::Cover& cover);
  void name_handlers();
  static int write_bytes(void* opaque, WrittenByte* bytes, int size);
  static std::int64_t seek_bytes(void* opaque, std::int64_t offset, int whence);
  [[nodiscard]] Error failure(int averror) const;
  [[nodiscard]] std::string codec_names() const;
  [[nodiscard]] bool is_refusal(int averror) const;

  AtomicFile& file_;
  std::string path_;
  AVFormatContext* format_ = nullptr;
  bool is_started_ = false;
  /// AVERROR of the first failure. Later calls report it again, and no trailer is written.
  std::optional<int> first_failure_;
  std::int64_t packets_written_ = 0;
  std::int64_t packets_refused_ = 0;
};

}  // namespace glyphreel::media
