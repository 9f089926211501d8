#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "media/decode/video_decoder.h"
#include "media/input/input.h"
#include "media/source.h"
#include "support/clips.h"
#include "support/fake_hardware.h"
#include "support/pictures.h"
#include "support/shots.h"

namespace glyphreel::media::hardware_test {
namespace {

using namespace glyphreel::test;

TEST(HwDecode, IsSkippedWhenCpuDraws) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mp4", "-c:v libx264");
  FakeHardware fake;
  DeferredHwDecode cpu;
  cpu.bind({});
  const auto source =
      open_source({.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &cpu, .hw_decode_backend = &fake});
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(watch(*source).surfaces, 0);
  EXPECT_EQ(source->hardware_use().decoder, "no");
  EXPECT_EQ(fake.calls(HwDecodeCall::FindCodec), 0);
  // A decoder that is requested by name is still used.
  const auto named = open_source(
      {.url = path, .hwdec = choice_of(HwDecodeApi::Vulkan), .hardware = &cpu, .hw_decode_backend = &fake});
  ASSERT_NE(named, nullptr);
  EXPECT_EQ(watch(*named).surfaces, 24);
  EXPECT_EQ(named->hardware_use().decoder, "vulkan");
}

TEST(HwDecode, HeldFramesDoNotStarveDecoder) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mp4", "-c:v libx264 -g 8 -bf 3", 60);
  const std::vector<Shot> software = watch(SourceOptions{.url = path}).shots;
  FakeHardware fake;
  const DeferredHwDecode hardware = rendering_gpu();
  const auto memory = make_heap_memory();
  std::vector<Frame> held;
  {
    const auto source = open_source({.url = path,
                                     .memory = memory.get(),
                                     .hwdec = HwDecodeChoice::Auto,
                                     .hardware = &hardware,
                                     .hw_decode_backend = &fake});
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
      EXPECT_EQ(frame.bytes_copied, 64U * 48U * 3 / 2) << "no padding, since a width of 64 is aligned";
      EXPECT_NE(frame.view.block, nullptr);
    }
    shots.push_back(shot_of(frame));
  }
  EXPECT_EQ(surfaces, MaxHeldSurfaces);
  EXPECT_EQ(fake.frames_alive(), MaxHeldSurfaces);  // the frames outlive their decoder
  expect_same(shots, software);
  held.clear();
  EXPECT_EQ(fake.frames_alive(), 0);
}

/// Makes a stream in which two clips of different sizes alternate.
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

TEST(HwDecode, FollowsTwoHundredSizeChanges) {
  for (const char* options : {"-bf 0", "-bf 2"}) {
    const TempDir dir;
    const std::string path = alternating(dir, 200, options);
    const std::vector<Shot> software = watch(SourceOptions{.url = path}).shots;
    ASSERT_GT(software.size(), 650U);
    const DeferredHwDecode hardware = rendering_gpu();
    FakeHardware fake;
    const auto source = open_source(
        {.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &hardware, .hw_decode_backend = &fake});
    ASSERT_NE(source, nullptr);
    const Seen seen = watch(*source);
    expect_same(seen.shots, software);
    EXPECT_EQ(static_cast<std::size_t>(seen.surfaces), software.size());
    EXPECT_GE(fake.calls(HwDecodeCall::FramesParameters), 200);
    EXPECT_TRUE(source->hardware_use().fallbacks.empty()) << describe(source->hardware_use());
    EXPECT_EQ(fake.frames_alive(), 0);
  }
}

TEST(HwDecode, FallsBackAtUnsupportedSize) {
  for (const char* options : {"-bf 0", "-bf 2"}) {
    const TempDir dir;
    const std::string path = alternating(dir, 5, options);
    const std::vector<Shot> software = watch(SourceOptions{.url = path}).shots;
    const DeferredHwDecode hardware = rendering_gpu();
    FakeHardware fake;
    fake.max_width = 64;
    const auto source = open_source(
        {.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &hardware, .hw_decode_backend = &fake});
    ASSERT_NE(source, nullptr);
    const Seen seen = watch(*source);
    expect_same(seen.shots, software);
    EXPECT_GT(seen.surfaces, 0);
    const HwDecodeStatus use = source->hardware_use();
    EXPECT_EQ(use.decoder, "no");
    ASSERT_EQ(use.fallbacks.size(), 3U) << describe(use);  // none of the three decoders supports this size
    EXPECT_NE(use.fallbacks[0].reason.find("96x80"), std::string::npos) << describe(use);
  }
}

