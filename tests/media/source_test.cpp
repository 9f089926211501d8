#include "media/listing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "media/input/input.h"
#include "media/stream/stream_tags.h"
#include "support/clips.h"
#include "support/pictures.h"
#include "support/shots.h"

extern "C" {
#include <libavutil/dovi_meta.h>
}

namespace glyphreel::media::source_test {
namespace {

using namespace glyphreel::test;

constexpr const char* Testsrc = "-f lavfi -i testsrc2=size=128x96:rate=25 ";

std::vector<std::int64_t> pts_of(const std::vector<Frame>& frames) {
  std::vector<std::int64_t> pts;
  for (const Frame& frame : frames) pts.push_back(frame.pts);
  return pts;
}

std::vector<Frame> read_all(const std::string& path) {
  SourceOptions options;
  options.url = path;
  const auto source = open_source(options);
  return source == nullptr ? std::vector<Frame>{} : read_frames(*source);
}

TEST(Source, DistinguishesStillsFromAnimations) {
  const TempDir dir;
  const std::string source = "-f lavfi -i testsrc2=size=32x32:rate=10 -frames:v ";
  ffmpeg(source + "3 -loop 2 " + (dir / "thrice.gif"));
  ffmpeg(source + "3 -loop 0 " + (dir / "ever.gif"));
  ffmpeg(source + "3 -loop -1 " + (dir / "once.gif"));
  ffmpeg(source + "1 " + (dir / "still.gif"));
  ffmpeg(source + "3 -plays 4 -f apng " + (dir / "four.png"));
  ffmpeg(source + "3 -plays 0 " + (dir / "ever.apng"));
  ffmpeg(source + "1 " + (dir / "still.png"));
  ffmpeg(source + "1 " + (dir / "still.jpg"));
  ffmpeg(source + "1 " + (dir / "still.webp"));
  const std::string larger =
      "-f lavfi -i testsrc2=size=64x64:rate=10 -frames:v 3 -c:v libwebp_anim -lossless 1 ";
  ffmpeg(larger + "-loop 5 " + (dir / "five.webp"));
  ffmpeg(larger + "-loop 0 " + (dir / "ever.webp"));
  ffmpeg(source + "3 -c:v libx264 " + (dir / "film.mp4"));
  struct Case {
    const char* file;
    bool is_still;
    int plays;
  };
  for (const Case& expected :
       {Case{"thrice.gif", false, 3}, Case{"ever.gif", false, 0}, Case{"once.gif", false, 1},
        Case{"still.gif", true, 0}, Case{"four.png", false, 4}, Case{"ever.apng", false, 0},
        Case{"still.png", true, 1}, Case{"still.jpg", true, 1}, Case{"still.webp", true, 1},
        Case{"five.webp", false, 5}, Case{"ever.webp", false, 0}, Case{"film.mp4", false, 1}}) {
    auto input = Input::open(dir / expected.file);
    ASSERT_TRUE(input) << input.error().message;
    EXPECT_EQ((*input)->facts().is_still_image, expected.is_still) << expected.file;
    EXPECT_EQ((*input)->facts().play_count, expected.plays) << expected.file;
    EXPECT_EQ(watch({.url = dir / expected.file}).shots.size(), expected.is_still ? 1U : 3U) << expected.file;
  }
}

TEST(Source, KeepsContainerTimestamps) {
  const TempDir dir;
  const std::vector<std::string> clips = {
      "-frames:v 40 -c:v libx264 -bf 3 " + (dir / "b-frames.mp4"),
      "-frames:v 40 -c:v mpeg2video -bf 2 " + (dir / "offset.ts"),
      "-frames:v 40 -c:v libx264 -bf 2 " + (dir / "milliseconds.mkv"),
      "-vf settb=1/90000,setpts='N*N*97+N*3100' -fps_mode passthrough -frames:v 30 -c:v libx264 -bf 2 "
      "-video_track_timescale 90000 " +
          (dir / "variable.mp4"),
      "-vf setpts='(N+random(1)*0.8)/25/TB' -fps_mode passthrough -frames:v 30 -c:v ffv1 " +
          (dir / "variable.mkv"),
      "-frames:v 10 -c:v mpeg4 " + (dir / "old.avi"),
  };
  for (const std::string& clip : clips) {
    ffmpeg(Testsrc + clip);
    const std::string path = clip.substr(clip.rfind(' ') + 1);
    const auto expected = probed_frame_pts(path);
    ASSERT_GE(expected.size(), 10U) << path;
    EXPECT_EQ(pts_of(read_all(path)), expected) << path;
  }
}

TEST(Source, CountsFramesWithoutTimestamps) {
  const TempDir dir;
  ffmpeg(std::string(Testsrc) + "-frames:v 12 -c:v libx264 -bf 0 " + (dir / "bare.h264"));
  const auto frames = read_all(dir / "bare.h264");
  ASSERT_EQ(frames.size(), 12U);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    EXPECT_NEAR(frames[i].pts_seconds() - frames[i - 1].pts_seconds(), 0.04, 1e-6);
  }
}

/// Returns a copy of an HDR frame's color tags in which scene_average and scene_peak are 0. Fails the test if
/// the frame's scene brightness was not measured.
ColorTags tags_of(const Frame& frame) {
  ColorTags tags = frame.view.color;
  EXPECT_GT(tags.scene_average, 0);
  EXPECT_GE(tags.scene_peak, tags.scene_average);
  tags.scene_peak = tags.scene_average = 0;
  return tags;
}

TEST(Source, ReportsHeaderFacts) {
  const TempDir dir;
  // Set the color tags twice: FFmpeg 5.1's encoder takes them from its options, FFmpeg 7.1's from the frames.
  ffmpeg(std::string(Testsrc) +
         "-frames:v 50 "
         "-vf setsar=4/3,setparams=colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084:range=pc "
         "-c:v libx264 -pix_fmt yuv420p -colorspace bt2020nc -color_primaries bt2020 -color_trc smpte2084 "
         "-color_range pc " +
         (dir / "clip.mp4"));
  SourceOptions options;
  options.url = dir / "clip.mp4";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  const VideoFacts& facts = source->facts();
  EXPECT_EQ(facts.codec, "h264");
  EXPECT_EQ(facts.size, (Extent{128, 96}));
  EXPECT_EQ(facts.frame_rate, (Rational{25, 1}));
  EXPECT_EQ(facts.sample_aspect_ratio, (Rational{4, 3}));
  EXPECT_EQ(facts.frame_count, 50);
  ASSERT_TRUE(facts.duration_seconds);
  EXPECT_DOUBLE_EQ(*facts.duration_seconds, 2.0);
  const ColorTags expected{YuvMatrix::Bt2020, ColorRange::Full, 9, 16};
  EXPECT_EQ(facts.color, expected);
  const auto frames = read_frames(*source);
  ASSERT_EQ(frames.size(), 50U);
  EXPECT_EQ(tags_of(frames[0]), expected);
  EXPECT_EQ(frames[0].view.sample_aspect_ratio, (Rational{4, 3}));
  EXPECT_EQ(frames[0].duration, frames[1].pts - frames[0].pts);
}

TEST(Source, GuessesMatrixFromSize) {
  const TempDir dir;
  ffmpeg("-f lavfi -i color=red:size=640x480 -frames:v 1 -c:v ffv1 -pix_fmt yuv420p " + (dir / "small.mkv"));
  ffmpeg("-f lavfi -i color=red:size=1280x720 -frames:v 1 -c:v ffv1 -pix_fmt yuv420p " + (dir / "large.mkv"));
  ffmpeg("-f lavfi -i color=red:size=64x48 -frames:v 1 -c:v mjpeg -pix_fmt yuvj420p " + (dir / "jpeg.avi"));
  ffmpeg("-f lavfi -i color=red:size=64x48 -frames:v 1 -c:v ffv1 -pix_fmt gbrp " + (dir / "rgb.mkv"));
  const auto tags = [&dir](const char* name) { return read_all(dir / name).at(0).view.color; };
  EXPECT_EQ(tags("small.mkv").matrix, YuvMatrix::Bt601);
  EXPECT_EQ(tags("large.mkv").matrix, YuvMatrix::Bt709);
  EXPECT_EQ(tags("small.mkv").range, ColorRange::Limited);
  EXPECT_EQ(tags("jpeg.avi").range, ColorRange::Full);
  EXPECT_EQ(tags("rgb.mkv").range, ColorRange::Full);
}

TEST(Source, DetectsHdrForAnyMatrix) {
  const auto matrix = [](AVColorSpace space, AVColorPrimaries primaries,
                         AVColorTransferCharacteristic transfer) {
    return color_tags({.format = AV_PIX_FMT_YUV420P10,
                       .matrix = space,
                       .primaries = primaries,
                       .transfer = transfer,
                       .size = {1920, 1080}})
        .matrix;
  };
  EXPECT_EQ(matrix(AVCOL_SPC_UNSPECIFIED, AVCOL_PRI_UNSPECIFIED, AVCOL_TRC_SMPTE2084), YuvMatrix::Bt2020);
  EXPECT_EQ(matrix(AVCOL_SPC_UNSPECIFIED, AVCOL_PRI_UNSPECIFIED, AVCOL_TRC_ARIB_STD_B67), YuvMatrix::Bt2020);
  EXPECT_EQ(matrix(AVCOL_SPC_UNSPECIFIED, AVCOL_PRI_BT2020, AVCOL_TRC_UNSPECIFIED), YuvMatrix::Bt2020);
  EXPECT_EQ(matrix(AVCOL_SPC_UNSPECIFIED, AVCOL_PRI_UNSPECIFIED, AVCOL_TRC_UNSPECIFIED), YuvMatrix::Bt709);
  EXPECT_EQ(matrix(AVCOL_SPC_BT709, AVCOL_PRI_BT2020, AVCOL_TRC_SMPTE2084), YuvMatrix::Bt709);
}

/// Makes an HEVC clip in PQ. `parameters`: additional x265 parameters, each after a colon.
std::string hdr_clip(const TempDir& dir, const std::string& name, const std::string& parameters) {
  const std::string path = dir / name;
  ffmpeg(std::string(Testsrc) +
         "-frames:v 5 -pix_fmt yuv420p10le -c:v libx265 -colorspace bt2020nc -color_primaries bt2020 "
         "-color_trc smpte2084 -x265-params "
         "'log-level=none:colorprim=bt2020:colormatrix=bt2020nc:transfer=smpte2084" +
         parameters + "' " + path);
  return path;
}

TEST(Source, ReadsProgramPeak) {
  const TempDir dir;
  const std::string display =
      ":master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(40000000,50)";  // 4000 cd/m2
  struct Clip {
    std::string parameters;
    int peak_nits;
  };
  const std::vector<Clip> clips = {
      {"", 0}, {display, 4000}, {display + ":max-cll=1234,400", 1234}, {":max-cll=0,0", 0}};
  for (const char* container : {"mp4", "mkv", "hevc"}) {
    for (std::size_t i = 0; i < clips.size(); ++i) {
      SCOPED_TRACE(container + clips[i].parameters);
      const auto frames = read_all(hdr_clip(dir, std::to_string(i) + "." + container, clips[i].parameters));
      ASSERT_EQ(frames.size(), 5U);
      for (const Frame& frame : frames) {
        EXPECT_EQ(tags_of(frame), (ColorTags{.matrix = YuvMatrix::Bt2020,
                                             .range = ColorRange::Limited,
                                             .primaries = 9,
                                             .transfer = 16,
                                             .peak_nits = clips[i].peak_nits}));
      }
    }
  }
}

TEST(Source, ReadsChromaSiting) {
  const TempDir dir;
  const std::vector<std::pair<std::string, ChromaSiting>> clips = {
      {"-c:v libx264 -pix_fmt yuv420p " + (dir / "h264.mp4"), ChromaSiting::Left},
      {"-c:v libx264 -pix_fmt yuv420p -x264-params chromaloc=2 " + (dir / "top-left.mp4"),
       ChromaSiting::TopLeft},
      {"-c:v libx264 -pix_fmt yuv420p -x264-params chromaloc=1 " + (dir / "center.mp4"),
       ChromaSiting::Center},
      {"-c:v mpeg2video -pix_fmt yuv420p " + (dir / "mpeg2.ts"), ChromaSiting::Left},
      {"-c:v mpeg1video -pix_fmt yuv420p " + (dir / "mpeg1.mpg"), ChromaSiting::Center},
      {"-c:v mjpeg -pix_fmt yuvj420p " + (dir / "jpeg.avi"), ChromaSiting::Center},
      {"-c:v rawvideo -pix_fmt yuv420p " + (dir / "untold.nut"), ChromaSiting::Left}};
  for (const auto& [arguments, siting] : clips) {
    ffmpeg(std::string(Testsrc) + "-frames:v 3 " + arguments);
    const auto frames = read_all(arguments.substr(arguments.rfind(' ') + 1));
    ASSERT_FALSE(frames.empty()) << arguments;
    EXPECT_EQ(frames[0].view.color.siting, siting) << arguments;
  }
  EXPECT_EQ(color_tags({.format = AV_PIX_FMT_YUVJ420P}).siting, ChromaSiting::Center);
}

/// Replaces the identity matrix in the video track's header with a display matrix. The matrix begins 40 bytes
/// after the tag "tkhd": see ISO 14496-12, 8.3.2.
void set_display_matrix(const std::string& path, const std::array<std::int32_t, 9>& matrix) {
  auto bytes = read_bytes(path);
  const std::string tag = "tkhd";
  const auto at = std::search(bytes.begin(), bytes.end(), tag.begin(), tag.end());
  ASSERT_NE(at, bytes.end());
  auto out = at + 4 + 40;
  for (const std::int32_t value : matrix) {
    for (const int shift : {24, 16, 8, 0})
      *out++ = static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> shift);
  }
  write_bytes(path, bytes);
}

