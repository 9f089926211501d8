#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "media/hwdec/hardware_surface.h"
#include "media/source.h"
#include "support/clips.h"
#include "support/fake_hardware.h"
#include "support/pictures.h"
#include "support/shots.h"

namespace glyphreel::media::hardware_clip_test {
namespace {

using namespace glyphreel::test;

struct EncodedClip {
  const char* name;
  const char* encoder;
};

/// Without this function, the test's name in CTest would contain the addresses of the strings.
void PrintTo(const EncodedClip& clip, std::ostream* out) {
  *out << clip.name << " by " << clip.encoder;
}

const EncodedClip EncodedClips[] = {
    {"closed.mp4", "-c:v libx264 -g 8 -bf 3 -x264-params scenecut=0"},
    {"open.mkv", "-c:v libx264 -g 8 -bf 3 -x264-params scenecut=0:open-gop=1"},
    {"hevc.mp4", "-c:v libx265 -x265-params log-level=none:keyint=8:bframes=3:open-gop=1"},
    {"mpeg2.ts", "-c:v mpeg2video -g 8 -bf 2"},
    {"vp9.webm", "-c:v libvpx-vp9 -g 8 -b:v 200k -auto-alt-ref 1 -lag-in-frames 8"},
    {"bare.h264", "-c:v libx264 -g 8 -bf 0"},
};

class HwDecodeClip : public testing::TestWithParam<EncodedClip> {
 protected:
  void SetUp() override {
    path_ = test_clip(dir_, GetParam().name, GetParam().encoder);
    software_ = watch(SourceOptions{.url = path_}).shots;
    ASSERT_EQ(software_.size(), 24U);
  }
  [[nodiscard]] SourceOptions options(HwDecodeBackend& calls) const {
    return {.url = path_, .hwdec = HwDecodeChoice::Auto, .hardware = &gpu_, .hw_decode_backend = &calls};
  }

