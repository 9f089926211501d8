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
/// there is none. The first segment must begin at the recording's first frame. Segments without frames are
/// skipped. `segments` must not be empty.
[[nodiscard]] std::size_t first_discontinuity(const std::vector<SegmentFacts>& segments);

struct AssemblyOptions {
  WriterOptions writer;               ///< of the recording; `audio` and `copied` are those of `sound`
  std::vector<std::string> segments;  ///< files, in order
  Source* sound = nullptr;            ///< opened with SourceOptions::discards_video; null: no sound
  std::function<void(std::int64_t frames)> on_progress = {};  ///< receives the number of pictures written
};

/// Joins the segments of a recording: copies their pictures, and copies or encodes the sound once, so that
/// neither times nor sound have a seam. Returns the number of pictures. Blocks until done. Errors: Failed if
/// a segment is damaged, was encoded by another encoder, or does not continue its predecessor; Interrupted;
/// those of Writer. After an error, no file remains, so that the segments can be assembled again.
[[nodiscard]] Result<std::int64_t> assemble(const AssemblyOptions& options);

}  // namespace glyphreel::media
