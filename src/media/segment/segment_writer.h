#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "media/encode/writer.h"

namespace glyphreel::media {

/// Where a segment of a recording begins. Times are those of the source, in WriterOptions::time_base.
struct SegmentStart {
  std::optional<std::int64_t> pts_before;  ///< of the last frame before the segment; empty: there is none
  std::int64_t first_pts = 0;              ///< of the segment's first frame
  bool operator==(const SegmentStart&) const = default;
};

/// What a complete segment contains.
struct SegmentFacts {
  SegmentStart start;
  std::int64_t frames = 0;
  std::int64_t last_pts = 0;  ///< of the segment's last frame, in the time base of SegmentStart
};

/// Opens a writer for a segment of a recording, which assemble() joins to the others. It encodes pictures as
/// the Writer of the recording would, and writes no audio. A segment begins with a keyframe and refers to no
/// picture of another segment. `options.path` is the segment's file, and `options.format` must name the
/// format of the recording. If the segment is abandoned, no file remains. Errors: those of Writer::open().
[[nodiscard]] Result<std::unique_ptr<Writer>> open_segment_writer(const WriterOptions& options,
                                                                  const SegmentStart& start);

}  // namespace glyphreel::media
