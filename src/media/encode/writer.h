#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/io/atomic_file.h"
#include "base/frame.h"
#include "base/result.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

struct WriterOptions {
  std::string path;   ///< the final name; its ending selects the format (base/export_formats.h)
  std::string codec;  ///< FFmpeg's encoder name; empty: the format's default
  std::optional<int> crf;
  std::optional<std::int64_t> bits_per_second;
  int threads = 0;
  Extent size;         ///< pixels of every picture
  Rational time_base;  ///< of the pts passed to write_video(): the source's
  std::int64_t first_pts =
      0;  ///< in `time_base`; becomes time zero of the file, for pictures and sound. 0 keeps all times
  Rational frame_rate;                       ///< a hint for the container; 0/1 unknown
  std::shared_ptr<const AudioStream> audio;  ///< recorded if not null
  int sound_rate = 0;      ///< Hz of the stereo sound for write_sound(); 0: none. Excludes `audio`
  bool overwrite = false;  ///< --force
  InputFiles inputs;       ///< that the output must not replace

  [[nodiscard]] AtomicFile::Options file(
      AtomicFile::Temporary temporary = AtomicFile::Temporary::Part) const {
    return {.path = path,
            .existing = overwrite ? AtomicFile::Existing::Replace : AtomicFile::Existing::Refuse,
            .temporary = temporary,
            .inputs = inputs};
  }
};

/// Encodes pictures and writes sound to an AtomicFile, named NAME.part.EXT until finish() renames it. The
/// partial file is playable up to where it got, even after kill -9. It is removed if it has no picture.
/// Thread-safety: one thread at a time.
class Writer {
 public:
  /// Returns the input format of `options.codec`: Yuv420p for lossy codecs, Bgra8 for lossless RGB (ffv1).
  /// Errors: Usage for an unknown codec or file extension, or a codec that the container does not support.
  [[nodiscard]] static Result<PictureFormat> picture_format(const WriterOptions& options);

  /// Returns the smallest size that can be encoded and holds pictures of `size`: even for Yuv420p.
  [[nodiscard]] static Extent picture_size(PictureFormat format, Extent size);

  /// Errors: those of AtomicFile::create(); Usage if the container rejects a codec. A failure leaves no
  /// file behind.
  [[nodiscard]] static Result<std::unique_ptr<Writer>> open(const WriterOptions& options);

  virtual ~Writer() = default;

  /// Encodes one picture. Pictures must come in increasing pts order. The picture's memory is held until it
  /// is encoded.
  [[nodiscard]] virtual Result<void> write_video(Picture picture, std::int64_t pts,
                                                 std::int64_t duration) = 0;

  /// Copies the packet if the container supports its codec, else transcodes it (AAC, or Opus for webm). A
  /// damaged packet is dropped and counted. Errors: Failed if writing fails.
  [[nodiscard]] virtual Result<void> write_audio(const AudioPacket& packet) = 0;

  /// Encodes decoded sound (AAC, or Opus for webm): interleaved stereo that follows the samples of the
  /// previous call; the first samples start at time zero. Errors: Failed.
  [[nodiscard]] virtual Result<void> write_sound(std::span<const float> samples) = 0;

  /// Flushes, completes and renames the file.
  [[nodiscard]] virtual Result<void> finish() = 0;

  /// Call instead of finish() if recording fails: writes what the encoders hold and completes NAME.part.EXT
  /// without renaming it. Returns its path, or an empty one if it holds no picture and is removed.
  [[nodiscard]] virtual std::string abandon() = 0;

  [[nodiscard]] virtual std::string encoder_name() const = 0;  ///< for statistics, for example "libx264"
  [[nodiscard]] virtual bool copies_audio() const = 0;         ///< whether packets pass unchanged
  /// The number of sound packets dropped because they were damaged; finish() warns about them once.
  [[nodiscard]] virtual std::int64_t damaged_audio_packets() const = 0;
};

}  // namespace glyphreel::media
