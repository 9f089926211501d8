#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cell_frame.h"
#include "base/result.h"
#include "base/threads/background_call.h"
#include "base/threads/queue.h"
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

/// Encodes the frames of one chunk on its own thread, so that several chunks can be encoded at the same time.
/// Thread-safety: one thread at a time.
class CellEncoder {
 public:
  /// All frames have the size `grid`. `chunk_length`: ChunkSeconds in units of the recording's time base.
  /// `glyphs` must stay unchanged, and outlive the encoder.
  CellEncoder(GridSize grid, std::int64_t chunk_length, std::span<const RecordedGlyph> glyphs);
  /// Discards the frames that are not yet encoded.
  ~CellEncoder();
  CellEncoder(const CellEncoder&) = delete;
  CellEncoder& operator=(const CellEncoder&) = delete;

  /// Whether a frame at `pts` can be added to the chunk.
  [[nodiscard]] bool accepts(std::int64_t pts) const;
  /// Copies a frame, to be encoded later; accepts() must be true. `cells`: grid.cells() cells whose glyphs
  /// are in `glyphs`.
  void add(std::span<const RecordedCell> cells, const FrameTimes& times);
  [[nodiscard]] int frames() const { return static_cast<int>(times_.size()); }
  /// Ends the chunk: no frame follows.
  void end() { waiting_.close(); }
  /// After end(): whether finish() returns without waiting.
  [[nodiscard]] bool is_done() const { return is_done_; }
  /// Ends the chunk, which must have at least one frame, and returns its payload. Call it once. Errors:
  /// Failed if the system cannot create a thread or has no memory left.
  [[nodiscard]] Result<std::string> finish();

 private:
  /// Encodes the frames until end(), and returns their bytes. Runs on the encoder's thread.
  [[nodiscard]] std::string encode();

  const GridSize grid_;
  const std::int64_t chunk_length_;
  const std::span<const RecordedGlyph> glyphs_;
  std::vector<FrameTimes> times_;
  BoundedQueue<std::vector<RecordedCell>> waiting_{MaxChunkFrames};
  std::atomic<bool> is_done_ = false;
  BackgroundCall<std::string> call_;  // declared last: its thread uses the members above
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
