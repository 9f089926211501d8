#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cell_frame.h"
#include "base/result.h"
#include "media/cells/bit_coder.h"

namespace glyphreel::media {

// The lossless codec of .cells files; docs/cells-format.md describes it. Frames are coded in chunks that can
// be decoded independently. Each value is predicted from the cells around it and from the previous frame. An
// arithmetic coder then codes the residuals.

/// Times of a frame, in units of the recording's time base.
struct FrameTimes {
  std::int64_t pts = 0;
  std::uint32_t duration = 0;  ///< 0: unknown
  bool operator==(const FrameTimes&) const = default;
};

inline constexpr int MaxGlyphs = 1 << 20;  ///< glyphs in one recording
inline constexpr int MaxChunkFrames = 1024;
inline constexpr std::int64_t MaxChunkCells = 1 << 24;  ///< cells of all frames in one chunk

/// A chunk ends after this time if it has MinChunkFrames or more frames.
inline constexpr double ChunkSeconds = 2;
inline constexpr int MinChunkFrames = 48;  ///< a chunk with fewer frames may last longer than ChunkSeconds

/// Returns the maximum number of frames in a chunk. It is MaxChunkFrames for small grids. For large grids, it
/// is lower, to limit the memory that decoders need.
[[nodiscard]] int max_chunk_frames(GridSize grid);

class CellModel;

/// Encodes frames into chunks, one chunk at a time.
/// Thread-safety: one thread at a time.
class CellEncoder {
 public:
  /// All frames have the size `grid`. `chunk_length`: ChunkSeconds in units of the recording's time base.
  /// `glyphs` may grow between chunks, and must outlive the encoder.
  CellEncoder(GridSize grid, std::int64_t chunk_length, const std::vector<RecordedGlyph>& glyphs);
  ~CellEncoder();

  /// Whether a frame at `pts` can be added to the current chunk.
  [[nodiscard]] bool accepts(std::int64_t pts) const;
  /// Encodes a frame; accepts() must be true. `cells`: grid.cells() cells whose glyphs are in `glyphs`.
  void add(std::span<const RecordedCell> cells, const FrameTimes& times);
  [[nodiscard]] int frames() const { return static_cast<int>(times_.size()); }
  /// Ends the current chunk, which must have at least one frame, and returns its payload. The next add()
  /// begins a new chunk.
  [[nodiscard]] std::string finish();

 private:
  const GridSize grid_;
  const std::int64_t chunk_length_;
  const std::vector<RecordedGlyph>& glyphs_;
  std::unique_ptr<CellModel> model_;
  BitEncoder coder_;
  std::vector<FrameTimes> times_;
};

/// Decodes the frames of one chunk.
/// Thread-safety: one thread at a time.
class CellDecoder {
 public:
  /// Inflates a chunk's payload. `glyphs` must outlive the decoder. Errors: BadInput if the payload is
  /// damaged.
  [[nodiscard]] static Result<std::unique_ptr<CellDecoder>> open(GridSize grid,
                                                                 const std::vector<RecordedGlyph>& glyphs,
                                                                 std::string_view payload);
  ~CellDecoder();

  [[nodiscard]] const std::vector<FrameTimes>& times() const { return times_; }
  /// Returns the index of the frame that read() decodes next.
  [[nodiscard]] int next() const { return next_; }
  /// Decodes the next frame into `cells`, which has grid.cells() cells. Call only if next() is less than the
  /// number of times(). Errors: BadInput if the chunk is damaged.
  [[nodiscard]] Result<void> read(std::span<RecordedCell> cells);

 private:
  CellDecoder(GridSize grid, const std::vector<RecordedGlyph>& glyphs);

  const GridSize grid_;
  const std::vector<RecordedGlyph>& glyphs_;
  std::unique_ptr<CellModel> model_;
  std::string inflated_;
  BitDecoder coder_;  ///< reads `inflated_`
  std::vector<FrameTimes> times_;
  int next_ = 0;
};

/// Appends `bytes` to `payload`, compressed with Deflate. `level`: the compression level, from 1 (fastest) to
/// 12 (smallest result).
void append_deflated(std::string& payload, std::string_view bytes, int level);

/// The start of a chunk's payload: the time of its first frame, and its number of frames.
struct ChunkTimes {
  std::int64_t first_pts = 0;
  std::uint32_t frames = 0;
};
/// Reads a payload's ChunkTimes. Errors: BadInput if the payload is too short, or if its number of frames is
/// not valid.
[[nodiscard]] Result<ChunkTimes> chunk_times(std::string_view payload);

}  // namespace glyphreel::media
