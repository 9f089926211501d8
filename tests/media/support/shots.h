#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clips.h"
#include "media/source.h"

namespace glyphreel::test {

/// A frame's timestamp and its pixels in host memory.
struct Shot {
  std::int64_t pts = 0, duration = 0;
  std::vector<std::uint8_t> samples;
  bool operator==(const Shot&) const = default;
};
/// Returns a frame's shot. Fails the test if the pixels are unavailable.
[[nodiscard]] Shot shot_of(const Frame& frame);

/// The shots of all frames up to the end, and how many of the frames were surfaces. watch() releases each
/// frame before it reads the next one.
struct Seen {
  std::vector<Shot> shots;
  int surfaces = 0;
};
[[nodiscard]] Seen watch(media::Source& source);
[[nodiscard]] Seen watch(const media::SourceOptions& options);

void expect_same(const std::vector<Shot>& actual, const std::vector<Shot>& expected);

/// Returns a context in which a GPU renders, so that `--hwdec auto` tries hardware decoders.
[[nodiscard]] media::DeferredHwDecode rendering_gpu();

/// Describes the fallbacks and the decoder that was used in the end, for messages.
[[nodiscard]] std::string describe(const media::HwDecodeStatus& use);

/// Makes a clip of 64x48 pixels at 25 frames/s. `encoder`: ffmpeg's options for the encoder. Returns the
/// clip's path.
[[nodiscard]] std::string test_clip(const TempDir& dir, const std::string& name, const std::string& encoder,
                                    int frames = 24);

}  // namespace glyphreel::test
