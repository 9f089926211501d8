// Tests that transparent inputs are blended over the background.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "media/frame/compositing.h"
#include "media/frame/pixel_layout.h"
#include "media/source.h"
#include "support/clips.h"
#include "support/pictures.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media::alpha_test {
namespace {

using namespace glyphreel::test;

std::vector<Frame> read_over(const std::string& path, std::uint32_t background,
                             HostMemory* memory = nullptr) {
  SourceOptions options;
  options.url = path;
  options.background = background;
  options.memory = memory;
  const auto source = open_source(options);
  return source == nullptr ? std::vector<Frame>{} : read_frames(*source);
}

/// ffmpeg arguments of a 64x48 clip with 8-bit values, even if the output format has more bits. The opacity
/// increases from left to right, from 0 to 252; the color is (200, 120, 40).
constexpr const char* Ramp =
    "-f lavfi -i color=white:size=64x48:rate=5 -frames:v 1 "
    "-vf format=gbrap,geq=r=200:g=120:b=40:a='4*X',format=gbrap ";

constexpr double RampColor[] = {200, 120, 40};

/// Blends the ramp's color over `background` (0xRRGGBB) with `opacity`. Returns one component of the result,
/// from 0 to 255. `component`: 0 for R', 1 for G', 2 for B'.
double ramp_over(int component, std::uint32_t background, double opacity) {
  const double behind = (background >> (16 - 8 * component)) & 255;
  return RampColor[component] * opacity + behind * (1 - opacity);
}

void expect_ramp_in_rgb(const Frame& frame, std::uint32_t background, double tolerance) {
  ASSERT_EQ(frame.view.layout.model, ColorModel::Rgb);
  const double greatest = (1 << frame.view.layout.components[0].depth) - 1;
  for (int y = 0; y < 48; y += 7) {
    for (int x = 0; x < 64; ++x) {
      for (int c = 0; c < 3; ++c) {
        ASSERT_NEAR(sample_at(frame.view, c, x, y) * 255 / greatest, ramp_over(c, background, 4 * x / 255.0),
                    tolerance)
            << x << ',' << y << " component " << c;
      }
    }
  }
}

TEST(Alpha, RgbSourcesBlendOverBackground) {
  const TempDir dir;
  for (const char* format : {"rgba", "bgra", "argb", "abgr", "gbrap", "rgba64le", "gbrap10le", "gbrap16le"}) {
    SCOPED_TRACE(format);
    const std::string clip = dir / (std::string(format) + ".nut");
    const bool planar = std::string(format).starts_with("gbr");
    ffmpeg(std::string(Ramp) + "-pix_fmt " + format + " -c:v " + (planar ? "ffv1 " : "rawvideo ") + clip);
    for (const std::uint32_t background : {0x000000U, 0xFFFFFFU, 0x3080C0U}) {
      const auto memory = make_heap_memory();
      const auto frames = read_over(clip, background, memory.get());
      ASSERT_EQ(frames.size(), 1U);
      // FFmpeg pads with zeros when it converts the clip to more bits, so color and opacity are slightly too
      // small.
      expect_ramp_in_rgb(frames[0], background, frames[0].view.layout.components[0].depth == 8 ? 0.51 : 2);
      EXPECT_NE(frames[0].view.block, nullptr) << "the frame must be in the given memory";
      EXPECT_EQ(frames[0].bytes_copied, 3U * 64 * 48 * frames[0].view.layout.bytes_per_sample);
    }
  }
}

TEST(Alpha, EveryPngKindBlends) {
  const TempDir dir;
  ffmpeg(std::string(Ramp) + "-pix_fmt rgba " + (dir / "8.png"));
  ffmpeg(std::string(Ramp) + "-pix_fmt rgba64be " +
         (dir / "16.png"));  // big-endian samples are converted before they are blended
  expect_ramp_in_rgb(read_over(dir / "8.png", 0x3080C0).at(0), 0x3080C0, 0.51);
  expect_ramp_in_rgb(read_over(dir / "16.png", 0x3080C0).at(0), 0x3080C0, 1.5);

  // A clip in gray with alpha.
  ffmpeg(
      "-f lavfi -i color=white:size=64x48:rate=5 -frames:v 1 -vf "
      "format=rgba,geq=r=80:g=80:b=80:a='4*X',format=ya8 " +
      (dir / "gray.png"));
  const auto gray = read_over(dir / "gray.png", 0xFFFFFF);
  ASSERT_EQ(gray.size(), 1U);
  ASSERT_EQ(gray[0].view.layout.model, ColorModel::Gray);
  ASSERT_EQ(gray[0].view.color.range, ColorRange::Full);
  for (int x = 0; x < 64; ++x) {
    EXPECT_NEAR(sample_at(gray[0].view, 0, x, 5), 80 * (4 * x / 255.0) + 255 * (1 - 4 * x / 255.0), 1.1) << x;
  }
}

/// Expects that the left half is opaque red and that the right half is the background.
void expect_half(const Frame& frame, std::uint32_t background) {
  ASSERT_EQ(frame.view.layout.model, ColorModel::Rgb);
  for (int y = 0; y < 48; y += 5) {
    for (int x = 0; x < 64; x += 3) {
      const std::uint32_t wanted = x < 32 ? 0xFF0000U : background;
      for (int c = 0; c < 3; ++c) {
        ASSERT_NEAR(sample_at(frame.view, c, x, y), (wanted >> (16 - 8 * c)) & 255, 1) << x << ',' << y;
      }
    }
  }
}

constexpr const char* Half =
    "-f lavfi -i color=red:size=64x48:rate=5:duration=0.2 -vf "
    "\"format=rgba,geq=r=255:g=0:b=0:a='255*lt(X,32)'";

TEST(Alpha, GifAndPalettesBlend) {
  const TempDir dir;
  const std::string palette =
      ",split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse=alpha_threshold=128";
  ffmpeg(std::string(Half) + palette + "\" " + (dir / "half.gif"));
  ffmpeg(std::string(Half) + palette + "\" -pix_fmt pal8 " + (dir / "half.png"));
  for (const std::uint32_t background : {0x000000U, 0x20C040U}) {
    expect_half(read_over(dir / "half.gif", background).at(0), background);
    const auto frames = read_over(dir / "half.png", background);
    ASSERT_EQ(frames.size(), 1U);
    expect_half(frames[0], background);
  }
}

TEST(Alpha, AnimatedWebpBlends) {
  const TempDir dir;
  ffmpeg(std::string(Half) + "\" -c:v libwebp_anim -lossless 1 " + (dir / "half.webp"));
  ffmpeg(
      "-f lavfi -i color=white:size=64x48:rate=5 -frames:v 2 -vf "
      "format=gbrap,geq=r=200:g=120:b=40:a='4*X',format=bgra -c:v libwebp_anim -lossless 1 " +
      (dir / "ramp.webp"));
  for (const std::uint32_t background : {0x000000U, 0xFFFFFFU, 0x3080C0U}) {
    expect_half(read_over(dir / "half.webp", background).at(0), background);
    const auto frames = read_over(dir / "ramp.webp", background);
    ASSERT_FALSE(frames.empty());
    for (const Frame& frame : frames) expect_ramp_in_rgb(frame, background, 0.51);
  }
}

TEST(Alpha, OpaqueFramesAreNotCopied) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=64x48 -frames:v 1 -pix_fmt rgba -c:v rawvideo " + (dir / "opaque.nut"));
  const auto frames = read_over(dir / "opaque.nut", 0xFFFFFF);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].bytes_copied, 0U);
}

