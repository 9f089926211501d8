#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/frame.h"
#include "media/source.h"

namespace glyphreel::test {

/// Opens a source, or fails the test.
[[nodiscard]] std::unique_ptr<media::Source> open_source(const media::SourceOptions& options);

/// All frames up to the end; an error fails the test.
[[nodiscard]] std::vector<Frame> read_frames(media::Source& source);

/// The samples of every component in order, each plane by rows, as described by PixelLayout; one or two bytes
/// per sample (native endian), without padding. For Rgb in the order G, B, R, which is FFmpeg's planar order.
[[nodiscard]] std::vector<std::uint8_t> planar_samples(const FrameView& view);

/// Width and height of component `index` in samples.
[[nodiscard]] Extent component_size(const FrameView& view, int index);
/// One sample.
[[nodiscard]] unsigned sample_at(const FrameView& view, int component, int x, int y);

}  // namespace glyphreel::test
