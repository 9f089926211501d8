#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <thread>

#include "clips.h"
#include "fake_hardware.h"
#include "media/input.h"
#include "media/source.h"
#include "media/video_decoder.h"
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
  hardware.bind({nullptr, DrawnBy::Gpu});
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

/// Without it the test's name in CTest would hold the addresses of the strings.
void PrintTo(const Film& film, std::ostream* out) {
  *out << film.name << " by " << film.encoder;
}

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

TEST_P(HardwareFilm, LosesNoFrameThatCannotBeFetched) {
  for (const int lost : {1, 1000}) {
    for (int at = 0; at < 24; ++at) {
      SCOPED_TRACE(testing::Message() << lost << " lost from " << at);
      FakeHardware fake;
      fake.first_lost = at;
      fake.lost_surfaces = lost;
      const auto source = open_source(options(fake));
      ASSERT_NE(source, nullptr);
      const Seen seen = watch(*source);
      expect_same(seen.shots, software_);
      const HardwareUse use = source->hardware_use();
      ASSERT_FALSE(HasFatalFailure()) << describe(use);
      ASSERT_FALSE(use.fallbacks.empty());
      EXPECT_EQ(use.fallbacks[0].from, "cuda");
      EXPECT_THAT(use.fallbacks[0].reason, testing::HasSubstr("A frame cannot be fetched from NVDEC: "));
      if (lost == 1) {
        EXPECT_EQ(use.fallbacks.size(), 1U) << describe(use);
      } else if (at < 20) {
        EXPECT_EQ(use.decoder, "no") << describe(use);
      }
    }
  }
}

TEST_P(HardwareFilm, GivesLostFramesInAnyOrder) {
  const int lost = MostHeldSurfaces;
  std::vector<Shot> shots(software_.size());
  std::vector<Frame> held;
  {
    FakeHardware fake;
    fake.first_lost = 7;
    fake.lost_surfaces = lost;
    const auto source = open_source(options(fake));
    ASSERT_NE(source, nullptr);
    for (int i = 0; i < 7; ++i)
      shots[static_cast<std::size_t>(i)] = shot_of(std::get<Frame>(*source->read()));
    // With the decoder at work: the last ones first, as whoever seeks backwards in what waits.
    for (int i = 0; i < lost; ++i) held.push_back(std::get<Frame>(*source->read()));
    for (int i = lost - 1; i >= lost / 2; --i)
      shots[static_cast<std::size_t>(7 + i)] = shot_of(held[static_cast<std::size_t>(i)]);
    for (std::size_t i = static_cast<std::size_t>(7 + lost); i < shots.size(); ++i)
      shots[i] = shot_of(std::get<Frame>(*source->read()));
  }
  // And with all of it gone.
  for (int i = 0; i < lost / 2; ++i)
    shots[static_cast<std::size_t>(7 + i)] = shot_of(held[static_cast<std::size_t>(i)]);
  expect_same(shots, software_);
  const Frame& last = held.back();
  EXPECT_EQ(on_host(last, nullptr)->view.planes, on_host(last, nullptr)->view.planes) << "decoded twice";
}

TEST_P(HardwareFilm, EndsUpWithTheProcessor) {
  // One after the other breaks, each some frames later.
  FakeHardware fake({{HardwareCall::Receive, 3}, {HardwareCall::Receive, 12}, {HardwareCall::Receive, 25}});
  const auto source = open_source(options(fake));
  ASSERT_NE(source, nullptr);
  expect_same(watch(*source).shots, software_);
  const HardwareUse use = source->hardware_use();
  EXPECT_EQ(use.decoder, "no");
  std::vector<std::string> failed;
  for (const auto& fallback : use.fallbacks) failed.push_back(fallback.from);
  std::vector<std::string> chain{"cuda", "vulkan", "vaapi"};
  if (GetParam().name[0] == 'm' || GetParam().name[0] == 'v') chain = {"cuda", "vaapi"};  // MPEG-2 and VP9
  EXPECT_EQ(failed, chain) << describe(use);
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
    late.bind({nullptr, DrawnBy::Gpu});
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

TEST(Hardware, IsLeftAloneWhereTheProcessorDraws) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", "-c:v libx264");
  FakeHardware fake;
  LateHardware processor;
  processor.bind({});
  const auto source = open_source(
      {.url = path, .hwdec = HardwareChoice::Auto, .hardware = &processor, .hardware_calls = &fake});
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(watch(*source).surfaces, 0);
  EXPECT_EQ(source->hardware_use().decoder, "no");
  EXPECT_EQ(fake.calls(HardwareCall::FindCodec), 0);
  // One that is asked for by name decodes all the same.
  const auto named = open_source(
      {.url = path, .hwdec = HardwareChoice::Vulkan, .hardware = &processor, .hardware_calls = &fake});
  ASSERT_NE(named, nullptr);
  EXPECT_EQ(watch(*named).surfaces, 24);
  EXPECT_EQ(named->hardware_use().decoder, "vulkan");
}

