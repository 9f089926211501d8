#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/segment/segment_writer.h"
#include "media/source.h"

namespace glyphreel::media {

/// Returns what the segment contains. Errors: Failed if the file cannot be read, is damaged, or was cut
/// short.
[[nodiscard]] Result<SegmentFacts> read_segment_facts(const std::string& path);

/// Returns the index of the first segment that does not continue the segment before it; segments.size() if
/// there is none. The first segment counts as continuous if it begins at the recording's first frame.
/// Segments without frames are skipped. `segments` must not be empty.
[[nodiscard]] std::size_t first_discontinuity(const std::vector<SegmentFacts>& segments);

struct AssemblyOptions {
  /// Options for writing the recording. If `sound` is not null, `writer.audio` and `writer.copied` must be
  /// sound->audio() and sound->copied().
  WriterOptions writer;
  std::vector<std::string> segments;  ///< the segments' files, in order
  Source* sound = nullptr;            ///< opened with SourceOptions::discards_video; null: no sound
  std::function<void(std::int64_t frames)> on_progress = {};  ///< receives the number of pictures written
};

/// Joins the segments of a recording. Copies their encoded pictures, and copies or encodes the sound in one
/// pass, so that timestamps and sound are continuous across segments. Returns the number of pictures. Blocks
/// until done. Errors: Failed if a segment is damaged, was encoded by a different encoder than the first, or
/// does not continue its predecessor; Interrupted; those of Writer. After an error, no output file remains,
/// and the segments can be assembled again.
[[nodiscard]] Result<std::int64_t> assemble(const AssemblyOptions& options);

}  // namespace glyphreel::media
