#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "media/cells/cells_file.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {

/// Demuxes the Ogg Opus file that the sound chunks of a .cells file form.
/// Thread-safety: one thread at a time.
class SoundReader {
 public:
  /// `file` must outlive the reader. Errors: BadInput if the sound is damaged.
  [[nodiscard]] static Result<std::unique_ptr<SoundReader>> open(const CellsFile& file);
  ~SoundReader();
  SoundReader(const SoundReader&) = delete;
  SoundReader& operator=(const SoundReader&) = delete;

  [[nodiscard]] std::shared_ptr<const AudioStream> stream() const { return stream_; }
  /// Returns the next packet; null at the end.
  [[nodiscard]] std::shared_ptr<const AudioPacket> read(std::uint32_t epoch);
  /// Returns the time of the next packet in seconds; infinity at the end.
  [[nodiscard]] double next_seconds();
  /// Seeks: the next packet is the one that is played at this time.
  void seek(double seconds);

 private:
  explicit SoundReader(const CellsFile& file) : file_(file) {}
  void fetch();
  static int read_bytes(void* opaque, std::uint8_t* buffer, int size);
  static std::int64_t seek_bytes(void* opaque, std::int64_t offset, int whence);

  const CellsFile& file_;
  std::vector<std::int64_t> starts_;  ///< offset of each chunk in the Ogg file, then the file's size
  std::int64_t position_ = 0;
  std::size_t cached_ = SIZE_MAX;  ///< number of the chunk in `cache_`
  std::string cache_;
  AVFormatContext* format_ = nullptr;
  std::shared_ptr<const AudioStream> stream_;
  PacketPtr next_;
  bool has_ended_ = false;
};

}  // namespace glyphreel::media
