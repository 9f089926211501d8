#include "media/frame/pixel_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <ostream>
#include <random>
#include <string>

#include "support/clips.h"
#include "support/pictures.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
}

namespace glyphreel::pixel_layout_test {
namespace {

using media::layout_of;
using namespace glyphreel::test;

constexpr Extent OddSize{37, 21};

/// Writes a picture in `format` with FFmpeg's generic sample writer, and compares it with the samples that
/// PixelLayout finds.
void check_every_sample(AVPixelFormat format, const PixelLayout& layout) {
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format);
  std::array<std::uint8_t*, 4> planes{};
  std::array<int, 4> strides{};
  const int bytes = av_image_alloc(planes.data(), strides.data(), OddSize.width, OddSize.height, format, 64);
  ASSERT_GT(bytes, 0);
  std::memset(planes[0], 0, static_cast<std::size_t>(bytes));  // the writer sets bits but does not clear any
  FrameView view;
  view.layout = layout;
  view.size = OddSize;
  for (std::size_t i = 0; i < 4; ++i) {
    view.planes[i] = reinterpret_cast<const std::byte*>(planes[i]);
    view.strides[i] = strides[i];
  }
  std::mt19937 random(1);
  for (int c = 0; c < layout.component_count(); ++c) {
    const Extent size = component_size(view, c);
    const unsigned limit = (1U << descriptor->comp[c].depth) - 1;
    for (int y = 0; y < size.height; ++y) {
      std::vector<std::uint16_t> row(static_cast<std::size_t>(size.width));
      for (auto& sample : row) sample = static_cast<std::uint16_t>(random() & limit);
      av_write_image_line2(row.data(), planes.data(), strides.data(), descriptor, 0, y, c, size.width, 2);
      for (int x = 0; x < size.width; ++x) {
        ASSERT_EQ(sample_at(view, c, x, y), row[static_cast<std::size_t>(x)])
            << descriptor->name << " component " << c << " at " << x << "," << y;
      }
    }
  }
  av_freep(planes.data());
}

TEST(PixelLayout, MatchesFfmpegForEverySupportedFormat) {
  int described = 0;
  for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr;
       d = av_pix_fmt_desc_next(d)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
    const auto layout = layout_of(format);
    if (!layout) continue;
    ++described;
    check_every_sample(format, *layout);
  }
  EXPECT_GT(described, 90);
}

TEST(PixelLayout, SupportsDecoderFormats) {
  for (const char* name :
       {"yuv420p",     "yuv422p",    "yuv444p",     "yuv411p",     "yuv410p",     "yuv440p",  "yuvj420p",
        "yuva420p",    "yuv420p9le", "yuv420p10le", "yuv422p10le", "yuv444p10le", "nv12",     "nv21",
        "nv16",        "nv24",       "p010le",      "p016le",      "p210le",      "yuyv422",  "uyvy422",
        "y210le",      "gray",       "gray10le",    "gray12le",    "gray16le",    "ya8",      "rgb24",
        "bgr24",       "rgba",       "bgra",        "argb",        "abgr",        "rgb0",     "bgr0",
        "rgb48le",     "rgba64le",   "gbrp",        "gbrp10le",    "gbrp12le",    "gbrp16le", "gbrap",
        "yuv420p12le", "yuv444p16le"}) {
    EXPECT_TRUE(layout_of(av_get_pix_fmt(name))) << name;
  }
}

TEST(PixelLayout, RejectsUnsupportedFormats) {
  for (const char* name : {"pal8", "monow", "monob", "rgb565le", "rgb555le", "bgr8", "rgb4", "x2rgb10le",
                           "uyyvyy411", "yuv420p10be", "gray16be", "rgb48be", "bayer_rggb8", "gbrpf32le",
                           "grayf32le", "xyz12le", "vaapi", "cuda", "drm_prime"}) {
    ASSERT_NE(av_get_pix_fmt(name), AV_PIX_FMT_NONE) << name;
    EXPECT_FALSE(layout_of(av_get_pix_fmt(name))) << name;
  }
  EXPECT_FALSE(layout_of(AV_PIX_FMT_NONE));
}