TEST(Source, RotationMatchesFfmpeg) {
  struct Turn {
    std::array<std::int32_t, 9> matrix;
    Rotation rotation;
  };
  constexpr std::int32_t One = 1 << 16;
  const std::vector<Turn> turns = {{{0, One, 0, -One, 0, 0, 0, 0, 1 << 30}, Rotation::Clockwise90},
                                   {{-One, 0, 0, 0, -One, 0, 0, 0, 1 << 30}, Rotation::Half},
                                   {{0, -One, 0, One, 0, 0, 0, 0, 1 << 30}, Rotation::Clockwise270}};
  for (const Turn& turn : turns) {
    const TempDir dir;
    const std::string path = dir / "clip.mp4";
    ffmpeg(std::string(Testsrc) + "-frames:v 1 -c:v libx264 -pix_fmt yuv420p " + path);
    set_display_matrix(path, turn.matrix);
    // ffmpeg applies the display matrix, so its output is upright.
    ffmpeg("-i " + path + " -frames:v 1 -f rawvideo -pix_fmt gray " + (dir / "upright.raw"));
    const auto upright = read_bytes(dir / "upright.raw");

    const auto frames = read_all(path);
    ASSERT_EQ(frames.size(), 1U);
    const FrameView& view = frames[0].view;
    ASSERT_EQ(view.rotation, turn.rotation);
    const int width = view.size.width;
    const int height = view.size.height;
    const bool is_sideways = turn.rotation != Rotation::Half;
    const int upright_width = is_sideways ? height : width;
    // ffmpeg's gray output is full range; the clip is limited range.
    const auto expand = [](unsigned luma) {
      return std::clamp((static_cast<int>(luma) - 16) * 255 / 219, 0, 255);
    };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const int turned_x = turn.rotation == Rotation::Clockwise90 ? height - 1 - y
                             : turn.rotation == Rotation::Half      ? width - 1 - x
                                                                    : y;
        const int turned_y = turn.rotation == Rotation::Clockwise90 ? x
                             : turn.rotation == Rotation::Half      ? height - 1 - y
                                                                    : width - 1 - x;
        const int expected = upright.at(static_cast<std::size_t>(turned_y * upright_width + turned_x));
        ASSERT_NEAR(expand(sample_at(view, 0, x, y)), expected, 2) << x << "," << y;
      }
    }
  }
}