TEST(HwDecode, SeeksMatchSoftware) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mp4", "-c:v libx264 -g 10 -bf 3", 100);
  const DeferredHwDecode hardware = rendering_gpu();
  FakeHardware fake({{HwDecodeCall::Receive, 55}, {HwDecodeCall::Receive, 90}});
  const auto by_hardware = open_source(
      {.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &hardware, .hw_decode_backend = &fake});
  const auto by_software = open_source({.url = path});
  ASSERT_TRUE(by_hardware != nullptr && by_software != nullptr);
  for (const double seconds : {1.0, 0.2, 3.1, 2.92, 2.96, 0.0, 3.9, 1.52}) {
    for (const SeekMode mode : {SeekMode::Exact, SeekMode::KeyframeBefore, SeekMode::FrameBefore}) {
      SCOPED_TRACE(testing::Message() << seconds << " s, mode " << static_cast<int>(mode));
      ASSERT_TRUE(by_hardware->seek(seconds, mode));
      ASSERT_TRUE(by_software->seek(seconds, mode));
      for (int i = 0; i < 5; ++i) {
        const auto a = by_hardware->read();
        const auto b = by_software->read();
        ASSERT_TRUE(a && b);
        ASSERT_EQ(a->index(), b->index());
        if (!std::holds_alternative<Frame>(*a)) break;
        ASSERT_EQ(shot_of(std::get<Frame>(*a)), shot_of(std::get<Frame>(*b)));
      }
    }
  }
  EXPECT_EQ(by_hardware->hardware_use().fallbacks.size(), 2U) << describe(by_hardware->hardware_use());
}

TEST(HwDecode, OnlyNamedDecoderMayOutputFormatThatGpuCannotRead) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mp4", "-c:v libx264 -g 8 -bf 3");
  const std::vector<Shot> software = watch(SourceOptions{.url = path}).shots;
  const DeferredHwDecode hardware = rendering_gpu();
  FakeHardware fake;
  fake.surface_format = AV_PIX_FMT_X2RGB10;
  const auto any = open_source(
      {.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &hardware, .hw_decode_backend = &fake});
  ASSERT_NE(any, nullptr);
  expect_same(watch(*any).shots, software);
  const HwDecodeStatus use = any->hardware_use();
  EXPECT_EQ(use.decoder, "no");
  ASSERT_EQ(use.fallbacks.size(), 3U) << describe(use);
  EXPECT_NE(use.fallbacks[0].reason.find("x2rgb10le, which the GPU cannot read"), std::string::npos)
      << describe(use);
  const auto named = open_source({.url = path,
                                  .hwdec = choice_of(HwDecodeApi::Vaapi),
                                  .hardware = &hardware,
                                  .hw_decode_backend = &fake});
  ASSERT_NE(named, nullptr);
  const Seen seen = watch(*named);
  EXPECT_EQ(named->hardware_use().decoder, "vaapi") << describe(named->hardware_use());
  EXPECT_EQ(seen.shots.size(), software.size());
  EXPECT_EQ(seen.surfaces, 0) << "each frame was copied to the host";
}

