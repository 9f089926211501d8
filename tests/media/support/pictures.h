#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/frame.h"
#include "media/source.h"

namespace glyphreel::test {

/// Opens a source. If it cannot be opened, fails the test and returns null.
[[nodiscard]] std::unique_ptr<media::Source> open_source(const media::SourceOptions& options);

/// Returns all frames up to the end; an error fails the test.
[[nodiscard]] std::vector<Frame> read_frames(media::Source& source);

/// Returns a frame's samples, found as its PixelLayout describes. The result has one plane per component, row
/// by row, without padding. A sample has one byte, or two bytes in little-endian order. RGB components are in
/// FFmpeg's planar order: G, B, R.
[[nodiscard]] std::vector<std::uint8_t> planar_samples(const FrameView& view);

/// Returns the width and height of component `index` in samples.
[[nodiscard]] Extent component_size(const FrameView& view, int index);
/// Returns one sample.
[[nodiscard]] unsigned sample_at(const FrameView& view, int component, int x, int y);

}  // namespace glyphreel::test