TEST(Source, CropsLeftEdgeExactly) {
  const TempDir dir;
  ffmpeg(std::string(Testsrc) + "-frames:v 2 -c:v libx264 -pix_fmt yuv420p -qp 0 " + (dir / "whole.mp4"));
  ffmpeg("-i " + (dir / "whole.mp4") +
         " -c copy -bsf:v h264_metadata=crop_left=6:crop_right=10:crop_top=4:crop_bottom=8 " +
         (dir / "cropped.mp4"));
  const auto whole = read_all(dir / "whole.mp4");
  const auto cropped = read_all(dir / "cropped.mp4");
  ASSERT_EQ(whole.size(), cropped.size());
  const FrameView& view = cropped.at(0).view;
  ASSERT_EQ(view.size, (Extent{128 - 16, 96 - 12}));
  for (int y = 0; y < view.size.height; ++y) {
    for (int x = 0; x < view.size.width; ++x) {
      ASSERT_EQ(sample_at(view, 0, x, y), sample_at(whole[0].view, 0, x + 6, y + 4));
      ASSERT_EQ(sample_at(view, 1, x / 2, y / 2), sample_at(whole[0].view, 1, x / 2 + 3, y / 2 + 2));
    }
  }
}

TEST(Source, DecodesDirectlyIntoGivenMemory) {
  const TempDir dir;
  const std::vector<std::string> clips = {
      "-c:v libx264 -bf 3 -pix_fmt yuv420p " + (dir / "420.mp4"),
      "-c:v libx264 -pix_fmt yuv422p10le " + (dir / "422.mkv"),
      "-c:v libx265 -x265-params log-level=error -pix_fmt yuv420p10le " + (dir / "hevc.mkv"),
      "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 " + (dir / "vp9.webm"),
      "-c:v mpeg2video -bf 2 " + (dir / "2.ts"),
      "-c:v mjpeg -pix_fmt yuvj422p " + (dir / "jpeg.avi"),
      "-c:v ffv1 -pix_fmt bgr0 " + (dir / "rgb.mkv"),
      "-c:v prores_ks " + (dir / "prores.mov"),
      "-c:v mpeg4 " + (dir / "4.mp4")};
  for (const std::string& clip : clips) {
    ffmpeg("-f lavfi -i testsrc2=size=322x182:rate=25 -frames:v 20 " + clip);
    const std::string path = clip.substr(clip.rfind(' ') + 1);
    const auto plain = read_all(path);
    ASSERT_EQ(plain.size(), 20U) << path;

    std::vector<Frame> direct;
    {
      const auto memory = make_heap_memory();
      SourceOptions options;
      options.url = path;
      options.memory = memory.get();
      options.threads = 4;
      const auto source = open_source(options);
      ASSERT_NE(source, nullptr);
      direct = read_frames(*source);
    }  // frames outlive the decoder and the memory
    ASSERT_EQ(direct.size(), plain.size()) << path;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(plain[i].view.block, nullptr);
      const HostBlock* block = direct[i].view.block;
      ASSERT_NE(block, nullptr) << path;
      const int planes = direct[i].view.planes[1] == nullptr ? 1 : 3;
      for (std::size_t p = 0; p < static_cast<std::size_t>(planes); ++p) {
        EXPECT_GE(direct[i].view.planes[p], block->bytes);
        EXPECT_LT(direct[i].view.planes[p], block->bytes + block->size);
        EXPECT_EQ(direct[i].view.strides[p] % 64, 0);
      }
      ASSERT_EQ(planar_samples(direct[i].view), planar_samples(plain[i].view)) << path << " frame " << i;
    }
  }
}

