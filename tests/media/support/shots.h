#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clips.h"
#include "media/source.h"

namespace glyphreel::test {

/// A frame's timestamp and pixels in host memory.
struct Shot {
  std::int64_t pts = 0, duration = 0;
  std::vector<std::uint8_t> samples;
  bool operator==(const Shot&) const = default;
};
/// Fails the test if the pixels are unavailable.
[[nodiscard]] Shot shot_of(const Frame& frame);

/// All frames up to the end, each released before the next, and how many arrived as surfaces.
struct Seen {
  std::vector<Shot> shots;
  int surfaces = 0;
};
[[nodiscard]] Seen watch(media::Source& source);
[[nodiscard]] Seen watch(const media::SourceOptions& options);

void expect_same(const std::vector<Shot>& actual, const std::vector<Shot>& expected);

/// Makes `--hwdec auto` look for hardware: a GPU that draws.
[[nodiscard]] media::DeferredHwDecode drawing_gpu();

/// For messages: the decoder finally used, and the fallbacks.
[[nodiscard]] std::string describe(const media::HwDecodeStatus& use);

/// A clip of a few GOPs, 64x48 at 25 frames/s.
[[nodiscard]] std::string test_clip(const TempDir& dir, const std::string& name, const std::string& encoder,
                                    int frames = 24);

}  // namespace glyphreel::test