TEST(Hardware, IsNotStarvedByWhoHoldsItsFrames) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", "-c:v libx264 -g 8 -bf 3", 60);
  const std::vector<Shot> software = watch(SourceOptions{.url = path}).shots;
  FakeHardware fake;
  const LateHardware hardware = gpu();
  const auto memory = make_heap_memory();
  std::vector<Frame> held;
  {
    const auto source = open_source({.url = path,
                                     .memory = memory.get(),
                                     .hwdec = HardwareChoice::Auto,
                                     .hardware = &hardware,
                                     .hardware_calls = &fake});
    ASSERT_NE(source, nullptr);
    held = read_frames(*source);
    EXPECT_TRUE(source->hardware_use().fallbacks.empty()) << describe(source->hardware_use());
  }
  ASSERT_EQ(held.size(), 60U);
  std::vector<Shot> shots;
  int surfaces = 0;
  for (const Frame& frame : held) {
    surfaces += frame.surface ? 1 : 0;
    if (!frame.surface) {
      EXPECT_EQ(frame.bytes_copied, 64U * 48U * 3 / 2) << "without padding: 64 is aligned";
      EXPECT_NE(frame.view.block, nullptr);
    }
    shots.push_back(shot_of(frame));
  }
  EXPECT_EQ(surfaces, MostHeldSurfaces);
  EXPECT_EQ(fake.frames_alive(), MostHeldSurfaces);  // they outlive their decoder
  expect_same(shots, software);
  held.clear();
  EXPECT_EQ(fake.frames_alive(), 0);
}

/// Two films of different sizes by turns, in one stream.
std::string alternating(const TempDir& dir, int changes, const std::string& options) {
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 4 -pix_fmt yuv420p -c:v libx264 " + options +
         " " + (dir / "a.h264"));
  ffmpeg("-f lavfi -i testsrc2=size=96x80:rate=25 -frames:v 3 -pix_fmt yuv420p -c:v libx264 " + options +
         " " + (dir / "b.h264"));
  const auto a = read_bytes(dir / "a.h264");
  const auto b = read_bytes(dir / "b.h264");
  std::vector<std::uint8_t> all;
  for (int i = 0; i <= changes; ++i)
    all.insert(all.end(), (i % 2 == 0 ? a : b).begin(), (i % 2 == 0 ? a : b).end());
  write_bytes(dir / "all.h264", all);
  return dir / "all.h264";
}

TEST(Hardware, FollowsTwoHundredChangesOfSize) {
  for (const char* options : {"-bf 0", "-bf 2"}) {
    const TempDir dir;
    const std::string path = alternating(dir, 200, options);
    const std::vector<Shot> software = watch(SourceOptions{.url = path}).shots;
    ASSERT_GT(software.size(), 650U);
    const LateHardware hardware = gpu();
    FakeHardware fake;
    const auto source = open_source(
        {.url = path, .hwdec = HardwareChoice::Auto, .hardware = &hardware, .hardware_calls = &fake});
    ASSERT_NE(source, nullptr);
    const Seen seen = watch(*source);
    expect_same(seen.shots, software);
    EXPECT_EQ(static_cast<std::size_t>(seen.surfaces), software.size());
    EXPECT_GE(fake.calls(HardwareCall::FramesParameters), 200);
    EXPECT_TRUE(source->hardware_use().fallbacks.empty()) << describe(source->hardware_use());
    EXPECT_EQ(fake.frames_alive(), 0);
  }
}

