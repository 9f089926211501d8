#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/cell_frame.h"
#include "base/io/file_descriptor.h"
#include "base/result.h"
#include "media/cells/cells_format.h"

namespace glyphreel::media {

/// Reads the chunks of a .cells file. If the index is damaged, or missing because the recording was cut
/// short, finds the complete chunks by reading the whole file once. Thread-safety: read() may be called on
/// any thread; the rest is immutable.
class CellsFile {
 public:
  /// Whether a file is a regular file with the signature of the format.
  [[nodiscard]] static bool is_cells_file(const std::string& path);
  /// Errors: BadInput if the file cannot be read, is damaged, or contains no frames.
  [[nodiscard]] static Result<std::unique_ptr<CellsFile>> open(const std::string& path);

  [[nodiscard]] const CellsHeader& header() const { return header_; }
  [[nodiscard]] const std::shared_ptr<const RecordedGlyphs>& glyphs() const { return glyphs_; }
  /// Returns the chunks of frames, in order of time; there is at least one.
  [[nodiscard]] const std::vector<ChunkPlace>& frame_chunks() const { return frame_chunks_; }
  [[nodiscard]] const std::vector<ChunkPlace>& sound_chunks() const { return sound_chunks_; }
  [[nodiscard]] std::int64_t frame_count() const;
  /// Whether the file has a valid index, which is written when the recording is finished.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

  /// Returns the payload of a chunk. Errors: BadInput if the chunk is damaged.
  [[nodiscard]] Result<std::string> read(const ChunkPlace& place) const;

 private:
  explicit CellsFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] Result<std::string> read_bytes(std::uint64_t offset, std::size_t size) const;
  [[nodiscard]] Result<std::vector<ChunkPlace>> read_index() const;
  [[nodiscard]] std::vector<ChunkPlace> scan() const;
  [[nodiscard]] Result<void> use(const std::vector<ChunkPlace>& places);

  const std::string path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  CellsHeader header_;
  std::shared_ptr<const RecordedGlyphs> glyphs_;
  std::vector<ChunkPlace> frame_chunks_, sound_chunks_;
  bool is_complete_ = false;
};

}  // namespace glyphreel::media