TEST(PixelLayout, OrdersNvChromaAndPlanarRgb) {
  const auto nv21 = layout_of(AV_PIX_FMT_NV21);
  ASSERT_TRUE(nv21);
  EXPECT_EQ(nv21->components[1].offset, 1);  // Cb follows Cr
  EXPECT_EQ(nv21->components[2].offset, 0);
  const auto gbrp = layout_of(AV_PIX_FMT_GBRP);
  ASSERT_TRUE(gbrp);
  EXPECT_EQ(gbrp->model, ColorModel::Rgb);
  EXPECT_EQ(gbrp->components[0].plane, 2);  // R is the third plane
  const auto p010 = layout_of(AV_PIX_FMT_P010LE);
  ASSERT_TRUE(p010);
  EXPECT_EQ(p010->components[0].shift, 6);
}

/// A clip in the pixel format `stored`. Its samples must equal those of FFmpeg's own conversion to the
/// planar format `planar`.
struct ClipFormat {
  const char* stored;
  const char* planar;
  const char* encoder;
};

/// Without this function, the test's name in CTest would contain the addresses of the strings.
void PrintTo(const ClipFormat& format, std::ostream* out) {
  *out << format.stored << " as " << format.planar << " by " << format.encoder;
}

/// Writes the frames of a filter graph to a file and returns its path. If no container supports the format,
/// returns a URL of the graph itself.
std::string make_clip(const TempDir& dir, const ClipFormat& format, const std::string& graph) {
  if (std::string(format.encoder) == "lavfi") return "lavfi:" + graph;
  ffmpeg("-f lavfi -i " + graph + " -c:v " + format.encoder + " " + (dir / "clip.nut"));
  return dir / "clip.nut";
}

/// Returns ffmpeg's input arguments for a URL or path that make_clip() returned.
std::string input_of(const std::string& url) {
  return url.starts_with("lavfi:") ? "-f lavfi -i " + url.substr(6) : "-i " + url;
}

class DecodedClip : public testing::TestWithParam<ClipFormat> {};

TEST_P(DecodedClip, MatchesFfmpegOutput) {
  const TempDir dir;
  const auto& [stored, planar, encoder] = GetParam();
  const std::string raw = dir / "expected.raw";
  const std::string clip = make_clip(
      dir, GetParam(), "testsrc2=size=62x38:rate=10,trim=end_frame=4,format=" + std::string(stored));
  ffmpeg(input_of(clip) + " -sws_flags +accurate_rnd+full_chroma_int+bitexact -pix_fmt " + planar +
         " -f rawvideo " + raw);

  media::SourceOptions options;
  options.url = clip;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->facts().pixel_format, stored);
  std::vector<std::uint8_t> actual;
  for (const Frame& frame : read_frames(*source)) {
    EXPECT_EQ(frame.bytes_copied, 0U);
    const auto samples = planar_samples(frame.view);
    actual.insert(actual.end(), samples.begin(), samples.end());
  }
  const auto expected = read_bytes(raw);
  ASSERT_EQ(actual.size(), expected.size());
  EXPECT_EQ(actual, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, DecodedClip,
    testing::Values(
        ClipFormat{"yuv420p", "yuv420p", "rawvideo"}, ClipFormat{"yuv422p", "yuv422p", "ffv1"},
        ClipFormat{"yuv444p", "yuv444p", "ffv1"}, ClipFormat{"yuv420p10le", "yuv420p10le", "ffv1"},
        ClipFormat{"yuv422p10le", "yuv422p10le", "ffv1"}, ClipFormat{"yuv444p10le", "yuv444p10le", "ffv1"},
        ClipFormat{"yuvj420p", "yuvj420p", "mjpeg"}, ClipFormat{"nv12", "yuv420p", "rawvideo"},
        ClipFormat{"nv21", "yuv420p", "rawvideo"}, ClipFormat{"yuyv422", "yuv422p", "rawvideo"},
        ClipFormat{"uyvy422", "yuv422p", "rawvideo"}, ClipFormat{"gray", "gray", "ffv1"},
        ClipFormat{"gray10le", "gray10le", "ffv1"}, ClipFormat{"rgb24", "gbrp", "rawvideo"},
        ClipFormat{"bgr24", "gbrp", "rawvideo"}, ClipFormat{"rgba", "gbrp", "rawvideo"},
        ClipFormat{"bgra", "gbrp", "ffv1"}, ClipFormat{"bgr0", "gbrp", "rawvideo"},
        ClipFormat{"gbrp", "gbrp", "rawvideo"}, ClipFormat{"gbrp10le", "gbrp10le", "ffv1"},
        ClipFormat{"nv24", "yuv444p", "lavfi"}, ClipFormat{"nv42", "yuv444p", "lavfi"},
        ClipFormat{"p010le", "yuv420p10le", "lavfi"}, ClipFormat{"p016le", "yuv420p16le", "lavfi"},
        ClipFormat{"p210le", "yuv422p10le", "lavfi"}, ClipFormat{"p410le", "yuv444p10le", "lavfi"},
        ClipFormat{"yuv420p12le", "yuv420p12le", "ffv1"}, ClipFormat{"yuv422p12le", "yuv422p12le", "ffv1"},
        ClipFormat{"yuv444p12le", "yuv444p12le", "ffv1"}, ClipFormat{"yuv420p16le", "yuv420p16le", "ffv1"},
        ClipFormat{"yuv422p16le", "yuv422p16le", "ffv1"}, ClipFormat{"yuv444p16le", "yuv444p16le", "ffv1"},
        ClipFormat{"yuv440p", "yuv440p", "ffv1"}, ClipFormat{"yuv411p", "yuv411p", "ffv1"},
        ClipFormat{"yuv410p", "yuv410p", "ffv1"}, ClipFormat{"gray12le", "gray12le", "ffv1"},
        ClipFormat{"gray16le", "gray16le", "ffv1"}, ClipFormat{"gbrp12le", "gbrp12le", "ffv1"},
        ClipFormat{"gbrp16le", "gbrp16le", "ffv1"}, ClipFormat{"rgb48le", "gbrp16le", "rawvideo"},
        ClipFormat{"rgba64le", "gbrp16le", "rawvideo"}, ClipFormat{"yuva420p", "yuv420p", "ffv1"},
        ClipFormat{"yuva444p10le", "yuv444p10le", "ffv1"}, ClipFormat{"gbrap", "gbrp", "rawvideo"}),
    [](const auto& tested) { return std::string(tested.param.stored) + "_" + tested.param.encoder; });

