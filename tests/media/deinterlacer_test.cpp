#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "support/clips.h"
#include "support/pictures.h"

namespace glyphreel::media::deinterlacer_test {
namespace {

using namespace glyphreel::test;

/// Compares each sample with the mean of the samples above and below it, and returns the mean absolute
/// difference. The result is large if the frame interleaves the rows of two instants.
double combing(const FrameView& view) {
  double sum = 0;
  for (int y = 1; y + 1 < view.size.height; ++y) {
    for (int x = 0; x < view.size.width; ++x) {
      const auto luma = [&](int row) { return static_cast<double>(sample_at(view, 0, x, row)); };
      sum += std::abs(luma(y) - (luma(y - 1) + luma(y + 1)) / 2);
    }
  }
  return sum / (view.size.width * (view.size.height - 2));
}

/// Makes a clip of a bar that moves 8 pixels per field. `filters` can interleave the fields, and `encoder`
/// can flag the frames as interlaced.
std::string clip(const TempDir& dir, const std::string& name, const std::string& filters,
                 const std::string& encoder) {
  const std::string path = dir / name;
  ffmpeg(
      "-f lavfi -i color=black:size=192x96:rate=50 -f lavfi -i color=white:size=24x96:rate=50 "
      "-filter_complex "
      "\"[0][1]overlay=x='mod(n*8,192)':eval=frame" +
      filters + "\" -frames:v 20 -pix_fmt yuv420p " + encoder + " " + path);
  return path;
}

const std::string Weave = ",interlace=lowpass=off";
const std::string Interlaced = "-c:v libx264 -flags +ilme+ildct -bf 2 -g 8";

std::vector<Frame> read_all(const std::string& path, Deinterlacing mode) {
  const auto source = open_source({.url = path, .deinterlace = mode});
  return source ? read_frames(*source) : std::vector<Frame>{};
}

TEST(Deinterlacer, RemovesCombing) {
  const TempDir dir;
  for (const char* name : {"clip.mp4", "clip.ts"}) {
    const std::string path = clip(dir, name, Weave, Interlaced);
    const auto woven = read_all(path, Deinterlacing::No);
    const auto whole = read_all(path, Deinterlacing::Auto);
    ASSERT_EQ(woven.size(), 20U);
    ASSERT_EQ(whole.size(), 20U);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(whole[i].pts, woven[i].pts);
      EXPECT_EQ(whole[i].duration, woven[i].duration);
      EXPECT_EQ(whole[i].view.layout, woven[i].view.layout);
      EXPECT_EQ(whole[i].view.color, woven[i].view.color);
      EXPECT_GT(combing(woven[i].view), 8.0) << i;
      EXPECT_LT(combing(whole[i].view), 2.5) << i;
      EXPECT_EQ(woven[i].bytes_copied, 0U);
      EXPECT_EQ(whole[i].bytes_copied, 192U * 96U * 3 / 2);
    }
  }
}

TEST(Deinterlacer, PassesProgressiveFramesThrough) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", "", "-c:v libx264");
  const auto memory = make_heap_memory();
  const auto source = open_source({.url = path, .memory = memory.get()});
  ASSERT_NE(source, nullptr);
  for (const Frame& frame : read_frames(*source)) {
    EXPECT_EQ(frame.bytes_copied, 0U);
    EXPECT_NE(frame.view.block, nullptr);
  }
}

TEST(Deinterlacer, HandlesMixedFramesIndividually) {
  const TempDir dir;
  const std::string options = " -f mpegts";
  const std::string first = clip(dir, "a.ts", "", "-c:v libx264 -bf 0" + options);
  const std::string second =
      clip(dir, "b.ts", Weave, "-c:v libx264 -flags +ilme+ildct -bf 0 -output_ts_offset 10" + options);
  const std::string third = clip(dir, "c.ts", "", "-c:v libx264 -bf 0 -output_ts_offset 20" + options);
  auto all = read_bytes(first);
  for (const std::string& part : {second, third}) {
    const auto bytes = read_bytes(part);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  write_bytes(dir / "all.ts", all);
  const auto woven = read_all(dir / "all.ts", Deinterlacing::No);
  const auto whole = read_all(dir / "all.ts", Deinterlacing::Auto);
  ASSERT_EQ(woven.size(), 60U);
  ASSERT_EQ(whole.size(), 60U);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool is_woven = i >= 20 && i < 40;
    EXPECT_EQ(whole[i].pts, woven[i].pts) << i;
    EXPECT_EQ(whole[i].bytes_copied > 0, is_woven) << i;
    EXPECT_EQ(planar_samples(whole[i].view) == planar_samples(woven[i].view), !is_woven) << i;
  }
}

TEST(Deinterlacer, SeeksToSameFrames) {
  const TempDir dir;
  const std::string path = clip(dir, "clip.mp4", Weave, Interlaced);
  const auto whole = read_all(path, Deinterlacing::Auto);
  ASSERT_EQ(whole.size(), 20U);
  const auto source = open_source({.url = path});
  ASSERT_NE(source, nullptr);
  for (const std::size_t target :
       {std::size_t{13}, std::size_t{2}, std::size_t{19}, std::size_t{0}, std::size_t{9}}) {
    ASSERT_TRUE(source->seek((static_cast<double>(target) - 0.5) * 0.04));
    for (std::size_t i = target; i < std::min<std::size_t>(target + 3, 20); ++i) {
      const auto item = source->read();
      ASSERT_TRUE(item);
      const auto* frame = std::get_if<Frame>(&*item);
      ASSERT_NE(frame, nullptr);
      EXPECT_EQ(frame->pts, whole[i].pts);
      EXPECT_LT(combing(frame->view), 2.5) << i;
    }
  }
}

}  // namespace
}  // namespace glyphreel::media::deinterlacer_test