TEST(Hardware, HandsOverAtASizeThatItCannotDo) {
  for (const char* options : {"-bf 0", "-bf 2"}) {
    const TempDir dir;
    const std::string path = alternating(dir, 5, options);
    const std::vector<Shot> software = watch(SourceOptions{.url = path}).shots;
    const LateHardware hardware = gpu();
    FakeHardware fake;
    fake.most_width = 64;
    const auto source = open_source(
        {.url = path, .hwdec = HardwareChoice::Auto, .hardware = &hardware, .hardware_calls = &fake});
    ASSERT_NE(source, nullptr);
    const Seen seen = watch(*source);
    expect_same(seen.shots, software);
    EXPECT_GT(seen.surfaces, 0);
    const HardwareUse use = source->hardware_use();
    EXPECT_EQ(use.decoder, "no");
    ASSERT_EQ(use.fallbacks.size(), 3U) << describe(use);  // none of the three takes it
    EXPECT_NE(use.fallbacks[0].reason.find("96x80"), std::string::npos) << describe(use);
  }
}

TEST(Hardware, SeeksLikeTheProcessor) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", "-c:v libx264 -g 10 -bf 3", 100);
  const LateHardware hardware = gpu();
  FakeHardware fake({{HardwareCall::Receive, 55}, {HardwareCall::Receive, 90}});
  const auto by_hardware = open_source(
      {.url = path, .hwdec = HardwareChoice::Auto, .hardware = &hardware, .hardware_calls = &fake});
  const auto by_processor = open_source({.url = path});
  ASSERT_TRUE(by_hardware != nullptr && by_processor != nullptr);
  for (const double seconds : {1.0, 0.2, 3.1, 2.92, 2.96, 0.0, 3.9, 1.52}) {
    for (const SeekMode mode : {SeekMode::Exact, SeekMode::KeyframeBefore, SeekMode::FrameBefore}) {
      SCOPED_TRACE(testing::Message() << seconds << " s, mode " << static_cast<int>(mode));
      ASSERT_TRUE(by_hardware->seek(seconds, mode));
      ASSERT_TRUE(by_processor->seek(seconds, mode));
      for (int i = 0; i < 5; ++i) {
        const auto a = by_hardware->read();
        const auto b = by_processor->read();
        ASSERT_TRUE(a && b);
        ASSERT_EQ(a->index(), b->index());
        if (!std::holds_alternative<Frame>(*a)) break;
        ASSERT_EQ(shot_of(std::get<Frame>(*a)), shot_of(std::get<Frame>(*b)));
      }
    }
  }
  EXPECT_EQ(by_hardware->hardware_use().fallbacks.size(), 2U) << describe(by_hardware->hardware_use());
}

TEST(Hardware, CropsOnAllSides) {
  const TempDir dir;
  const std::string whole = clip(dir, "whole.mp4", "-c:v libx264 -bf 0", 4);
  const std::string path = dir / "cropped.mp4";
  ffmpeg("-i " + whole + " -c copy -bsf:v h264_metadata=crop_left=6:crop_top=10:crop_right=4:crop_bottom=2 " +
         path);
  const auto software = open_source({.url = path});
  const LateHardware hardware = gpu();
  FakeHardware fake;
  const auto source = open_source(
      {.url = path, .hwdec = HardwareChoice::Auto, .hardware = &hardware, .hardware_calls = &fake});
  ASSERT_TRUE(software != nullptr && source != nullptr);
  const auto expected = read_frames(*software);
  const auto actual = read_frames(*source);
  ASSERT_EQ(actual.size(), 4U);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(expected[i].view.size, (Extent{54, 36}));
    ASSERT_NE(actual[i].surface, nullptr);
    EXPECT_EQ(actual[i].view.size, expected[i].view.size);
    EXPECT_EQ(actual[i].view.layout, expected[i].view.layout);
    EXPECT_EQ(actual[i].view.color, expected[i].view.color);
    EXPECT_EQ(shot_of(actual[i]), shot_of(expected[i]));
  }
}

