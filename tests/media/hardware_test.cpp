#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "clips.h"
#include "fake_hardware.h"
#include "media/source.h"
#include "pictures.h"

namespace glyphreel::media {
namespace {

using namespace glyphreel::test;

/// A frame's time and pixels, in host memory.
struct Shot {
  std::int64_t pts = 0, duration = 0;
  std::vector<std::uint8_t> samples;
  bool operator==(const Shot&) const = default;
};

Shot shot_of(const Frame& frame) {
  const auto host = on_host(frame, nullptr);
  if (!host) {
    ADD_FAILURE() << host.error().message << " (" << host.error().cause << ")";
    return {};
  }
  return {frame.pts, frame.duration, planar_samples(host->view)};
}

/// All frames to the end, each let go before the next, and how many came as surfaces.
struct Seen {
  std::vector<Shot> shots;
  int surfaces = 0;
};

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

LateHardware gpu() {
  LateHardware hardware;
  hardware.bind(nullptr, DrawnBy::Gpu);
  return hardware;
}

std::string describe(const HardwareUse& use) {
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

/// A film of a few groups of pictures.
std::string clip(const TempDir& dir, const std::string& name, const std::string& encoder, int frames = 24) {
  const std::string path = dir / name;
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v " + std::to_string(frames) +
         " -pix_fmt yuv420p " + encoder + " " + path);
  return path;
}

struct Film {
  const char* name;
  const char* encoder;
};

const Film Films[] = {
    {"closed.mp4", "-c:v libx264 -g 8 -bf 3 -x264-params scenecut=0"},
    {"open.mkv", "-c:v libx264 -g 8 -bf 3 -x264-params scenecut=0:open-gop=1"},
    {"hevc.mp4", "-c:v libx265 -x265-params log-level=none:keyint=8:bframes=3:open-gop=1"},
    {"mpeg2.ts", "-c:v mpeg2video -g 8 -bf 2"},
    {"vp9.webm", "-c:v libvpx-vp9 -g 8 -b:v 200k -auto-alt-ref 1 -lag-in-frames 8"},
    {"bare.h264", "-c:v libx264 -g 8 -bf 0"},
};

class HardwareFilm : public testing::TestWithParam<Film> {
 protected:
  void SetUp() override {
    path_ = clip(dir_, GetParam().name, GetParam().encoder);
    software_ = watch(SourceOptions{.url = path_}).shots;
    ASSERT_EQ(software_.size(), 24U);
  }
  [[nodiscard]] SourceOptions options(HardwareCalls& calls) const {
    return {.url = path_, .hwdec = HardwareChoice::Auto, .hardware = &gpu_, .hardware_calls = &calls};
  }

  TempDir dir_;
  std::string path_;
  std::vector<Shot> software_;
  LateHardware gpu_ = gpu();
};

TEST_P(HardwareFilm, IsThatOfTheProcessor) {
  FakeHardware fake;
  const auto source = open_source(options(fake));
  ASSERT_NE(source, nullptr);
  const Seen seen = watch(*source);
  expect_same(seen.shots, software_);
  EXPECT_EQ(seen.surfaces, 24);
  EXPECT_EQ(source->hardware_use().decoder, "cuda");
  EXPECT_TRUE(source->hardware_use().fallbacks.empty()) << describe(source->hardware_use());
  EXPECT_EQ(fake.frames_alive(), 0);
}

TEST_P(HardwareFilm, LosesNoFrameWhereverItFails) {
  for (int call = 0; call < HardwareCallCount; ++call) {
    for (const bool is_lasting : {false, true}) {
      for (int at = 0; at < 60; ++at) {
        SCOPED_TRACE(testing::Message() << "call " << call << " at " << at << (is_lasting ? " lasting" : ""));
        FakeHardware fake({{static_cast<HardwareCall>(call), at, is_lasting}});
        const auto source = open_source(options(fake));
        ASSERT_NE(source, nullptr);
        const Seen seen = watch(*source);
        expect_same(seen.shots, software_);
        if (HasFatalFailure()) {
          ADD_FAILURE() << describe(source->hardware_use());
          return;
        }
        if (fake.calls(static_cast<HardwareCall>(call)) <= at) break;  // it never came to that
        EXPECT_EQ(source->hardware_use().fallbacks.size(), 1U) << describe(source->hardware_use());
      }
    }
  }
}

TEST_P(HardwareFilm, EndsUpWithTheProcessor) {
  // One after the other breaks, each some frames later.
  FakeHardware fake({{HardwareCall::Receive, 3}, {HardwareCall::Receive, 22}, {HardwareCall::Receive, 40}});
  const auto source = open_source(options(fake));
  ASSERT_NE(source, nullptr);
  expect_same(watch(*source).shots, software_);
  const HardwareUse use = source->hardware_use();
  EXPECT_EQ(use.decoder, fake.calls(HardwareCall::Receive) > 40 ? "no" : use.decoder) << describe(use);
  EXPECT_EQ(use.fallbacks.at(0).from, "cuda");
}

TEST_P(HardwareFilm, LetsTheBoundRendererDecide) {
  // What was decoded before the renderer was known is not decoded twice.
  for (const std::size_t before : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{11}}) {
    FakeHardware fake;
    LateHardware late;
    SourceOptions options = this->options(fake);
    options.hardware = &late;
    const auto source = open_source(options);
    ASSERT_NE(source, nullptr);
    std::vector<Shot> shots;
    while (shots.size() < before) {
      const auto item = source->read();
      ASSERT_TRUE(item);
      ASSERT_TRUE(std::holds_alternative<Frame>(*item));
      EXPECT_EQ(std::get<Frame>(*item).surface, nullptr);
      shots.push_back(shot_of(std::get<Frame>(*item)));
    }
    late.bind(nullptr, DrawnBy::Gpu);
    const Seen rest = watch(*source);
    EXPECT_GT(rest.surfaces, 0);
    shots.insert(shots.end(), rest.shots.begin(), rest.shots.end());
    expect_same(shots, software_);
  }
}

INSTANTIATE_TEST_SUITE_P(Films, HardwareFilm, testing::ValuesIn(Films), [](const auto& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace glyphreel::media