TEST(Alpha, BackgroundMayChangeMidStream) {
  const TempDir dir;
  ffmpeg("-f lavfi -i color=red@0.0:size=64x48:rate=5,format=rgba -frames:v 3 -c:v rawvideo " +
         (dir / "clear.nut"));
  SourceOptions options;
  options.url = dir / "clear.nut";
  options.background = 0x102030;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  for (const std::uint32_t background : {0x102030U, 0xFFEEDDU, 0x000000U}) {
    source->set_background(background);
    auto item = source->read();
    ASSERT_TRUE(item);
    const auto* frame = std::get_if<Frame>(&*item);
    ASSERT_NE(frame, nullptr);
    for (int c = 0; c < 3; ++c)
      EXPECT_EQ(sample_at(frame->view, c, 9, 9), (background >> (16 - 8 * c)) & 255);
  }
}

/// Returns the R'G'B' value of one pixel of a YUV frame, converted as the frame's color tags declare.
std::array<double, 3> rgb_at(const FrameView& view, int x, int y) {
  const ComponentLayout& chroma = view.layout.components[1];
  const auto code = [&](int c) {
    const int sx = c == 0 ? 0 : chroma.log2_subsampling_x;
    const int sy = c == 0 ? 0 : chroma.log2_subsampling_y;
    return sample_at(view, c, x >> sx, y >> sy) /
           static_cast<double>(1 << (view.layout.components[0].depth - 8));
  };
  const bool limited = view.color.range == ColorRange::Limited;
  const double kr = view.color.matrix == YuvMatrix::Bt601 ? 0.299 : 0.2126;
  const double kb = view.color.matrix == YuvMatrix::Bt601 ? 0.114 : 0.0722;
  const double luma = limited ? (code(0) - 16) * 255 / 219 : code(0);
  const double cb = (code(1) - 128) * (limited ? 255.0 / 224 : 1);
  const double cr = (code(2) - 128) * (limited ? 255.0 / 224 : 1);
  const double red = luma + 2 * (1 - kr) * cr;
  const double blue = luma + 2 * (1 - kb) * cb;
  return {red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue};
}

