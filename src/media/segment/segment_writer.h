#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "media/encode/writer.h"

namespace glyphreel::media {

/// Where a segment of a recording begins. Times are those of the source, in WriterOptions::time_base.
struct SegmentStart {
  std::optional<std::int64_t> pts_before;  ///< pts of the last frame before the segment; empty: none
  std::int64_t first_pts = 0;              ///< pts of the segment's first frame
  bool operator==(const SegmentStart&) const = default;
};

/// What a complete segment contains.
struct SegmentFacts {
  SegmentStart start;
  std::int64_t frames = 0;
  std::int64_t last_pts = 0;  ///< pts of the segment's last frame, in the time base of SegmentStart
};

/// Opens a writer for one segment of a recording; assemble() joins the segments. The writer uses the same
/// encoder and settings as a Writer for the whole recording, and ignores audio. A segment begins with a
/// keyframe, and its pictures do not refer to other segments. `options.path` is the segment's file, and
/// `options.format` must name the format of the recording. If the segment is abandoned, no file remains.
/// Errors: those of Writer::open().
[[nodiscard]] Result<std::unique_ptr<Writer>> open_segment_writer(const WriterOptions& options,
                                                                  const SegmentStart& start);

}  // namespace glyphreel::media
