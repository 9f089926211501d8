#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/atomic_file.h"
#include "base/frame.h"
#include "base/result.h"
#include "media/source.h"

namespace glyphreel::media {

struct WriterOptions {
  std::string path;   ///< the final name; its ending picks the container: mp4, mkv, mov, webm
  std::string codec;  ///< FFmpeg's encoder name; empty: libx264 (webm: libvpx-vp9)
  std::optional<int> crf;
  std::optional<std::int64_t> bits_per_second;
  int threads = 0;
  Extent size;         ///< pixels of every picture
  Rational time_base;  ///< of the pts given to write_video: the source's
  std::int64_t first_pts =
      0;  ///< in `time_base`: becomes the file's zero, for pictures and sound. 0 keeps all times
  Rational frame_rate;                       ///< a hint for the container; 0/1 unknown
  std::shared_ptr<const AudioStream> audio;  ///< carried where not null
  int sound_rate = 0;      ///< Hz of the stereo sound given to write_sound(); 0: none. Not beside `audio`
  bool overwrite = false;  ///< --force
  InputFiles inputs;       ///< that the output must not replace
};

/// Encodes pictures and carries sound into an AtomicFile: NAME.part.EXT until finish() renames it, which
/// plays up to where it got, even after kill -9. Without a picture in it, it is removed. Thread-safety: one
/// thread at a time.
class Writer {
 public:
  /// The picture format that `options.codec` takes: Yuv420p for lossy codecs, Bgra8 for lossless RGB (ffv1).
  /// Errors: Usage for an unknown codec or container ending, or a codec the container does not take.
  [[nodiscard]] static Result<PictureFormat> picture_format(const WriterOptions& options);

  /// Errors: AtomicFile::create()'s; Usage where the container refuses a codec. A failure leaves no file
  /// behind.
  [[nodiscard]] static Result<std::unique_ptr<Writer>> open(const WriterOptions& options);

  virtual ~Writer() = default;

  /// Encodes one picture. Pictures come in rising pts order. The picture's memory is held until it is
  /// encoded.
  [[nodiscard]] virtual Result<void> write_video(Picture picture, std::int64_t pts,
                                                 std::int64_t duration) = 0;

  /// Copies the packet where the container takes its codec, else decodes and encodes it (AAC, or Opus for
  /// webm). A damaged packet is left out and counted. Errors: Failed where writing fails.
  [[nodiscard]] virtual Result<void> write_audio(const AudioPacket& packet) = 0;

  /// Encodes decoded sound (AAC, or Opus for webm): interleaved stereo that follows what was given before,
  /// the first from time zero. Errors: Failed.
  [[nodiscard]] virtual Result<void> write_sound(std::span<const float> samples) = 0;

  /// Flushes, completes and renames the file.
  [[nodiscard]] virtual Result<void> finish() = 0;

  /// In the place of finish() where recording fails: writes what the encoders hold and completes
  /// NAME.part.EXT, without renaming it. Returns its path, or an empty one where it holds no picture and is
  /// removed.
  [[nodiscard]] virtual std::string abandon() = 0;

  [[nodiscard]] virtual std::string encoder_name() const = 0;  ///< for statistics, for example "libx264"
  [[nodiscard]] virtual bool copies_audio() const = 0;         ///< true where packets pass unchanged
  [[nodiscard]] virtual std::int64_t bytes_written() const = 0;
  /// Sound packets left out because they are damaged; finish() warns of them once.
  [[nodiscard]] virtual std::int64_t damaged_audio_packets() const = 0;
};

}  // namespace glyphreel::media