/// Memory that allocates blocks until its budget is exhausted.
class ScantMemory final : public HostMemory {
 public:
  explicit ScantMemory(int blocks) : left_(blocks) {}
  std::shared_ptr<const HostBlock> acquire(std::size_t size) override {
    return left_.fetch_sub(1) > 0 ? heap_->acquire(size) : nullptr;
  }

 private:
  std::atomic<int> left_;
  std::unique_ptr<HostMemory> heap_ = make_heap_memory();
};

TEST(Source, FallsBackToFfmpegMemoryWhenGivenRunsOut) {
  const TempDir dir;
  ffmpeg(std::string(Testsrc) + "-frames:v 30 -c:v libx264 -pix_fmt yuv420p " + (dir / "clip.mp4"));
  const auto plain = read_all(dir / "clip.mp4");
  ScantMemory memory(7);
  SourceOptions options;
  options.url = dir / "clip.mp4";
  options.memory = &memory;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  const auto frames = read_frames(*source);
  ASSERT_EQ(frames.size(), plain.size());
  int in_blocks = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    in_blocks += frames[i].view.block != nullptr ? 1 : 0;
    EXPECT_EQ(planar_samples(frames[i].view), planar_samples(plain[i].view));
  }
  EXPECT_GT(in_blocks, 0);
  EXPECT_LE(in_blocks, 7);
}

