#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "commands/segments/reset_finder.h"
#include "commands/segments/segment_plan.h"
#include "media/segment/segment_writer.h"
#include "media/source.h"

namespace glyphreel::commands {

/// A Source that reads one segment's frames from a given Source.
/// Thread-safety: that of Source.
class SegmentSource : public media::Source {
 public:
  /// Reads `source`, which must be able to seek, up to the segment's first frame. Blocks until it is found.
  /// If the segment begins within a scene, read() first returns the scene's earlier frames, which must be
  /// rendered but not recorded: see start(). Errors: Interrupted; those of Source::read() and seek().
  [[nodiscard]] static Result<std::unique_ptr<SegmentSource>> open(std::unique_ptr<media::Source> source,
                                                                   std::unique_ptr<ResetFinder> finder,
                                                                   const SegmentBounds& bounds);

  /// Returns where the segment begins; frames with an earlier pts must not be recorded. Empty: the segment
  /// has no frames.
  [[nodiscard]] virtual const std::optional<media::SegmentStart>& start() const = 0;
};

}  // namespace glyphreel::commands