TEST(HwDecode, CropsAllSides) {
  const TempDir dir;
  const std::string whole = test_clip(dir, "whole.mp4", "-c:v libx264 -bf 0", 4);
  const std::string path = dir / "cropped.mp4";
  ffmpeg("-i " + whole + " -c copy -bsf:v h264_metadata=crop_left=6:crop_top=10:crop_right=4:crop_bottom=2 " +
         path);
  const auto software = open_source({.url = path});
  const DeferredHwDecode hardware = rendering_gpu();
  FakeHardware fake;
  const auto source = open_source(
      {.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &hardware, .hw_decode_backend = &fake});
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

TEST(HwDecode, InterlacedVideoIsDecodedInSoftware) {
  const TempDir dir;
  // The mp4 container flags interlacing; the raw h264 stream does not.
  for (const char* name : {"clip.mp4", "clip.h264"}) {
    const std::string path =
        test_clip(dir, name, "-vf interlace=lowpass=off -c:v libx264 -flags +ilme+ildct -g 8 -bf 2", 16);
    const DeferredHwDecode hardware = rendering_gpu();
    for (const Deinterlacing mode : {Deinterlacing::Auto, Deinterlacing::No}) {
      const std::vector<Shot> software = watch({.url = path, .deinterlace = mode}).shots;
      FakeHardware fake;
      const auto source = open_source({.url = path,
                                       .hwdec = HwDecodeChoice::Auto,
                                       .hardware = &hardware,
                                       .deinterlace = mode,
                                       .hw_decode_backend = &fake});
      ASSERT_NE(source, nullptr);
      const Seen seen = watch(*source);
      expect_same(seen.shots, software);
      EXPECT_EQ(seen.surfaces > 0, mode == Deinterlacing::No) << describe(source->hardware_use());
    }
  }
}

TEST(HwDecode, DownloadsIntoGivenMemory) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mp4", "-c:v libx264", 2);
  const DeferredHwDecode hardware = rendering_gpu();
  FakeHardware fake;
  auto source = open_source(
      {.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &hardware, .hw_decode_backend = &fake});
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
  frames.clear();  // the downloaded copy does not depend on the surface
  EXPECT_EQ(fake.frames_alive(), 0);
  EXPECT_EQ(planar_samples(host->view), samples);
  const auto again = on_host(*host, nullptr);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->view.planes, host->view.planes);
}

/// Returns the timestamps of all frames of a clip whose decoder fails at frame `at`. `bytes` is the maximum
/// size of the packet history.
std::vector<std::int64_t> decode_with_history(const std::string& path, int at, std::size_t bytes,
                                              HwDecodeReport& report) {
  std::vector<std::int64_t> pts;
  const auto input = Input::open(path);
  EXPECT_TRUE(input);
  AVStream* stream = *(*input)->best_video();
  FakeHardware fake({{HwDecodeCall::Receive, at}});
  const DeferredHwDecode hardware = rendering_gpu();
  const auto opened = VideoDecoder::open((*input)->format(), *stream,
                                         {.hardware = {.choice = HwDecodeChoice::Auto,
                                                       .hardware = &hardware,
                                                       .backend = &fake,
                                                       .report = &report},
                                          .max_history_bytes = bytes});
  EXPECT_TRUE(opened);
  VideoDecoder& decoder = **opened;
  const PacketPtr packet = new_packet();
  const FramePtr frame = new_frame();
  for (;;) {
    const auto received = decoder.receive(*frame);
    EXPECT_TRUE(received);
    if (!received || *received == VideoDecoder::Received::End) return pts;
    if (*received == VideoDecoder::Received::Frame) {
      pts.push_back(frame->pts);
      continue;
    }
    const bool has_packet = av_read_frame(&(*input)->format(), packet.get()) >= 0;
    decoder.send(has_packet ? packet.get() : nullptr);
    av_packet_unref(packet.get());
  }
}

TEST(HwDecode, FallbackResumesAtNextKeyframe) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mkv", "-c:v libx264 -g 8 -bf 0 -x264-params scenecut=0", 24);
  HwDecodeReport whole_report, torn_report;
  const auto whole = decode_with_history(path, 1000, PacketHistory::MaxBytes, whole_report);
  ASSERT_EQ(whole.size(), 24U);
  const auto kept = decode_with_history(path, 20, PacketHistory::MaxBytes, whole_report);
  EXPECT_EQ(kept, whole);
  const auto torn = decode_with_history(path, 20, 1, torn_report);
  EXPECT_EQ(torn_report.status().fallbacks.size(), 1U);
  ASSERT_LT(torn.size(), whole.size());
  const std::size_t first_part = static_cast<std::size_t>(
      std::mismatch(torn.begin(), torn.end(), whole.begin(), whole.end()).first - torn.begin());
  const std::vector<std::int64_t> rest(torn.begin() + static_cast<std::ptrdiff_t>(first_part), torn.end());
  ASSERT_FALSE(rest.empty());
  const auto resumed = std::find(whole.begin(), whole.end(), rest.front());
  EXPECT_EQ((resumed - whole.begin()) % 8, 0);  // decoding resumed at a keyframe
  EXPECT_EQ(rest, std::vector<std::int64_t>(resumed, whole.end()));
}