TEST(Source, ForwardsEachAudioPacket) {
  const TempDir dir;
  ffmpeg(std::string(Testsrc) + "-f lavfi -i sine=frequency=440:duration=2 -t 2 -c:v libx264 -c:a aac " +
         (dir / "clip.mp4"));
  SourceOptions options;
  options.url = dir / "clip.mp4";
  options.audio = AudioDelivery::WithFrames;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  ASSERT_NE(source->audio(), nullptr);
  std::size_t frames = 0;
  std::size_t packets = 0;
  for (;;) {
    auto item = source->read();
    ASSERT_TRUE(item);
    if (std::holds_alternative<EndOfStream>(*item)) break;
    (std::holds_alternative<Frame>(*item) ? frames : packets) += 1;
  }
  EXPECT_EQ(frames, 50U);
  EXPECT_EQ(packets, audio_packet_hashes(dir / "clip.mp4").size());
}

TEST(Source, PrefersVideoOverCoverArt) {
  const TempDir dir;
  ffmpeg("-f lavfi -i color=blue:size=640x640 -frames:v 1 " + (dir / "cover.png"));
  ffmpeg(std::string(Testsrc) + "-i " + (dir / "cover.png") +
         " -map 1 -map 0 -t 1 -c:v:0 png -c:v:1 libx264 -disposition:v:0 attached_pic " + (dir / "clip.mp4"));
  EXPECT_EQ(read_all(dir / "clip.mp4").size(), 25U);
  const auto listing = list_input(dir / "clip.mp4");
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->streams.size(), 2U);
}

