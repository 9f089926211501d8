#include "shots.h"

#include <gtest/gtest.h>

#include <variant>

#include "pictures.h"

namespace glyphreel::test {

using namespace media;

Shot shot_of(const Frame& frame) {
  const auto host = on_host(frame, nullptr);
  if (!host) {
    ADD_FAILURE() << host.error().message << " (" << host.error().cause << ")";
    return {};
  }
  return {frame.pts, frame.duration, planar_samples(host->view)};
}

Seen watch(Source& source) {
  Seen seen;
  for (;;) {
    auto item = source.read();
    if (!item) {
      ADD_FAILURE() << item.error().message;
      return seen;
    }
    if (std::holds_alternative<EndOfStream>(*item)) return seen;
    const auto* frame = std::get_if<Frame>(&*item);
    if (frame == nullptr) continue;
    seen.surfaces += frame->surface ? 1 : 0;
    seen.shots.push_back(shot_of(*frame));
  }
}

Seen watch(const SourceOptions& options) {
  const auto source = open_source(options);
  return source ? watch(*source) : Seen{};
}

DeferredHwDecode rendering_gpu() {
  DeferredHwDecode hardware;
  hardware.bind({nullptr, RenderedBy::Gpu});
  return hardware;
}

std::string describe(const HwDecodeStatus& use) {
  std::string text = use.decoder;
  for (const auto& fallback : use.fallbacks) text += "\n  " + fallback.from + ": " + fallback.reason;
  return text;
}

void expect_same(const std::vector<Shot>& actual, const std::vector<Shot>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].pts, expected[i].pts) << "frame " << i;
    ASSERT_EQ(actual[i].duration, expected[i].duration) << "frame " << i;
    ASSERT_EQ(actual[i].samples, expected[i].samples) << "frame " << i;
  }
}

std::string test_clip(const TempDir& dir, const std::string& name, const std::string& encoder, int frames) {
  const std::string path = dir / name;
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v " + std::to_string(frames) +
         " -pix_fmt yuv420p " + encoder + " " + path);
  return path;
}

}  // namespace glyphreel::test
