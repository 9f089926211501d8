#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/frame.h"
#include "base/io/atomic_file.h"
#include "base/result.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

struct WriterOptions {
  std::string path;    ///< path of the finished file
  std::string format;  ///< a format name of base/export_formats.h; empty: chosen by the path's extension
  std::string codec;   ///< FFmpeg's name of an encoder or a codec; empty: the format's default
  std::string pixel_format;  ///< FFmpeg's name; empty: see find_video_encoder()
  std::optional<int> crf;
  std::string preset = {};  ///< the encoder's preset; empty: the preset in its EncoderProfile
  std::optional<std::int64_t> bits_per_second;
  int threads = 0;
  GridSize grid;                  ///< cells per frame; used only for .cells
  std::string font;               ///< name or file of the font; used only for .cells
  bool separate_payload = false;  ///< whether to write several files for .html and .cast (--embed)
  Extent size;                    ///< size of every picture in pixels
  Rational time_base;             ///< time base of the source and of the times passed to write_video()
  /// The source time that becomes zero in the file, in `time_base`. 0: times are unchanged.
  std::int64_t first_pts = 0;
  Rational frame_rate;                               ///< a hint for the container; 0/1: unknown
  std::shared_ptr<const AudioStream> audio;          ///< recorded if not null
  std::shared_ptr<const CopiedContent> copied = {};  ///< if not null, recorded as far as the container allows
  bool transcodes_audio = false;  ///< whether to transcode `audio` even if it could be copied
  int sample_rate = 0;            ///< in Hz, for write_samples(); 0: no samples. If > 0, `audio` must be null
  bool overwrite = false;         ///< whether to replace an existing file (--force)
  InputFiles inputs;              ///< files that the output must not replace

  [[nodiscard]] AtomicFile::Options file(
      AtomicFile::Temporary temporary = AtomicFile::Temporary::Part) const {
    return {.path = path,
            .existing = overwrite ? AtomicFile::Existing::Replace : AtomicFile::Existing::Refuse,
            .temporary = temporary,
            .inputs = inputs};
  }
};

/// A picture that a segment writer (media/segment/segment_writer.h) has already encoded. Defined in
/// media/encode/encoded_picture.h.
struct EncodedPicture;

/// Encodes pictures and audio into an AtomicFile, named NAME.part.EXT until finish() renames the file. This
/// partial file can be played even after kill -9. A partial file without pictures is removed.
/// Thread-safety: one thread at a time.
class Writer {
 public:
  /// Returns the format of the pictures to write: Yuv420p if they are encoded as yuv420p (the default of most
  /// lossy codecs) or as nv12, otherwise Bgra8. Errors: Usage for an unknown codec, pixel format or file
  /// extension, or a codec that the container does not support.
  [[nodiscard]] static Result<PictureFormat> picture_format(const WriterOptions& options);

  /// Returns the smallest encodable size that is not smaller than `options.size`: if the pixel format halves
  /// the resolution of colors, odd dimensions are rounded up to even. Errors: those of picture_format().
  [[nodiscard]] static Result<Extent> picture_size(const WriterOptions& options);

  /// Creates the file and opens the encoders. Errors: those of AtomicFile::create(); Usage if the container
  /// rejects a codec. After an error, no file remains.
  [[nodiscard]] static Result<std::unique_ptr<Writer>> open(const WriterOptions& options);

  virtual ~Writer() = default;

  /// Encodes one picture. `pts` must not decrease between calls. The encoder keeps the picture's memory
  /// until the picture is encoded.
  [[nodiscard]] virtual Result<void> write_video(Picture picture, std::int64_t pts,
                                                 std::int64_t duration) = 0;

  /// Writes a picture that is already encoded. Used instead of write_video(). Errors: Failed.
  [[nodiscard]] virtual Result<void> write_packet(EncodedPicture picture) = 0;

  /// Writes a packet of `options.audio`, or of a track of `options.copied`. Copies the packet if the
  /// container supports its codec; otherwise transcodes it: audio to AAC (Opus for webm), subtitles to the
  /// container's text format. A damaged packet is dropped and counted. Errors: Failed if writing fails.
  [[nodiscard]] virtual Result<void> write_audio(const AudioPacket& packet) = 0;

  /// Encodes samples to AAC (Opus for webm). `samples` are interleaved stereo. The samples of each call
  /// directly follow those of the previous call; the first sample is at time zero. Errors: Failed.
  [[nodiscard]] virtual Result<void> write_samples(std::span<const float> samples) = 0;

  /// Flushes, completes and renames the file.
  [[nodiscard]] virtual Result<void> finish() = 0;

  /// Call instead of finish() if recording fails: writes the packets that the encoders still contain and
  /// completes NAME.part.EXT without renaming it. Returns its path, or an empty path if the file contains no
  /// picture and was removed.
  [[nodiscard]] virtual std::string abandon() = 0;

  [[nodiscard]] virtual std::string encoder_name() const = 0;  ///< for statistics, for example "libx264"
  /// See VideoEncoder::bytes_copied().
  [[nodiscard]] virtual std::uint64_t bytes_copied() const = 0;
  [[nodiscard]] virtual bool copies_audio() const = 0;  ///< whether audio packets are copied unchanged
  /// Returns the number of packets of sound and subtitles dropped because they were damaged; finish() warns
  /// about them once.
  [[nodiscard]] virtual std::int64_t damaged_packets() const = 0;
};

}  // namespace glyphreel::media