TEST(Source, FollowsMidStreamSizeChange) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 5 -c:v mpeg2video " + (dir / "a.ts"));
  ffmpeg("-f lavfi -i testsrc2=size=96x80:rate=25 -frames:v 5 -c:v mpeg2video " + (dir / "b.ts"));
  auto bytes = read_bytes(dir / "a.ts");
  const auto second = read_bytes(dir / "b.ts");
  bytes.insert(bytes.end(), second.begin(), second.end());
  write_bytes(dir / "both.ts", bytes);
  const auto frames = read_all(dir / "both.ts");
  ASSERT_GE(frames.size(), 9U);
  EXPECT_EQ(frames.front().view.size, (Extent{64, 48}));
  EXPECT_EQ(frames.back().view.size, (Extent{96, 80}));
  const auto pts = pts_of(frames);
  EXPECT_TRUE(std::is_sorted(pts.begin(), pts.end()));
}

TEST(Source, MeasuresDecodeTimePerFrame) {
  const TempDir dir;
  ffmpeg(std::string(Testsrc) + "-frames:v 20 -c:v libx264 " + (dir / "clip.mp4"));
  StageTimes times;
  SourceOptions options;
  options.url = dir / "clip.mp4";
  options.threads = 2;
  options.times = &times;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(read_frames(*source).size(), 20U);
  const StageSummary summary = times.summary(Stage::Decode);
  EXPECT_EQ(summary.count, 20U);
  EXPECT_GT(summary.total_ms, 0);
  EXPECT_EQ(summary.engine, "libavcodec h264, 2 threads");
}