TEST(Hardware, LeavesInterlacedFilmsToTheProcessor) {
  const TempDir dir;
  // The container of one tells it, that of the other does not.
  for (const char* name : {"clip.mp4", "clip.h264"}) {
    const std::string path =
        clip(dir, name, "-vf interlace=lowpass=off -c:v libx264 -flags +ilme+ildct -g 8 -bf 2", 16);
    const LateHardware hardware = gpu();
    for (const Deinterlacing mode : {Deinterlacing::Auto, Deinterlacing::No}) {
      const std::vector<Shot> software = watch({.url = path, .deinterlace = mode}).shots;
      FakeHardware fake;
      const auto source = open_source({.url = path,
                                       .hwdec = HardwareChoice::Auto,
                                       .hardware = &hardware,
                                       .deinterlace = mode,
                                       .hardware_calls = &fake});
      ASSERT_NE(source, nullptr);
      const Seen seen = watch(*source);
      expect_same(seen.shots, software);
      EXPECT_EQ(seen.surfaces > 0, mode == Deinterlacing::No) << describe(source->hardware_use());
    }
  }
}

TEST(Hardware, DownloadsIntoTheMemoryItIsGiven) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", "-c:v libx264", 2);
  const LateHardware hardware = gpu();
  FakeHardware fake;
  auto source = open_source(
      {.url = path, .hwdec = HardwareChoice::Auto, .hardware = &hardware, .hardware_calls = &fake});
  ASSERT_NE(source, nullptr);
  std::vector<Frame> frames = read_frames(*source);
  source.reset();
  const auto memory = make_heap_memory();
  auto host = on_host(frames.at(0), memory.get());
  ASSERT_TRUE(host);
  EXPECT_EQ(host->surface, nullptr);
  ASSERT_NE(host->view.block, nullptr);
  EXPECT_GE(host->view.planes[0], host->view.block->bytes);
  EXPECT_LT(host->view.planes[2], host->view.block->bytes + host->view.block->size);
  EXPECT_EQ(host->bytes_copied, 64U * 48U * 3 / 2);
  EXPECT_EQ(host->pts, frames[0].pts);
  const auto samples = planar_samples(host->view);
  frames.clear();  // the copy needs nothing of the surface
  EXPECT_EQ(fake.frames_alive(), 0);
  EXPECT_EQ(planar_samples(host->view), samples);
  const auto again = on_host(*host, nullptr);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->view.planes, host->view.planes);
}

/// Pts of all frames of a film whose decoder fails at its `at`-th frame, with so much memory for what it was
/// sent.
std::vector<std::int64_t> decode_with_history(const std::string& path, int at, std::size_t bytes,
                                              HardwareReport& report) {
  std::vector<std::int64_t> pts;
  const auto input = Input::open(path);
  EXPECT_TRUE(input);
  AVStream* stream = *(*input)->best_video();
  FakeHardware fake({{HardwareCall::Receive, at}});
  const LateHardware hardware = gpu();
  const auto opened = VideoDecoder::open((*input)->format(), *stream,
                                         {.hwdec = HardwareChoice::Auto,
                                          .hardware = &hardware,
                                          .hardware_calls = &fake,
                                          .report = &report,
                                          .most_history_bytes = bytes});
  EXPECT_TRUE(opened);
  VideoDecoder& decoder = **opened;
  const PacketPtr packet = new_packet();
  const FramePtr frame = new_frame();
  for (bool has_packet = false;;) {
    const auto received = decoder.receive(*frame);
    EXPECT_TRUE(received);
    if (!received || *received == VideoDecoder::Received::End) return pts;
    if (*received == VideoDecoder::Received::Frame) {
      pts.push_back(frame->pts);
      continue;
    }
    if (!has_packet) has_packet = av_read_frame(&(*input)->format(), packet.get()) >= 0;
    if (decoder.send(has_packet ? packet.get() : nullptr) == VideoDecoder::Sent::Full) continue;
    av_packet_unref(packet.get());
    has_packet = false;
  }
}

TEST(Hardware, GoesOnAtTheNextKeyFrameWhereTooMuchWasSent) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mkv", "-c:v libx264 -g 8 -bf 0 -x264-params scenecut=0", 24);
  HardwareReport whole_report, torn_report;
  const auto whole = decode_with_history(path, 1000, PacketHistory::MostBytes, whole_report);
  ASSERT_EQ(whole.size(), 24U);
  const auto kept = decode_with_history(path, 20, PacketHistory::MostBytes, whole_report);
  EXPECT_EQ(kept, whole);
  const auto torn = decode_with_history(path, 20, 1, torn_report);
  EXPECT_EQ(torn_report.use().fallbacks.size(), 1U);
  ASSERT_LT(torn.size(), whole.size());
  const std::size_t first_part = static_cast<std::size_t>(
      std::mismatch(torn.begin(), torn.end(), whole.begin(), whole.end()).first - torn.begin());
  const std::vector<std::int64_t> rest(torn.begin() + static_cast<std::ptrdiff_t>(first_part), torn.end());
  ASSERT_FALSE(rest.empty());
  const auto goes_on = std::find(whole.begin(), whole.end(), rest.front());
  EXPECT_EQ((goes_on - whole.begin()) % 8, 0);  // a key frame
  EXPECT_EQ(rest, std::vector<std::int64_t>(goes_on, whole.end()));
}