/// Tests widths and heights that the subsampling factor does not divide, down to one pixel. To save time,
/// tests only every second combination of size and format.
TEST(PixelLayout, HandlesAnyPictureSize) {
  bool is_tested = false;
  for (const auto& size : {Extent{1, 1}, Extent{1, 7}, Extent{3, 5}, Extent{17, 9}, Extent{64, 1}}) {
    is_tested = !is_tested;
    for (const ClipFormat& format :
         {ClipFormat{"yuv420p", "yuv420p", "ffv1"}, ClipFormat{"nv12", "yuv420p", "rawvideo"},
          ClipFormat{"p010le", "yuv420p10le", "lavfi"}, ClipFormat{"yuv422p10le", "yuv422p10le", "ffv1"},
          ClipFormat{"yuv410p", "yuv410p", "ffv1"}, ClipFormat{"yuv444p12le", "yuv444p12le", "ffv1"},
          ClipFormat{"gray", "gray", "ffv1"}, ClipFormat{"bgra", "gbrp", "rawvideo"}}) {
      is_tested = !is_tested;
      if (!is_tested) continue;
      SCOPED_TRACE(testing::Message() << format.stored << " " << size.width << "x" << size.height);
      const TempDir dir;
      const std::string clip =
          make_clip(dir, format,
                    "testsrc2=size=160x120,trim=end_frame=2,scale=" + std::to_string(size.width) + ":" +
                        std::to_string(size.height) + ",format=" + format.stored);
      ffmpeg(input_of(clip) + " -pix_fmt " + format.planar + " -f rawvideo " + (dir / "expected.raw"));
      const auto memory = make_heap_memory();
      const auto source = open_source({.url = clip, .memory = memory.get()});
      ASSERT_NE(source, nullptr);
      std::vector<std::uint8_t> actual;
      for (const Frame& frame : read_frames(*source)) {
        EXPECT_EQ(frame.view.size, size);
        EXPECT_EQ(frame.bytes_copied, 0U);
        const auto samples = planar_samples(frame.view);
        actual.insert(actual.end(), samples.begin(), samples.end());
      }
      EXPECT_EQ(actual, read_bytes(dir / "expected.raw"));
    }
  }
}

