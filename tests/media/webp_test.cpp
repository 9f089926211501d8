// Tests animated WebP, for which FFmpeg has no decoder.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <webp/demux.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <thread>

#include "media/input/input.h"
#include "media/listing.h"
#include "media/still/webp_animation.h"
#include "support/clips.h"
#include "support/http_server.h"
#include "support/pictures.h"
#include "support/shots.h"

namespace glyphreel::media::webp_test {
namespace {

using namespace glyphreel::test;
using Bytes = std::vector<std::uint8_t>;

void put(Bytes& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}
void put(Bytes& to, const std::string& text) {
  for (const char character : text) to.push_back(static_cast<std::uint8_t>(character));
}

enum class After { Stays, IsCleared };
enum class Over { Blends, Replaces };

/// One frame of an animation that animation_of() assembles. `x` and `y` are even.
struct Part {
  std::string still;  ///< path of a WebP still
  Extent size;
  int duration_ms = 100;
  int x = 0, y = 0;
  After after = After::Stays;
  Over over = Over::Replaces;
};

Bytes animation_of(Extent canvas, int plays, const std::vector<Part>& parts) {
  Bytes file;
  put(file, "RIFF");
  put(file, 0, 4);
  put(file, "WEBPVP8X");
  put(file, 10, 4);
  put(file, 0x12, 4);  // flags: animated, with alpha
  put(file, static_cast<std::uint64_t>(canvas.width - 1), 3);
  put(file, static_cast<std::uint64_t>(canvas.height - 1), 3);
  put(file, "ANIM");
  put(file, 6, 4);
  put(file, 0xFF00FFFF, 4);  // the background color, which the decoder ignores, as browsers do
  put(file, static_cast<std::uint64_t>(plays), 2);
  for (const Part& part : parts) {
    const Bytes still = read_bytes(part.still);
    Bytes own(still.begin() + 12, still.end());
    if (std::equal(own.begin(), own.begin() + 4, "VP8X")) own.erase(own.begin(), own.begin() + 18);
    put(file, "ANMF");
    put(file, own.size() + 16, 4);
    put(file, static_cast<std::uint64_t>(part.x / 2), 3);
    put(file, static_cast<std::uint64_t>(part.y / 2), 3);
    put(file, static_cast<std::uint64_t>(part.size.width - 1), 3);
    put(file, static_cast<std::uint64_t>(part.size.height - 1), 3);
    put(file, static_cast<std::uint64_t>(part.duration_ms), 3);
    put(file, (part.over == Over::Replaces ? 2U : 0U) | (part.after == After::IsCleared ? 1U : 0U), 1);
    file.insert(file.end(), own.begin(), own.end());
  }
  for (std::size_t i = 0; i < 4; ++i) file[4 + i] = static_cast<std::uint8_t>((file.size() - 8) >> 8 * i);
  return file;
}

/// Makes a lossless image of one color, such as "red", or "red@0.5" for an opacity of 0.5.
Part plain(const TempDir& dir, const std::string& color, Extent size) {
  const std::string path = dir / (color + ".webp");
  ffmpeg("-f lavfi -i color=" + color + ":size=" + std::to_string(size.width) + "x" +
         std::to_string(size.height) + ",format=bgra -frames:v 1 -c:v libwebp -lossless 1 " + path);
  return {.still = path, .size = size};
}

std::vector<Shot> shots_of(const std::string& path) {
  SourceOptions options;
  options.url = path;
  return watch(options).shots;
}

Error error_of(const std::string& path) {
  SourceOptions options;
  options.url = path;
  const auto source = Source::open(options);
  if (source) {
    ADD_FAILURE() << path << " opened";
    return {};
  }
  return source.error();
}

using Color = std::array<unsigned, 3>;
Color color_at(const Frame& frame, int x, int y) {
  return {sample_at(frame.view, 0, x, y), sample_at(frame.view, 1, x, y), sample_at(frame.view, 2, x, y)};
}

constexpr Color Red{255, 0, 0}, Green{0, 128, 0}, Black{0, 0, 0};

TEST(AnimatedWebp, FramesMatchSource) {
  const TempDir dir;
  const std::string source = "-f lavfi -i testsrc2=size=94x50:rate=10,format=bgra -frames:v 25 ";
  ffmpeg(source + "-c:v libwebp_anim -lossless 1 " + (dir / "a.webp"));
  ffmpeg(source + "-c:v rawvideo " + (dir / "a.nut"));
  const auto shots = shots_of(dir / "a.webp");
  const auto expected = shots_of(dir / "a.nut");
  ASSERT_EQ(shots.size(), 25U);
  ASSERT_EQ(expected.size(), 25U);
  for (std::size_t i = 0; i < shots.size(); ++i) {
    EXPECT_EQ(shots[i].samples, expected[i].samples) << "frame " << i;
    EXPECT_EQ(shots[i].pts, static_cast<std::int64_t>(100 * i));
    EXPECT_EQ(shots[i].duration, 100);
  }
}

TEST(AnimatedWebp, UnevenTimestampsAreExact) {
  const TempDir dir;
  const Extent size{20, 12};
  std::vector<Part> parts;
  for (const int duration : {40, 170, 11, 20, 0, 16'777'215, 10, 33}) {
    parts.push_back(plain(dir, parts.size() % 2 == 0 ? "red" : "blue", size));
    parts.back().duration_ms = duration;
  }
  write_bytes(dir / "a.webp", animation_of(size, 1, parts));
  SourceOptions options;
  options.url = dir / "a.webp";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->facts().codec, "webp");
  EXPECT_EQ(source->facts().size, size);
  EXPECT_EQ(source->facts().frame_count, 8);
  EXPECT_EQ(source->facts().time_base, (Rational{1, 1000}));
  const auto shots = watch(*source).shots;
  ASSERT_EQ(shots.size(), parts.size());
  std::int64_t time = 0;
  for (std::size_t i = 0; i < shots.size(); ++i) {
    const std::int64_t duration = parts[i].duration_ms <= 10 ? 100 : parts[i].duration_ms;  // as in browsers
    EXPECT_EQ(shots[i].pts, time) << i;
    EXPECT_EQ(shots[i].duration, duration) << i;
    time += duration;
  }
  EXPECT_DOUBLE_EQ(source->facts().duration_seconds.value_or(0), static_cast<double>(time) / 1000);
}

TEST(AnimatedWebp, PartsAreBlendedAndDisposed) {
  const TempDir dir;
  const Extent canvas{32, 16};
  const Extent half{16, 16};
  std::vector<Part> parts = {plain(dir, "red", canvas), plain(dir, "green", half),
                             plain(dir, "blue@0.0", half), plain(dir, "blue@0.0", half),
                             plain(dir, "blue@0.5", half)};
  parts[1].after = After::IsCleared;
  parts[2].x = 16;  // transparent over red, so red remains visible
  parts[2].over = Over::Blends;
  parts[3].x = 16;               // replaces red by transparency
  parts[4].over = Over::Blends;  // blends over the transparent area
  write_bytes(dir / "a.webp", animation_of(canvas, 1, parts));
  SourceOptions options;
  options.url = dir / "a.webp";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  const auto frames = read_frames(*source);
  ASSERT_EQ(frames.size(), 5U);
  const std::array<std::array<Color, 2>, 4> expected = {
      {{Red, Red}, {Green, Red}, {Black, Red}, {Black, Black}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(color_at(frames[i], 5, 5), expected[i][0]) << "frame " << i;
    EXPECT_EQ(color_at(frames[i], 20, 5), expected[i][1]) << "frame " << i;
  }
  EXPECT_NEAR(color_at(frames[4], 5, 5)[2], 127, 1);
  EXPECT_EQ(color_at(frames[4], 20, 5), Black);
}

/// Returns frames, some of which are keyframes. One of them is a keyframe only because the area of the
/// previous frame is cleared.
std::vector<Part> with_key_pictures(const TempDir& dir, Extent canvas) {
  const Extent part{canvas.width / 2, canvas.height / 2};
  std::vector<Part> parts;
  for (int i = 0; i < 24; ++i) {
    const char* color = i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "blue@0.5";
    const bool is_whole = i % 7 == 0;
    parts.push_back(plain(dir, color, is_whole ? canvas : part));
    Part& made = parts.back();
    made.still = dir / (std::to_string(i) + ".webp");
    write_bytes(made.still, read_bytes(dir / (std::string(color) + ".webp")));
    made.over = is_whole || i % 2 == 0 ? Over::Replaces : Over::Blends;
    made.after = i % 5 == 0 ? After::IsCleared : After::Stays;
    if (!is_whole) made.x = 2 * (i % 4);
    made.duration_ms = 20 + 13 * i;
  }
  return parts;
}

/// Decodes all frames in order with libwebp and blends them over black. Each returned picture has the planes
/// G, B and R.
std::vector<std::vector<std::uint8_t>> decoded_in_order(const Bytes& file, Extent size) {
  const WebPData bytes{file.data(), file.size()};
  const std::unique_ptr<WebPAnimDecoder, decltype(&WebPAnimDecoderDelete)> decoder(
      WebPAnimDecoderNew(&bytes, nullptr), WebPAnimDecoderDelete);
  std::vector<std::vector<std::uint8_t>> pictures;
  std::uint8_t* rgba = nullptr;
  int end_ms = 0;
  while (decoder != nullptr && WebPAnimDecoderGetNext(decoder.get(), &rgba, &end_ms) != 0) {
    std::vector<std::uint8_t>& planes = pictures.emplace_back();
    for (const int component : {1, 2, 0}) {
      for (int i = 0; i < size.width * size.height; ++i) {
        planes.push_back(static_cast<std::uint8_t>((rgba[4 * i + component] * rgba[4 * i + 3] + 127) / 255));
      }
    }
  }
  return pictures;
}

void expect_near(const std::vector<std::uint8_t>& actual, const std::vector<std::uint8_t>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1) << "sample " << i;
}

TEST(AnimatedWebp, SeeksMatchLinearPlayback) {
  const TempDir dir;
  const Extent canvas{64, 48};
  write_bytes(dir / "keys.webp", animation_of(canvas, 1, with_key_pictures(dir, canvas)));
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10,format=bgra -frames:v 24 -c:v libwebp_anim -lossless 1 " +
         (dir / "one-key.webp"));
  // A clip of moving transparency with lossy color and a separate alpha plane.
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x48:rate=10 -frames:v 24 -vf \"format=yuva420p,geq=lum='lum(X,Y)'"
      ":cb='cb(X,Y)':cr='cr(X,Y)':a='255*lt(mod(X+4*N,32),16)'\" -c:v libwebp_anim " +
      (dir / "clear.webp"));
  for (const char* name : {"keys.webp", "one-key.webp", "clear.webp"}) {
    SCOPED_TRACE(name);
    const auto animation = WebpAnimation::parse(read_bytes(dir / name), name);
    ASSERT_TRUE(animation);
    const auto keys = std::ranges::count((*animation)->pictures(), true, &WebpAnimation::Picture::is_key);
    if (std::string(name) == "keys.webp") {
      EXPECT_GE(keys, 5);
      EXPECT_LT(keys, 24);
    }
    SourceOptions options;
    options.url = dir / name;
    const auto source = open_source(options);
    ASSERT_NE(source, nullptr);
    const auto linear = watch(*source).shots;
    ASSERT_GE(linear.size(), 20U);  // the encoder merges similar frames
    const auto in_order = decoded_in_order(read_bytes(dir / name), canvas);
    ASSERT_EQ(linear.size(), in_order.size());
    for (std::size_t i = 0; i < linear.size(); ++i) {
      SCOPED_TRACE(i);
      expect_near(linear[i].samples, in_order[i]);
    }
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
      const std::size_t target = random() % linear.size();
      const SeekMode mode = round % 3 == 0 ? SeekMode::FrameBefore : SeekMode::Exact;
      ASSERT_TRUE(source->seek(static_cast<double>(linear[target].pts) / 1000, mode));
      const std::size_t first = mode == SeekMode::FrameBefore && target > 0 ? target - 1 : target;
      for (std::size_t i = first; i < std::min(first + 3, linear.size()); ++i) {
        const auto item = source->read();
        ASSERT_TRUE(item);
        ASSERT_TRUE(std::holds_alternative<Frame>(*item)) << "frame " << i;
        EXPECT_EQ(shot_of(std::get<Frame>(*item)), linear[i]) << "frame " << i;
      }
    }
  }
}