TEST(Hardware, SaysWhyItWasNotTried) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mkv", "-c:v ffv1", 3);
  FakeHardware fake;
  const auto source = open_source({.url = path, .hwdec = HardwareChoice::Cuda, .hardware_calls = &fake});
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(watch(*source).shots.size(), 3U);
  const HardwareUse use = source->hardware_use();
  ASSERT_EQ(use.fallbacks.size(), 1U);
  EXPECT_EQ(use.fallbacks[0].from, "cuda");
  EXPECT_EQ(use.fallbacks[0].reason, "NVDEC decodes no ffv1 of this kind.");
}

/// FFmpeg's own calls, on machines with and without the drivers: whoever decodes, the film is the same.
TEST(Hardware, WhateverTheMachineHasGivesTheFilm) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", "-c:v libx264 -g 8 -bf 3");
  const auto open = [&](HardwareChoice choice, const LateHardware& hardware, HardwareUse& use) {
    double seconds = 1e9;  // of the best of three: others use this machine, too
    std::vector<Shot> shots;
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const auto source = open_source({.url = path, .hwdec = choice, .hardware = &hardware});
      EXPECT_TRUE(source->read());
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      seconds = std::min(seconds, spent.count());
      EXPECT_TRUE(source->seek(0));
      shots = watch(*source).shots;
      use = source->hardware_use();
    }
    return std::pair(std::move(shots), seconds);
  };
  const LateHardware hardware = gpu();
  HardwareUse use;
  const auto [software, software_seconds] = open(HardwareChoice::No, hardware, use);
  EXPECT_EQ(use.decoder, "no");
  for (const HardwareChoice choice :
       {HardwareChoice::Auto, HardwareChoice::Vaapi, HardwareChoice::Cuda, HardwareChoice::Vulkan}) {
    const auto [shots, seconds] = open(choice, hardware, use);
    SCOPED_TRACE(describe(use));
    ASSERT_EQ(shots.size(), software.size());
    if (use.decoder != "no") continue;
    expect_same(shots, software);
    EXPECT_FALSE(use.fallbacks.empty());
    EXPECT_LT(seconds - software_seconds, 0.3);
  }
}

TEST(Hardware, LeavesNothingBehind) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", "-c:v libx264 -g 8 -bf 3", 12);
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const LateHardware hardware = gpu();
  const auto open_and_close = [&](int i) {
    FakeHardware fake({{static_cast<HardwareCall>(i % HardwareCallCount), i % 11, i % 3 == 0}});
    fake.first_lost = i % 5;
    fake.lost_surfaces = i % 4;
    const auto source = open_source(
        {.url = path, .hwdec = HardwareChoice::Auto, .hardware = &hardware, .hardware_calls = &fake});
    ASSERT_NE(source, nullptr);
    for (int frame = 0; frame < i % 13; ++frame) {
      const auto item = source->read();
      ASSERT_TRUE(item);
      if (const auto* read = std::get_if<Frame>(&*item)) {
        ASSERT_TRUE(on_host(*read, nullptr));
      }
    }
  };
  // What a thread's allocator keeps for its next request counts as used, until the thread ends.
  const auto a_thousand_times = [&] {
    std::thread([&] {
      constexpr int Times = HardwareCallCount * 11 * 13;  // of all that differs but what is lost
      for (int i = 0; i < Times; ++i) ASSERT_NO_FATAL_FAILURE(open_and_close(i));
    }).join();
  };
  a_thousand_times();
  const auto before = descriptors();
  const std::size_t memory = mallinfo2().uordblks;
  a_thousand_times();
  EXPECT_LT(mallinfo2().uordblks, memory + 1000);
  EXPECT_EQ(descriptors(), before);
}

}  // namespace
}  // namespace glyphreel::media