/// Tests a stream whose size and format change midway.
TEST(PixelLayout, FollowsMidStreamFormatChange) {
  const TempDir dir;
  struct Part {
    const char* size;
    const char* format;
    const char* profile;
  };
  std::vector<std::uint8_t> stream;
  std::vector<std::vector<std::uint8_t>> expected;
  for (const Part& part : {Part{"64x48", "yuv420p", "high"}, Part{"98x50", "yuv420p", "high"},
                           Part{"98x50", "yuv422p10le", "high422"}, Part{"34x18", "yuv444p", "high444"},
                           Part{"64x48", "yuv420p10le", "high10"}}) {
    ffmpeg("-f lavfi -i testsrc2=size=" + std::string(part.size) + ":rate=25 -frames:v 3 -pix_fmt " +
           part.format + " -c:v libx264 -profile:v " + part.profile + " -bf 0 " + (dir / "part.h264"));
    ffmpeg("-i " + (dir / "part.h264") + " -pix_fmt " + part.format + " -fps_mode passthrough -f rawvideo " +
           (dir / "part.raw"));
    const auto bytes = read_bytes(dir / "part.h264");
    stream.insert(stream.end(), bytes.begin(), bytes.end());
    const auto raw = read_bytes(dir / "part.raw");
    for (std::size_t i = 0; i < 3; ++i) {
      const auto frame = static_cast<std::ptrdiff_t>(raw.size() / 3);
      const auto at = raw.begin() + static_cast<std::ptrdiff_t>(i) * frame;
      expected.emplace_back(at, at + frame);
    }
  }
  write_bytes(dir / "clip.h264", stream);
  const auto memory = make_heap_memory();
  const auto source = open_source({.url = dir / "clip.h264", .memory = memory.get()});
  ASSERT_NE(source, nullptr);
  const auto frames = read_frames(*source);
  ASSERT_EQ(frames.size(), expected.size());
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(planar_samples(frames[i].view), expected[i]) << i;
}

/// Tests formats without a PixelLayout: they are converted to the nearest supported format, and
/// `bytes_copied` counts the bytes of the converted frame.
class ConvertedClip : public testing::TestWithParam<ClipFormat> {};

/// Converts frames of `pixels` RGB triples each. Each frame of the result has the planes G, B and R.
std::vector<std::uint8_t> planes_of_rgb24(const std::vector<std::uint8_t>& triples, std::size_t pixels) {
  std::vector<std::uint8_t> planes;
  for (std::size_t picture = 0; picture < triples.size(); picture += 3 * pixels) {
    for (const std::size_t component : {1, 2, 0}) {
      for (std::size_t i = 0; i < pixels; ++i) planes.push_back(triples[picture + 3 * i + component]);
    }
  }
  return planes;
}

TEST_P(ConvertedClip, UsesNearestFormatAndCountsCopy) {
  const TempDir dir;
  const auto [stored, planar, encoder] = GetParam();
  const std::string clip = dir / "clip.nut";
  const std::string raw = dir / "expected.raw";
  ffmpeg("-f lavfi -i testsrc2=size=62x38:rate=10 -frames:v 2 -pix_fmt " + std::string(stored) + " -c:v " +
         encoder + " " + clip);
  ffmpeg("-i " + clip + " -sws_flags +accurate_rnd+full_chroma_int+bitexact -pix_fmt " + planar +
         " -f rawvideo " + raw);

  const auto memory = make_heap_memory();
  media::SourceOptions options;
  options.url = clip;
  options.memory = memory.get();
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  std::vector<std::uint8_t> actual;
  for (const Frame& frame : read_frames(*source)) {
    const auto samples = planar_samples(frame.view);
    EXPECT_EQ(frame.bytes_copied, samples.size());
    EXPECT_NE(frame.view.block, nullptr);  // converted directly into the given memory
    actual.insert(actual.end(), samples.begin(), samples.end());
  }
  auto expected = read_bytes(raw);
  if (std::string(planar) == "rgb24") expected = planes_of_rgb24(expected, 62 * 38);
  EXPECT_EQ(actual, expected);
}

INSTANTIATE_TEST_SUITE_P(Formats, ConvertedClip,
                         testing::Values(ClipFormat{"yuv420p10be", "yuv420p10le", "rawvideo"},
                                         ClipFormat{"pal8", "rgb24", "rawvideo"},
                                         ClipFormat{"rgb565le", "rgb24", "rawvideo"},
                                         ClipFormat{"gray16be", "gray16le", "rawvideo"},
                                         ClipFormat{"monow", "gray", "rawvideo"}),
                         [](const auto& tested) { return std::string(tested.param.stored); });

}  // namespace
}  // namespace glyphreel::pixel_layout_test