  TempDir dir_;
  std::string path_;
  std::vector<Shot> software_;
  DeferredHwDecode gpu_ = rendering_gpu();
};

TEST_P(HwDecodeClip, MatchesSoftware) {
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

TEST_P(HwDecodeClip, LosesNoFrameOnAnyFailure) {
  for (int call = 0; call < HwDecodeCallCount; ++call) {
    for (const bool is_lasting : {false, true}) {
      for (int at = 0; at < 60; ++at) {
        SCOPED_TRACE(testing::Message() << "call " << call << " at " << at << (is_lasting ? " lasting" : ""));
        FakeHardware fake({{static_cast<HwDecodeCall>(call), at, is_lasting}});
        const auto source = open_source(options(fake));
        ASSERT_NE(source, nullptr);
        const Seen seen = watch(*source);
        expect_same(seen.shots, software_);
        if (HasFatalFailure()) {
          ADD_FAILURE() << describe(source->hardware_use());
          return;
        }
        if (fake.calls(static_cast<HwDecodeCall>(call)) <= at) break;  // call number `at` was never made
        EXPECT_EQ(source->hardware_use().fallbacks.size(), 1U) << describe(source->hardware_use());
      }
    }
  }
}

/// Whether the pixels of a hardware frame are unavailable. Expects that its surface reports the same.
bool is_lost(const Frame& frame) {
  const auto host = on_host(frame, nullptr);
  EXPECT_EQ(!host, frame.surface != nullptr && frame.surface->is_lost());
  if (host) return false;
  EXPECT_THAT(host.error().message, testing::HasSubstr("cannot be downloaded"));
  return true;
}

TEST_P(HwDecodeClip, ContinuesAfterFrameThatFailsToDownload) {
  for (const int lost : {1, 1000}) {
    for (int at = 0; at < 24; ++at) {
      SCOPED_TRACE(testing::Message() << lost << " lost frames from frame " << at);
      FakeHardware fake;
      fake.first_lost = at;
      fake.lost_surfaces = lost;
      const auto source = open_source(options(fake));
      ASSERT_NE(source, nullptr);
      std::size_t lost_frames = 0;
      for (const Shot& expected : software_) {
        const auto item = source->read();
        ASSERT_TRUE(item);
        ASSERT_TRUE(std::holds_alternative<Frame>(*item));
        const Frame& frame = std::get<Frame>(*item);
        ASSERT_EQ(frame.pts, expected.pts);
        if (is_lost(frame)) {
          ++lost_frames;
        } else {
          ASSERT_EQ(shot_of(frame), expected);
        }
      }
      ASSERT_TRUE(std::holds_alternative<EndOfStream>(*source->read()));
      const HwDecodeStatus use = source->hardware_use();
      ASSERT_FALSE(use.fallbacks.empty());
      EXPECT_EQ(lost_frames, use.fallbacks.size())
          << "each decoder may lose only one frame: " << describe(use);
      EXPECT_EQ(use.fallbacks[0].from, "cuda");
      EXPECT_THAT(use.fallbacks[0].reason, testing::HasSubstr("A frame cannot be downloaded from NVDEC: "));
      if (lost == 1) {
        EXPECT_EQ(use.fallbacks.size(), 1U) << describe(use);
      } else if (at < 20) {
        EXPECT_EQ(use.decoder, "no") << describe(use);
      }
    }
  }
}

TEST_P(HwDecodeClip, IsReplacedIfGpuCannotReadFramesUnlessNamed) {
  for (const HwDecodeChoice choice : {HwDecodeChoice::Auto, choice_of(HwDecodeApi::Cuda)}) {
    for (const int at : {0, 1, 9, 23}) {
      SCOPED_TRACE(testing::Message() << "frame " << at << ", choice " << static_cast<int>(choice));
      FakeHardware fake;
      SourceOptions opening = options(fake);
      opening.hwdec = choice;
      const auto source = open_source(opening);
      ASSERT_NE(source, nullptr);
      int number = 0;
      for (const Shot& expected : software_) {
        const auto item = source->read();
        ASSERT_TRUE(item);
        ASSERT_TRUE(std::holds_alternative<Frame>(*item));
        const Frame& frame = std::get<Frame>(*item);
        ASSERT_EQ(shot_of(frame), expected) << "no frame may be lost, repeated or changed";
        if (number++ != at) continue;
        const auto* surface = dynamic_cast<const HardwareSurface*>(frame.surface.get());
        ASSERT_NE(surface, nullptr);
        EXPECT_EQ(surface->report_unreadable("A reason."), choice == HwDecodeChoice::Auto);
      }
      ASSERT_TRUE(std::holds_alternative<EndOfStream>(*source->read()));
      const HwDecodeStatus use = source->hardware_use();
      EXPECT_EQ(use.fallbacks.size(), choice == HwDecodeChoice::Auto ? 1U : 0U) << describe(use);
      for (const HwDecodeStatus::Fallback& fallback : use.fallbacks) EXPECT_EQ(fallback.reason, "A reason.");
    }
  }
}

TEST_P(HwDecodeClip, HeldFramesThatAreLostStayLost) {
  const std::size_t first = 7;
  // One more frame is lost than may be held as surfaces. Therefore, read() tries to download the last lost
  // frame, and the download fails.
  const std::size_t lost = MaxHeldSurfaces + 1;
  std::vector<Frame> held;
  {
    FakeHardware fake;
    fake.first_lost = static_cast<int>(first);
    fake.lost_surfaces = static_cast<int>(lost);
    const auto source = open_source(options(fake));
    ASSERT_NE(source, nullptr);
    for (std::size_t i = 0; i < first; ++i)
      EXPECT_EQ(shot_of(std::get<Frame>(*source->read())), software_[i]);
    for (std::size_t i = 0; i < lost; ++i) held.push_back(std::get<Frame>(*source->read()));
    for (std::size_t i = first + lost; i < software_.size(); ++i) {
      EXPECT_EQ(shot_of(std::get<Frame>(*source->read())), software_[i]) << i;
      EXPECT_TRUE(is_lost(held[0]));
    }
    EXPECT_EQ(source->hardware_use().fallbacks.size(), 1U) << describe(source->hardware_use());
  }
  for (const Frame& frame : held) EXPECT_TRUE(is_lost(frame)) << "after the decoder is gone";
}

TEST_P(HwDecodeClip, FallsBackThroughAllDecoders) {
  // The calls are counted across all decoders, so each decoder fails a few frames after its predecessor.
  FakeHardware fake({{HwDecodeCall::Receive, 3}, {HwDecodeCall::Receive, 12}, {HwDecodeCall::Receive, 25}});
  const auto source = open_source(options(fake));
  ASSERT_NE(source, nullptr);
  expect_same(watch(*source).shots, software_);
  const HwDecodeStatus use = source->hardware_use();
  EXPECT_EQ(use.decoder, "no");
  std::vector<std::string> failed;
  for (const auto& fallback : use.fallbacks) failed.push_back(fallback.from);
  std::vector<std::string> chain{"cuda", "vulkan", "vaapi"};
  // Vulkan does not support MPEG-2 and VP9, the codecs of mpeg2.ts and vp9.webm.
  if (GetParam().name[0] == 'm' || GetParam().name[0] == 'v') chain = {"cuda", "vaapi"};
  EXPECT_EQ(failed, chain) << describe(use);
}

TEST_P(HwDecodeClip, StartsWhenGpuRendererIsBound) {
  // Frames decoded before the renderer was known must not be decoded again.
  for (const std::size_t before : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{11}}) {
    FakeHardware fake;
    DeferredHwDecode late;
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
    late.bind({nullptr, RenderedBy::Gpu});
    const Seen rest = watch(*source);
    EXPECT_GT(rest.surfaces, 0);
    shots.insert(shots.end(), rest.shots.begin(), rest.shots.end());
    expect_same(shots, software_);
  }
}

/// Some files store decoding times in place of presentation times, so a decoder must guess the order in which
/// frames are shown. A fallback decoder receives fewer packets, so it guesses other times. The output must
/// still have the same frames, in the same order, as that of a software decoder.
TEST(HwDecodeWrongTimestamps, LosesNoFrame) {
  TempDir dir;
  const std::string path =
      test_clip(dir, "dts.mkv", "-c:v libx264 -g 8 -bf 3 -x264-params scenecut=0 -bsf:v setts=pts=DTS");
  const DeferredHwDecode gpu = rendering_gpu();
  const auto seen = [&](HwDecodeChoice choice, HwDecodeBackend* calls) {
    return watch(SourceOptions{.url = path, .hwdec = choice, .hardware = &gpu, .hw_decode_backend = calls});
  };
  const std::vector<Shot> software = seen(HwDecodeChoice::No, nullptr).shots;
  ASSERT_EQ(software.size(), 24U);
  FakeHardware intact;
  const Seen by_hardware = seen(HwDecodeChoice::Auto, &intact);
  expect_same(by_hardware.shots, software);
  EXPECT_EQ(by_hardware.surfaces, 24);
  for (int at = 0; at < 24; ++at) {
    SCOPED_TRACE(testing::Message() << "failed at " << at);
    FakeHardware failing({{HwDecodeCall::Receive, at, true}});
    const std::vector<Shot> shots = seen(HwDecodeChoice::Auto, &failing).shots;
    ASSERT_EQ(shots.size(), software.size());
    for (std::size_t i = 0; i < shots.size(); ++i)
      ASSERT_EQ(shots[i].samples, software[i].samples) << "frame " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(EncodedClips, HwDecodeClip, testing::ValuesIn(EncodedClips), [](const auto& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace glyphreel::media::hardware_clip_test