TEST(AnimatedWebp, ReportsLoopCount) {
  const TempDir dir;
  const Extent size{8, 8};
  for (const int plays : {0, 1, 5, 65535}) {
    write_bytes(dir / "a.webp",
                animation_of(size, plays, {plain(dir, "red", size), plain(dir, "blue", size)}));
    const auto input = Input::open(dir / "a.webp");
    ASSERT_TRUE(input) << input.error().message;
    EXPECT_EQ((*input)->facts().play_count, plays);
    EXPECT_FALSE((*input)->facts().is_still_image);
    EXPECT_TRUE((*input)->facts().is_seekable);
  }
}

TEST(AnimatedWebp, SingleFrameIsStill) {
  const TempDir dir;
  const Extent size{8, 8};
  write_bytes(dir / "a.webp", animation_of(size, 0, {plain(dir, "red", size)}));
  const auto input = Input::open(dir / "a.webp");
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_TRUE((*input)->facts().is_still_image);
  EXPECT_EQ(shots_of(dir / "a.webp").size(), 1U);
}

TEST(AnimatedWebp, IsListedAsAnimation) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10 -frames:v 3 -c:v libwebp_anim " + (dir / "a.webp"));
  const auto listing = list_input(dir / "a.webp");
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->container, "webp");
  ASSERT_EQ(listing->streams.size(), 1U);
  EXPECT_EQ(listing->streams[0].codec, "webp");
  ASSERT_TRUE(listing->streams[0].video);
  EXPECT_EQ(listing->streams[0].video->size, (Extent{64, 48}));
  EXPECT_DOUBLE_EQ(listing->streams[0].video->fps, 10);
}

