#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/cell_frame.h"
#include "base/result.h"
#include "media/cells/cell_codec.h"
#include "media/cells/cells_format.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

class OggOpusWriter;

struct CellsMuxerOptions {
  CellsHeader header;
  std::vector<RecordedGlyph> glyphs;
  std::string masks;                         ///< pixels of the glyphs, see text::GlyphSet::masks()
  double origin_seconds = 0;                 ///< the source's time that becomes time 0 of the file
  std::shared_ptr<const AudioStream> audio;  ///< null: no sound
  /// Number of chunks that are encoded at the same time, at most MaxChunksAtOnce. 0: one per hardware thread.
  int chunks_at_once = 0;
};

/// Limits the memory of a recording: the cells of a chunk take up to 25 MB.
inline constexpr int MaxChunksAtOnce = 4;

/// Turns frames and audio into the bytes of a .cells file. After an error, passes nothing more to the output.
/// Thread-safety: one thread at a time.
class CellsMuxer {
 public:
  /// Receives the bytes in order: the signature, then one chunk per call.
  using Output = std::function<Result<void>(std::string_view bytes)>;

  /// Writes the chunks that precede the first frame. Errors: those of `output`; Failed if the audio cannot be
  /// transcoded.
  [[nodiscard]] static Result<std::unique_ptr<CellsMuxer>> open(CellsMuxerOptions options, Output output);
  ~CellsMuxer();

  /// Adds glyphs, such as those of subtitles, and returns the first one's number. `masks`: their pixels.
  /// Errors: those of the output.
  [[nodiscard]] Result<std::uint32_t> add_glyphs(std::span<const RecordedGlyph> glyphs,
                                                 std::string_view masks);
  [[nodiscard]] const std::vector<RecordedGlyph>& glyphs() const { return glyphs_; }
  /// Adds a frame. `times.pts` counts from origin_seconds. Errors: those of the output.
  [[nodiscard]] Result<void> write(std::span<const RecordedCell> cells, const FrameTimes& times);
  /// Adds the packet to the sound of the next chunk. Does nothing if the recording has no sound.
  [[nodiscard]] Result<void> write_audio(const AudioPacket& packet);
  /// Writes the remaining frames and sound, then the index.
  [[nodiscard]] Result<void> finish();
  /// Returns the number of frames in chunks that were passed to the output.
  [[nodiscard]] std::int64_t frames_written() const { return frames_written_; }

 private:
  CellsMuxer(CellsMuxerOptions options, Output output);
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> write_glyphs(std::size_t first, std::string_view masks);
  [[nodiscard]] Result<void> write_chunk(std::string_view type, std::string_view payload);
  /// What a call of end_chunk() leaves to write: a chunk of sound, then a chunk of frames.
  struct Ended {
    std::string sound;                     ///< empty: none
    std::unique_ptr<CellEncoder> encoder;  ///< null: no frames
  };
  /// Ends the current chunk of frames, and the sound that belongs to it.
  void end_chunk();
  /// Writes what has ended and is encoded, and waits until at most `most` chunks are left.
  [[nodiscard]] Result<void> write_ended(std::size_t most);
  [[nodiscard]] Result<void> write(Ended ended);

  const CellsMuxerOptions options_;
  const Output output_;
  std::vector<RecordedGlyph> glyphs_;
  std::unique_ptr<CellEncoder> encoder_;  ///< of the current chunk; null if it has no frames
  std::deque<Ended> ended_;               ///< in the order of the file
  std::optional<Error> failure_;          ///< the first error
  std::unique_ptr<OggOpusWriter> sound_;
  std::vector<ChunkPlace> places_;
  std::uint64_t offset_ = 0;
  std::int64_t last_pts_ = 0;
  std::int64_t frames_written_ = 0;
};

}  // namespace glyphreel::media