void expect_ramp_in_yuv(const std::string& path, std::uint32_t background, double tolerance) {
  SCOPED_TRACE(path);
  const auto frames = read_over(path, background);
  ASSERT_EQ(frames.size(), 1U);
  const FrameView& view = frames[0].view;
  ASSERT_EQ(view.layout.model, ColorModel::Yuv);
  const int span = 1 << view.layout.components[1].log2_subsampling_x;
  for (int y = 4; y < 44; y += 8) {
    for (int x = 4; x < 60; ++x) {
      // Allow a larger error with subsampling: chroma is blended with the mean opacity of two pixels.
      const double opacity = 4 * x / 255.0;
      const std::array<double, 3> got = rgb_at(view, x, y);
      for (int c = 0; c < 3; ++c) {
        ASSERT_NEAR(got[static_cast<std::size_t>(c)], ramp_over(c, background, opacity),
                    tolerance + 2 * (span - 1))
            << x << ',' << y << " component " << c;
      }
    }
  }
}

TEST(Alpha, YuvSourcesBlend) {
  const TempDir dir;
  for (const char* format :
       {"yuva420p", "yuva422p", "yuva444p", "yuva420p10le", "yuva444p10le", "yuva444p12le", "yuva444p16le"}) {
    const std::string clip = dir / (std::string(format) + ".nut");
    const bool raw = std::string(format) == "yuva444p12le";
    ffmpeg(std::string(Ramp) + "-pix_fmt " + format + " -c:v " + (raw ? "rawvideo " : "ffv1 ") + clip);
    for (const std::uint32_t background : {0x000000U, 0xFFFFFFU, 0x3080C0U})
      expect_ramp_in_yuv(clip, background, 3);
  }
}

TEST(Alpha, VideoCodecsWithAlphaBlend) {
  const TempDir dir;
  ffmpeg(std::string(Ramp) + "-pix_fmt yuva444p10le -c:v prores_ks -profile:v 4444 -alpha_bits 16 " +
         (dir / "a.mov"));
  ffmpeg(std::string(Ramp) + "-pix_fmt yuva420p -c:v libvpx-vp9 -crf 10 -b:v 0 " + (dir / "a9.webm"));
  ffmpeg(std::string(Ramp) + "-pix_fmt yuva420p -c:v libvpx -crf 4 -b:v 4M -auto-alt-ref 0 " +
         (dir / "a8.webm"));
  for (const std::uint32_t background : {0x000000U, 0x3080C0U}) {
    expect_ramp_in_yuv(dir / "a.mov", background, 6);
    expect_ramp_in_yuv(dir / "a9.webm", background, 10);
    expect_ramp_in_yuv(dir / "a8.webm", background, 14);
  }
}