TEST(HwDecode, ReportsWhyHardwareWasNotTried) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mkv", "-c:v ffv1", 3);
  FakeHardware fake;
  const auto source =
      open_source({.url = path, .hwdec = choice_of(HwDecodeApi::Cuda), .hw_decode_backend = &fake});
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(watch(*source).shots.size(), 3U);
  const HwDecodeStatus use = source->hardware_use();
  ASSERT_EQ(use.fallbacks.size(), 1U);
  EXPECT_EQ(use.fallbacks[0].from, "cuda");
  EXPECT_EQ(use.fallbacks[0].reason, "NVDEC cannot decode this kind of ffv1 video.");
}

/// Tests FFmpeg's real backends, on machines with and without drivers. No frame may be lost. After a
/// fallback to software, the frames must equal those of a run without hardware decoding, and opening the
/// clip must not take much longer than in that run.
TEST(HwDecode, RealBackendsMatchSoftware) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mp4", "-c:v libx264 -g 8 -bf 3");
  const auto open = [&](HwDecodeChoice choice, const DeferredHwDecode& hardware, HwDecodeStatus& use) {
    double seconds = 1e9;  // the best of three runs, since the machine may be busy
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
  const DeferredHwDecode hardware = rendering_gpu();
  HwDecodeStatus use;
  const auto [software, software_seconds] = open(HwDecodeChoice::No, hardware, use);
  EXPECT_EQ(use.decoder, "no");
  for (const HwDecodeChoice choice : {HwDecodeChoice::Auto, choice_of(HwDecodeApi::Vaapi),
                                      choice_of(HwDecodeApi::Cuda), choice_of(HwDecodeApi::Vulkan)}) {
    const auto [shots, seconds] = open(choice, hardware, use);
    SCOPED_TRACE(describe(use));
    ASSERT_EQ(shots.size(), software.size());
    if (use.decoder != "no") continue;
    expect_same(shots, software);
    EXPECT_FALSE(use.fallbacks.empty());
    EXPECT_LT(seconds - software_seconds, 0.3);
  }
}

TEST(HwDecode, ReleasesAllResources) {
  const TempDir dir;
  const std::string path = test_clip(dir, "clip.mp4", "-c:v libx264 -g 8 -bf 3", 12);
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const DeferredHwDecode hardware = rendering_gpu();
  const auto open_and_close = [&](int i) {
    FakeHardware fake({{static_cast<HwDecodeCall>(i % HwDecodeCallCount), i % 11, i % 3 == 0}});
    fake.first_lost = i % 5;
    fake.lost_surfaces = i % 4;
    const auto source = open_source(
        {.url = path, .hwdec = HwDecodeChoice::Auto, .hardware = &hardware, .hw_decode_backend = &fake});
    ASSERT_NE(source, nullptr);
    for (int frame = 0; frame < i % 13; ++frame) {
      const auto item = source->read();
      ASSERT_TRUE(item);
      if (const auto* read = std::get_if<Frame>(&*item)) static_cast<void>(on_host(*read, nullptr));
    }
  };
  // Use a new thread each time: memory in a thread's allocator cache counts as used until the thread ends.
  const auto open_and_close_all = [&](int times) {
    std::thread([&] {
      for (int i = 0; i < times; ++i) ASSERT_NO_FATAL_FAILURE(open_and_close(i));
    }).join();
  };
  // Covers all combinations of the call that fails, its index, and the number of frames read.
  constexpr int Times = HwDecodeCallCount * 11 * 13;
  open_and_close_all(Times / 8);  // warm-up: makes the allocations that last until the process exits
  const auto before = descriptors();
  const std::size_t memory = mallinfo2().uordblks;
  open_and_close_all(Times);
  EXPECT_LT(mallinfo2().uordblks, memory + 1000);
  EXPECT_EQ(descriptors(), before);
}

}  // namespace
}  // namespace glyphreel::media::hardware_test