TEST(AnimatedWebp, IsReadFromPipesAndServers) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=320x240:rate=10 -frames:v 12 -c:v libwebp_anim -lossless 1 -loop 3 " +
         (dir / "a.webp"));
  const Bytes file = read_bytes(dir / "a.webp");
  ASSERT_GT(file.size(), 100'000U);  // larger than any buffer between the file and the decoder
  const std::string text(file.begin(), file.end());
  const auto expected = shots_of(dir / "a.webp");
  ASSERT_EQ(expected.size(), 12U);

  for (const bool can_seek : {true, false}) {
    const HttpServer server(
        [&](const std::string&, int) -> HttpAnswer { return {.body = text, .can_seek = can_seek}; });
    SourceOptions options;
    options.url = server.url("/a.webp");
    const auto source = open_source(options);
    ASSERT_NE(source, nullptr);
    EXPECT_EQ(source->input().play_count, 3);
    EXPECT_FALSE(source->input().is_live);
    expect_same(watch(*source).shots, expected);
  }

  const std::string fifo = dir / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::jthread writer([&] { std::ofstream(fifo, std::ios::binary) << text; });
  SourceOptions options;
  options.url = fifo;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->input().play_count, 3);
  expect_same(watch(*source).shots, expected);
  ASSERT_TRUE(source->seek(0.5)) << "all data is available";
  const auto item = source->read();
  ASSERT_TRUE(item);
  ASSERT_TRUE(std::holds_alternative<Frame>(*item));
  EXPECT_EQ(shot_of(std::get<Frame>(*item)), expected[5]);
}