/// Blends a frame in every format that has alpha, and compares each sample with the result of the blending
/// formula.
TEST(Alpha, BlendIsExactInEveryFormat) {
  std::mt19937 random(3);
  int formats = 0;
  for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr;
       d = av_pix_fmt_desc_next(d)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
    const auto alpha = alpha_of(format);
    if (!alpha) continue;
    ++formats;
    SCOPED_TRACE(d->name);
    FrameView view;
    view.layout = *layout_of(format);
    view.size = {37, 21};
    view.color.range = ColorRange::Full;
    std::array<std::vector<std::byte>, 4> source;
    std::array<std::vector<std::byte>, 4> mixed;
    WritablePlanes target;
    for (std::size_t p = 0; p < 4; ++p) {
      source[p].resize(37 * 8 * 21);
      std::generate(source[p].begin(), source[p].end(),
                    [&random] { return static_cast<std::byte>(random()); });
      // Clear the random bits outside of each sample's depth: the formats require that they are zero.
      if (view.layout.bytes_per_sample == 2) {
        const std::uint16_t mask = static_cast<std::uint16_t>(((1U << alpha->depth) - 1) << alpha->shift);
        for (std::size_t i = 0; i < source[p].size(); i += 2) {
          std::uint16_t word = 0;
          std::memcpy(&word, &source[p][i], 2);
          word &= mask;
          std::memcpy(&source[p][i], &word, 2);
        }
      }
      mixed[p].resize(source[p].size());
      view.planes[p] = source[p].data();
      view.strides[p] = 37 * 8;
      target.planes[p] = mixed[p].data();
      target.strides[p] = 37 * 8;
    }
    const std::uint32_t background = random() & 0xFFFFFF;
    const auto background_codes = codes_of(background, view.layout, view.color);
    composite(view, *alpha, background, target);
    FrameView result = view;
    for (std::size_t p = 0; p < 4; ++p) result.planes[p] = target.planes[p];
    FrameView opacities = view;
    opacities.layout.components[0] = *alpha;
    const double greatest = (1 << alpha->depth) - 1;
    for (int c = 0; c < view.layout.component_count(); ++c) {
      const ComponentLayout& component = view.layout.components[static_cast<std::size_t>(c)];
      const Extent size = component_size(view, c);
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          double sum = 0;
          int count = 0;
          for (int py = y << component.log2_subsampling_y;
               py < std::min(21, (y + 1) << component.log2_subsampling_y); ++py) {
            for (int px = x << component.log2_subsampling_x;
                 px < std::min(37, (x + 1) << component.log2_subsampling_x); ++px, ++count) {
              sum += sample_at(opacities, 0, px, py);
            }
          }
          const double opacity = std::floor(sum / count + 0.5) / greatest;
          const double wanted =
              std::floor(sample_at(view, c, x, y) * opacity +
                         background_codes[static_cast<std::size_t>(c)] * (1 - opacity) + 0.5 + 1e-7);
          ASSERT_EQ(sample_at(result, c, x, y), static_cast<unsigned>(wanted)) << c << ' ' << x << ',' << y;
        }
      }
    }
  }
  EXPECT_GE(formats, 20);
}

TEST(Alpha, BackgroundCodeValues) {
  const PixelLayout yuv = *layout_of(AV_PIX_FMT_YUVA420P);
  const PixelLayout yuv10 = *layout_of(AV_PIX_FMT_YUVA420P10);
  using Codes = std::array<std::uint32_t, 3>;
  // The expected values are those of 75 % and 100 % color bars in BT.709-6 and BT.601-7.
  EXPECT_EQ(codes_of(0x000000, yuv, {}), (Codes{16, 128, 128}));
  EXPECT_EQ(codes_of(0xFFFFFF, yuv, {}), (Codes{235, 128, 128}));
  EXPECT_EQ(codes_of(0xFF0000, yuv, {}), (Codes{63, 102, 240}));
  EXPECT_EQ(codes_of(0xFF0000, yuv, {.matrix = YuvMatrix::Bt601}), (Codes{81, 90, 240}));
  EXPECT_EQ(codes_of(0x0000FF, yuv, {.matrix = YuvMatrix::Bt601}), (Codes{41, 240, 110}));
  EXPECT_EQ(codes_of(0xFFFFFF, yuv10, {}), (Codes{940, 512, 512}));
  EXPECT_EQ(codes_of(0xFFFFFF, yuv, {.range = ColorRange::Full}), (Codes{255, 128, 128}));
  EXPECT_EQ(codes_of(0xFF8000, *layout_of(AV_PIX_FMT_RGBA64), {}), (Codes{65535, 32896, 0}));
}

}  // namespace
}  // namespace glyphreel::media::alpha_test