TEST(Source, HasMoreFrameThreadsForThroughput) {
  const TempDir dir;
  ffmpeg(std::string(Testsrc) + "-frames:v 2 -c:v libx264 " + (dir / "clip.mp4"));
  const auto engine = [&](DecodingGoal goal) {
    StageTimes times;
    SourceOptions options;
    options.url = dir / "clip.mp4";
    options.decoding_goal = goal;
    options.times = &times;
    EXPECT_NE(open_source(options), nullptr);
    return times.summary(Stage::Decode).engine;
  };
  const int cpus = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto threads = [](int count) { return fmt::format("{} thread{}", count, count == 1 ? "" : "s"); };
  EXPECT_EQ(engine(DecodingGoal::Latency), "libavcodec h264, " + threads(std::min(cpus, 16)));
  EXPECT_EQ(engine(DecodingGoal::Throughput), "libavcodec h264, " + threads(std::min(cpus + 8, 16)));
}

TEST(Source, EndsWhenInterrupted) {
  const TempDir dir;
  ffmpeg(std::string(Testsrc) + "-frames:v 200 -c:v mpeg2video " + (dir / "clip.ts"));
  SourceOptions options;
  options.url = dir / "clip.ts";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  std::jthread interrupter([&source] { source->interrupt(); });
  interrupter.join();
  const auto item = source->read();
  ASSERT_TRUE(item);
  EXPECT_TRUE(std::holds_alternative<EndOfStream>(*item));
}

TEST(Source, WarnsOfDolbyVisionWithoutACommonBaseLayer) {
  struct FreeFormat {
    void operator()(AVFormatContext* format) const { avformat_free_context(format); }
  };
  const std::unique_ptr<AVFormatContext, FreeFormat> format(avformat_alloc_context());
  AVStream* stream = avformat_new_stream(format.get(), nullptr);
  EXPECT_EQ(color_warning(*stream), "");
  std::size_t size = 0;
  AVDOVIDecoderConfigurationRecord* record = av_dovi_alloc(&size);
  record->dv_profile = 8;
  record->dv_bl_signal_compatibility_id = 1;
#if GLYPHREEL_AV_CODED_SIDE_DATA
  ASSERT_NE(av_packet_side_data_add(&stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data,
                                    AV_PKT_DATA_DOVI_CONF, record, size, 0),
            nullptr);
#else
  ASSERT_GE(
      av_stream_add_side_data(stream, AV_PKT_DATA_DOVI_CONF, reinterpret_cast<std::uint8_t*>(record), size),
      0);
#endif
  EXPECT_EQ(color_warning(*stream), "");
  record->dv_profile = 5;
  record->dv_bl_signal_compatibility_id = 0;
  EXPECT_NE(color_warning(*stream).find("profile 5"), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::media::source_test