TEST(AnimatedWebp, TruncatedFileIsRejected) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=10 -frames:v 5 -c:v libwebp_anim " + (dir / "a.webp"));
  const Bytes whole = read_bytes(dir / "a.webp");
  for (std::size_t size = WebpHeadBytes; size < whole.size(); size += size < 120 ? 1 : 97) {
    write_bytes(dir / "cut.webp", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    const Error error = error_of(dir / "cut.webp");
    EXPECT_EQ(error.code, ErrorCode::BadInput);
    EXPECT_NE(error.message.find(dir / "cut.webp"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("cut short"), std::string::npos) << size << " bytes: " << error.message;
  }
  // Write the truncated file's size to its RIFF header, so that only the last frame's chunk is cut short.
  Bytes mended(whole.begin(), whole.end() - 50);
  for (std::size_t i = 0; i < 4; ++i) mended[4 + i] = static_cast<std::uint8_t>((mended.size() - 8) >> 8 * i);
  write_bytes(dir / "cut.webp", mended);
  EXPECT_NE(error_of(dir / "cut.webp").message.find("cut short"), std::string::npos);
  // An animation without frames.
  write_bytes(dir / "cut.webp", animation_of({8, 8}, 1, {}));
  EXPECT_NE(error_of(dir / "cut.webp").message.find("cut short"), std::string::npos);
}

TEST(AnimatedWebp, OversizedFileIsRejected) {
  const TempDir dir;
  const Part red = plain(dir, "red", {8, 8});
  for (const Extent canvas : {Extent{16384, 8}, Extent{8, 1 << 24}, Extent{16383, 8192}}) {
    write_bytes(dir / "large.webp", animation_of(canvas, 1, {red, red}));
    EXPECT_NE(error_of(dir / "large.webp").message.find("too large"), std::string::npos);
  }
  Bytes file = animation_of({8, 8}, 1, {red, red});
  file[7] = 0x20;  // declares 512 MiB
  write_bytes(dir / "large.webp", file);
  EXPECT_NE(error_of(dir / "large.webp").message.find("too large"), std::string::npos);
  write_bytes(dir / "long.webp", animation_of({8, 8}, 1, std::vector<Part>(WebpLimits::Pictures + 1, red)));
  EXPECT_NE(error_of(dir / "long.webp").message.find("too large"), std::string::npos);
}

TEST(AnimatedWebp, DamagedFrameIsSkipped) {
  const TempDir dir;
  const Extent size{16, 16};
  const std::vector<Part> parts(6, plain(dir, "red", size));  // each frame is a keyframe
  Bytes file = animation_of(size, 1, parts);
  const auto animation = WebpAnimation::parse(file, "");
  ASSERT_TRUE(animation);
  for (const std::size_t damaged : {1U, 2U, 5U}) {
    const WebpAnimation::Picture& picture = (*animation)->pictures()[damaged];
    for (std::size_t i = 24 + 9; i < picture.size; ++i) file[picture.offset + i] = 0xFF;
  }
  write_bytes(dir / "a.webp", file);
  SourceOptions options;
  options.url = dir / "a.webp";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  std::vector<std::int64_t> times;
  for (const Shot& shot : watch(*source).shots) times.push_back(shot.pts);
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 300, 400}));
  EXPECT_EQ(source->damaged_packets(), 3U);
  ASSERT_TRUE(source->seek(0.3, SeekMode::FrameBefore));
  const auto before = source->read();
  ASSERT_TRUE(before && std::holds_alternative<Frame>(*before));
  EXPECT_EQ(std::get<Frame>(*before).pts, 0) << "the two frames in between are damaged";
}

TEST(AnimatedWebp, RandomByteFlipsNeverCrash) {
  const TempDir dir;
  const Extent canvas{24, 16};
  const Bytes made = animation_of(canvas, 1, with_key_pictures(dir, canvas));
  ffmpeg("-f lavfi -i testsrc2=size=48x32:rate=10 -frames:v 8 -c:v libwebp_anim " + (dir / "lossy.webp"));
  ffmpeg("-f lavfi -i testsrc2=size=48x32:rate=10,format=bgra -frames:v 8 -c:v libwebp_anim -lossless 1 " +
         (dir / "lossless.webp"));
  std::mt19937 random(11);
  std::size_t frames_seen = 0;
  for (const Bytes& whole : {made, read_bytes(dir / "lossy.webp"), read_bytes(dir / "lossless.webp")}) {
    for (int round = 0; round < 60; ++round) {
      Bytes bytes = whole;
      for (int flip = 0; flip < 1 << (round / 10); ++flip) {
        // In every other round, damage the headers only.
        const std::size_t within = round % 2 == 0 ? std::min<std::size_t>(bytes.size(), 100) : bytes.size();
        bytes[random() % within] ^= static_cast<std::uint8_t>(1U << random() % 8);
      }
      write_bytes(dir / "broken.webp", bytes);
      SourceOptions options;
      options.url = dir / "broken.webp";
      auto source = Source::open(options);
      if (!source) {
        EXPECT_EQ(source.error().code, ErrorCode::BadInput);
        continue;
      }
      // If a bit flip made the canvas very large, do not read all frames.
      const bool is_large = (*source)->facts().size.width > 4096 || (*source)->facts().size.height > 4096;
      for (int frames = 0; !is_large && frames < 30; ++frames) {
        auto item = (*source)->read();
        if (!item || std::holds_alternative<EndOfStream>(*item)) break;
        if (const auto* frame = std::get_if<Frame>(&*item)) {
          ++frames_seen;
          EXPECT_FALSE(planar_samples(frame->view).empty());
        }
      }
    }
  }
  EXPECT_GT(frames_seen, 100U);
}

}  // namespace
}  // namespace glyphreel::media::webp_test
