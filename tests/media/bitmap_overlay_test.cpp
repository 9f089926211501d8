// Tests that bitmap subtitles are decoded from the formats of discs and broadcasts, and blended over frames
// of every layout.
#include "media/subtitle/bitmap_overlay.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "media/frame/compositing.h"
#include "media/frame/host_planes.h"
#include "media/frame/pixel_layout.h"
#include "media/subtitle/subtitle_stream.h"
#include "support/clips.h"
#include "support/pictures.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media::bitmap_overlay_test {
namespace {

using namespace glyphreel::test;

/// Returns a bitmap of one color (0xAARRGGBB).
SubtitlePicture block(int x, int y, Extent size, std::uint32_t color) {
  SubtitlePicture picture;
  picture.x = x;
  picture.y = y;
  picture.size = size;
  picture.palette[7] = color;
  picture.indices.assign(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), 7);
  return picture;
}

std::shared_ptr<const BitmapSubtitle> bitmap(Extent canvas, std::vector<SubtitlePicture> pictures) {
  return std::make_shared<const BitmapSubtitle>(BitmapSubtitle{canvas, std::move(pictures)});
}

/// Returns a frame of `format` in which every component has a quarter of its maximum value.
Frame plain_frame(AVPixelFormat format, Extent size) {
  Frame frame;
  FrameView& view = frame.view;
  view.layout = *layout_of(format);
  view.size = size;
  view.color.range = view.layout.model == ColorModel::Rgb ? ColorRange::Full : ColorRange::Limited;
  HostPlanes planes = acquire_planes(nullptr, view.layout, size);
  attach_planes(planes, frame);
  frame.bytes_copied = 0;
  for (int c = 0; c < view.layout.component_count(); ++c) {
    const ComponentLayout& component = view.layout.components[static_cast<std::size_t>(c)];
    const Extent samples = component_size(view, c);
    for (int y = 0; y < samples.height; ++y) {
      for (int x = 0; x < samples.width; ++x) {
        std::byte* at = planes.planes.planes[component.plane] + planes.planes.strides[component.plane] * y +
                        component.offset + x * component.step;
        const unsigned code = 1U << (component.depth - 2) << component.shift;
        if (view.layout.bytes_per_sample == 1) {
          *at = static_cast<std::byte>(code);
        } else {
          *reinterpret_cast<std::uint16_t*>(at) = static_cast<std::uint16_t>(code);
        }
      }
    }
  }
  return frame;
}

TEST(BitmapOverlay, BlendsEveryLayout) {
  constexpr Extent Size{37, 21};
  const auto opaque = bitmap(Size, {block(8, 4, {12, 8}, 0xFF3080C0)});
  const auto half = bitmap(Size, {block(8, 4, {12, 8}, 0x803080C0)});
  int formats = 0;
  for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr;
       d = av_pix_fmt_desc_next(d)) {
    const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
    const auto layout = layout_of(format);
    if (!layout || layout->components[0].log2_subsampling_x > 0) continue;
    ++formats;
    SCOPED_TRACE(d->name);
    const Frame frame = plain_frame(format, Size);
    BitmapOverlay overlay(nullptr);
    const Frame covered = overlay.over(frame, std::array{opaque}, {});
    const Frame mixed = overlay.over(frame, std::array{half}, {});
    const auto codes = codes_of(0x3080C0, frame.view.layout, frame.view.color);
    for (int c = 0; c < layout->component_count(); ++c) {
      const ComponentLayout& component = layout->components[static_cast<std::size_t>(c)];
      const Extent samples = component_size(frame.view, c);
      const unsigned before = 1U << (component.depth - 2);
      for (int y = 0; y < samples.height; ++y) {
        for (int x = 0; x < samples.width; ++x) {
          const int px = x << component.log2_subsampling_x;
          const int py = y << component.log2_subsampling_y;
          const bool inside = px >= 8 && px < 20 && py >= 4 && py < 12;
          const unsigned code = codes[static_cast<std::size_t>(c)];
          ASSERT_NEAR(sample_at(covered.view, c, x, y), inside ? code : before, component.depth > 12 ? 1 : 0)
              << c << ' ' << x << ',' << y;
          const double wanted = inside ? before + (static_cast<double>(code) - before) * 128 / 255 : before;
          ASSERT_NEAR(sample_at(mixed.view, c, x, y), wanted, component.depth > 12 ? 1.5 : 0.75)
              << c << ' ' << x << ',' << y;
          ASSERT_EQ(sample_at(frame.view, c, x, y), before)
              << "the overlay must not change the original frame";
        }
      }
    }
  }
  EXPECT_GE(formats, 60);
}

TEST(BitmapOverlay, SubsampledChromaUsesMean) {
  const Frame frame = plain_frame(AV_PIX_FMT_YUV420P, {16, 16});
  const auto white = bitmap({16, 16}, {block(5, 5, {1, 1}, 0xFFFFFFFF)});
  BitmapOverlay overlay(nullptr);
  const Frame result = overlay.over(frame, std::array{white}, {});
  EXPECT_EQ(sample_at(result.view, 0, 5, 5), 235U);
  EXPECT_EQ(sample_at(result.view, 0, 4, 5), 64U);
  EXPECT_EQ(sample_at(result.view, 1, 2, 2), 80U) << "a quarter of the way from 64 to 128";
  EXPECT_EQ(sample_at(result.view, 1, 3, 2), 64U);
}

TEST(BitmapOverlay, CopiesOnlyWhenVisible) {
  const auto memory = make_heap_memory();
  const Frame frame = plain_frame(AV_PIX_FMT_P010, {64, 48});
  BitmapOverlay overlay(memory.get());
  const Frame untouched = overlay.over(frame, {}, {});
  EXPECT_EQ(untouched.view.planes[0], frame.view.planes[0]);
  EXPECT_EQ(untouched.bytes_copied, 0U);
  const auto something = bitmap({64, 48}, {block(0, 0, {8, 8}, 0xFFFFFFFF)});
  for (int i = 0; i < 2; ++i) {
    const Frame covered = overlay.over(frame, std::array{something}, {});
    EXPECT_EQ(covered.bytes_copied, 64U * 48 * 2 * 3 / 2);
    ASSERT_NE(covered.view.block, nullptr) << "the frame must be in the given memory";
    EXPECT_EQ(covered.view.block->origin, memory.get());
    EXPECT_EQ(sample_at(covered.view, 0, 0, 0), 940U);
    EXPECT_EQ(sample_at(covered.view, 0, 63, 47), 256U);
  }
  EXPECT_EQ(overlay.over(frame, {}, {}).bytes_copied, 0U);
}

TEST(BitmapOverlay, NewFramePreparesAgain) {
  BitmapOverlay overlay(nullptr);
  const auto something = bitmap({64, 48}, {block(32, 24, {32, 24}, 0xFFFFFFFF)});
  const Frame small = overlay.over(plain_frame(AV_PIX_FMT_GRAY8, {64, 48}), std::array{something}, {});
  EXPECT_EQ(sample_at(small.view, 0, 31, 24), 64U);
  EXPECT_EQ(sample_at(small.view, 0, 32, 24), 235U);
  const Frame large = overlay.over(plain_frame(AV_PIX_FMT_GRAY8, {128, 96}), std::array{something}, {});
  EXPECT_EQ(sample_at(large.view, 0, 62, 60), 64U);
  EXPECT_EQ(sample_at(large.view, 0, 66, 60), 235U);
}

TEST(BitmapOverlay, IsDimmedOverHdr) {
  Frame frame = plain_frame(AV_PIX_FMT_YUV420P10, {16, 16});
  frame.view.color.transfer = 16;
  BitmapOverlay overlay(nullptr);
  const auto white = bitmap({16, 16}, {block(0, 0, {16, 16}, 0xFFFFFFFF)});
  EXPECT_NEAR(sample_at(overlay.over(frame, std::array{white}, {}).view, 0, 8, 8), 64 + 876 * 0.58, 1);
}

TEST(BitmapOverlay, BlendsOnBlack) {
  const Frame frame = plain_frame(AV_PIX_FMT_YUV444P, {64, 128});
  BitmapOverlay overlay(nullptr);
  const auto text = bitmap({64, 128}, {block(20, 50, {12, 6}, 0xFFFFFFFF)});
  const Frame result = overlay.over(frame, std::array{text}, {.backing = 0.5});
  EXPECT_EQ(sample_at(result.view, 0, 25, 53), 235U);
  EXPECT_EQ(sample_at(result.view, 0, 18, 48), 40U)
      << "half of 64 plus half of 16 (black): the backing extends beyond the text by a third of a line";
  EXPECT_EQ(sample_at(result.view, 1, 18, 48), 96U);
  EXPECT_EQ(sample_at(result.view, 0, 17, 53), 64U);
  EXPECT_EQ(sample_at(result.view, 0, 25, 47), 64U);
}

TEST(BitmapOverlay, FollowsRotation) {
  const auto corner = bitmap({48, 64}, {block(0, 0, {4, 8}, 0xFFFFFFFF)});
  const auto lit = [&](Rotation rotation) {
    Frame frame = plain_frame(AV_PIX_FMT_GRAY8, rotation == Rotation::Half ? Extent{48, 64} : Extent{64, 48});
    frame.view.rotation = rotation;
    BitmapOverlay overlay(nullptr);
    const Frame result = overlay.over(frame, std::array{corner}, {});
    int left = 999, right = 0, top = 999, bottom = 0;
    for (int y = 0; y < frame.view.size.height; ++y) {
      for (int x = 0; x < frame.view.size.width; ++x) {
        if (sample_at(result.view, 0, x, y) != 235) continue;
        left = std::min(left, x), right = std::max(right, x + 1), top = std::min(top, y),
        bottom = std::max(bottom, y + 1);
      }
    }
    return std::array{left, top, right, bottom};
  };
  // The bitmap is in the upper left corner of the upright frame. It must be blended over the corresponding
  // corner of the stored frame.
  EXPECT_EQ(lit(Rotation::Clockwise90), (std::array{0, 44, 8, 48}));
  EXPECT_EQ(lit(Rotation::Clockwise270), (std::array{56, 0, 64, 4}));
  EXPECT_EQ(lit(Rotation::Half), (std::array{44, 56, 48, 64}));
}

TEST(PlacePictures, FollowsVideoPlacement) {
  const auto placed = [](Extent canvas, SubtitlePicture picture, Extent frame, double aspect = 1,
                         double least = 0) {
    return place_pictures({canvas, {std::move(picture)}}, frame, aspect, {.min_line_height = least}).at(0);
  };
  const SubtitlePicture low = block(480, 960, {960, 60}, 0xFFFFFFFF);
  EXPECT_EQ(placed({1920, 1080}, low, {1920, 1080}), (PlacedPicture{480, 960, {960, 60}}));
  EXPECT_EQ(placed({1920, 1080}, low, {1280, 720}), (PlacedPicture{320, 640, {640, 40}}));
  EXPECT_EQ(placed({1920, 1080}, low, {1920, 800}), (PlacedPicture{480, 740, {960, 60}}))
      << "moved from a letterbox bar into the video";
  EXPECT_EQ(placed({1920, 1080}, block(480, 20, {960, 60}, 0xFFFFFFFF), {1920, 800}).y, 0);
  EXPECT_EQ(placed({720, 480}, block(100, 400, {400, 30}, 0xFFFFFFFF), {720, 480}, 32.0 / 27),
            (PlacedPicture{100, 400, {400, 30}}))
      << "a DVD's bitmaps are in stored coordinates";
  EXPECT_EQ(placed({1920, 1080}, low, {1440, 1080}, 4.0 / 3), (PlacedPicture{360, 960, {720, 60}}))
      << "these bitmaps are in display coordinates";
  EXPECT_EQ(placed({1920, 1080}, block(1900, 1070, {100, 100}, 0xFFFFFFFF), {1920, 1080}),
            (PlacedPicture{1820, 980, {100, 100}}))
      << "moved inside from beyond the canvas";
}

TEST(PlacePictures, EnlargesSmallLines) {
  const auto placed = [](std::vector<SubtitlePicture> pictures, double least) {
    return place_pictures({{1920, 1080}, std::move(pictures)}, {1920, 1080}, 1, {.min_line_height = least});
  };
  // Each line of text is 54 pixels high, 0.05 of the frame's height. `least` is the minimum of that fraction.
  EXPECT_EQ(placed({block(760, 1000, {400, 54}, 0xFFFFFFFF)}, 0.1).at(0),
            (PlacedPicture{560, 946, {800, 108}}));
  EXPECT_EQ(placed({block(760, 1000, {400, 54}, 0xFFFFFFFF)}, 0.04).at(0),
            (PlacedPicture{760, 1000, {400, 54}}));
  EXPECT_EQ(placed({block(360, 1000, {1200, 54}, 0xFFFFFFFF)}, 0.2).at(0),
            (PlacedPicture{0, 968, {1920, 86}}))
      << "enlarged only to the width of the video";
  EXPECT_EQ(placed({block(760, 20, {400, 54}, 0xFFFFFFFF)}, 0.1).at(0), (PlacedPicture{560, 20, {800, 108}}))
      << "enlarged downward at the top";
  const auto both =
      placed({block(760, 900, {400, 54}, 0xFFFFFFFF), block(760, 960, {400, 54}, 0xFFFFFFFF)}, 0.1);
  EXPECT_EQ(both.at(0), (PlacedPicture{760, 900, {400, 54}})) << "enlarged bitmaps would overlap";
}

TEST(PlacePictures, FitsCellRows) {
  const auto options = readable_in_rows(45);
  const auto place =
      place_pictures({{1920, 1080}, {block(760, 1000, {300, 54}, 0xFFFFFFFF)}}, {1920, 1080}, 1, options);
  EXPECT_EQ(place.at(0).size.height, 120) << "5 of 45 rows";
}

TEST(PlacePictures, MeasuresLineHeights) {
  EXPECT_DOUBLE_EQ(text_line_height(block(0, 0, {100, 60}, 0xFFFFFFFF), {1920, 1080}), 60);
  EXPECT_DOUBLE_EQ(text_line_height(block(0, 0, {100, 120}, 0xFFFFFFFF), {1920, 1080}), 60)
      << "two lines that touch";
  SubtitlePicture two = block(0, 0, {100, 110}, 0xFFFFFFFF);
  for (int y = 50; y < 60; ++y)
    std::fill_n(two.indices.begin() + static_cast<std::ptrdiff_t>(y) * 100, 100, std::uint8_t{0});
  EXPECT_DOUBLE_EQ(text_line_height(two, {1920, 1080}), 50);
  EXPECT_DOUBLE_EQ(text_line_height(block(0, 0, {100, 60}, 0x00FFFFFF), {1920, 1080}), 0);
}

using Bytes = std::vector<std::uint8_t>;

void put(Bytes& bytes, std::uint32_t value, int count) {
  for (int i = count - 1; i >= 0; --i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

/// Appends a segment of a .sup file: the magic "PG", the presentation and decoding times, the type, the size,
/// and the payload. US patent application 2009/0185789 describes the format.
void put_segment(Bytes& file, double seconds, std::uint8_t type, const Bytes& payload) {
  put(file, 0x5047, 2);
  put(file, static_cast<std::uint32_t>(std::lround(seconds * 90000)), 4);
  put(file, 0, 4);
  put(file, type, 1);
  put(file, static_cast<std::uint32_t>(payload.size()), 2);
  file.insert(file.end(), payload.begin(), payload.end());
}

Bytes composition(int number, bool shows) {
  Bytes bytes;
  put(bytes, 1920, 2);
  put(bytes, 1080, 2);
  put(bytes, 0x10, 1);
  put(bytes, static_cast<std::uint32_t>(number), 2);
  put(bytes, shows ? 0x80 : 0x00, 1);  // composition state: epoch start or normal case
  put(bytes, 0, 2);
  put(bytes, shows ? 1 : 0, 1);
  if (shows) {
    put(bytes, 0, 4);  // object 0 in window 0, uncropped
    put(bytes, 700, 2);
    put(bytes, 900, 2);
  }
  return bytes;
}

/// Returns a .sup file with a bitmap of 8x4 pixels, shown from 2 s to 4 s and from 6 s on. The inner 6x2
/// pixels are white, and the others are transparent.
Bytes sup_file() {
  Bytes file;
  Bytes window = {1, 0};
  for (const std::uint32_t value : {700U, 900U, 8U, 4U}) put(window, value, 2);
  const Bytes palette = {0, 0, 1, 235, 128, 128, 255};
  Bytes object = {0, 0, 0, 0xC0};
  // There are four rows. The outer two have 8 pixels of color 0. Each of the inner two has 1 pixel of color
  // 0, 6 pixels of color 1, and 1 pixel of color 0.
  const Bytes rle = {0x00, 0x08, 0x00, 0x00,                                //
                     0x00, 0x01, 0x00, 0x86, 0x01, 0x00, 0x01, 0x00, 0x00,  //
                     0x00, 0x01, 0x00, 0x86, 0x01, 0x00, 0x01, 0x00, 0x00,  //
                     0x00, 0x08, 0x00, 0x00};
  put(object, static_cast<std::uint32_t>(rle.size()) + 4, 3);
  put(object, 8, 2);
  put(object, 4, 2);
  object.insert(object.end(), rle.begin(), rle.end());
  int number = 0;
  for (const double seconds : {2.0, 6.0}) {
    put_segment(file, seconds, 0x16, composition(number++, true));
    put_segment(file, seconds, 0x17, window);
    put_segment(file, seconds, 0x14, palette);
    put_segment(file, seconds, 0x15, object);
    put_segment(file, seconds, 0x80, {});
    if (seconds > 5) continue;
    put_segment(file, seconds + 2, 0x16, composition(number++, false));
    put_segment(file, seconds + 2, 0x17, window);
    put_segment(file, seconds + 2, 0x80, {});
  }
  return file;
}

TEST(BitmapSubtitles, PgsFile) {
  const TempDir dir;
  write_bytes(dir / "a.sup", sup_file());
  const auto events = load_subtitle_file(dir / "a.sup", "");
  ASSERT_TRUE(events) << events.error().message << events.error().cause;
  ASSERT_EQ(events->size(), 3U);
  const SubtitleEvent& first = (*events)[0];
  EXPECT_DOUBLE_EQ(first.start_seconds, 2);
  EXPECT_EQ(first.end_seconds, std::numeric_limits<double>::infinity());
  ASSERT_NE(first.bitmap, nullptr);
  EXPECT_EQ(first.bitmap->canvas, (Extent{1920, 1080}));
  ASSERT_EQ(first.bitmap->pictures.size(), 1U);
  const SubtitlePicture& picture = first.bitmap->pictures[0];
  EXPECT_EQ(picture.x, 701);
  EXPECT_EQ(picture.y, 901);
  EXPECT_EQ(picture.size, (Extent{6, 2})) << "cropped to the opaque part";
  EXPECT_EQ(picture.indices, Bytes(12, 1));
  EXPECT_EQ(picture.palette[1], 0xFFFFFFFFU);
  EXPECT_DOUBLE_EQ((*events)[1].start_seconds, 4);
  EXPECT_TRUE((*events)[1].clears_display());
  EXPECT_DOUBLE_EQ((*events)[2].start_seconds, 6);
  EXPECT_FALSE((*events)[2].clears_display());
}

/// A packet with one 32x16 bitmap at (40, 60), and the packet's stream. The bitmap has a border of color 1
/// around an area of color 2.
struct Encoded {
  SubtitleStream stream;
  PacketPtr packet;
};
Encoded encoded_picture(AVCodecID id, Extent canvas) {
  const AVCodec* codec = avcodec_find_encoder(id);
  if (codec == nullptr) {
    ADD_FAILURE() << "no encoder";
    return {};
  }
  const CodecContextPtr context(avcodec_alloc_context3(codec));
  context->width = canvas.width;
  context->height = canvas.height;
  context->time_base = {1, 1000};
  EXPECT_GE(avcodec_open2(context.get(), codec, nullptr), 0);
  Bytes indices(32 * 16, 2);
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 32; ++x) {
      if (x < 2 || y < 2 || x >= 30 || y >= 14) indices[static_cast<std::size_t>(y * 32 + x)] = 1;
    }
  }
  std::array<std::uint32_t, 256> palette{0x00000000, 0xFF000000, 0xFFFFFFFF, 0x00000000};
  AVSubtitleRect rect{};
  rect.type = SUBTITLE_BITMAP;
  rect.x = 40;
  rect.y = 60;
  rect.w = 32;
  rect.h = 16;
  rect.nb_colors = 4;
  rect.data[0] = indices.data();
  rect.data[1] = reinterpret_cast<std::uint8_t*>(palette.data());
  rect.linesize[0] = 32;
  AVSubtitleRect* rects[] = {&rect};
  AVSubtitle subtitle{};
  subtitle.end_display_time = 1500;
  subtitle.num_rects = 1;
  subtitle.rects = rects;
  subtitle.pts = 0;

  Encoded encoded;
  encoded.stream.parameters.reset(avcodec_parameters_alloc());
  avcodec_parameters_from_context(encoded.stream.parameters.get(), context.get());
  encoded.stream.time_base = {1, 1000};
  Bytes buffer(1 << 20);
  encoded.packet = new_packet();
  const int size =
      avcodec_encode_subtitle(context.get(), buffer.data(), static_cast<int>(buffer.size()), &subtitle);
  EXPECT_GT(size, 0);
  EXPECT_GE(av_new_packet(encoded.packet.get(), size), 0);
  std::copy_n(buffer.begin(), size, encoded.packet->data);
  encoded.packet->pts = 2500;
  return encoded;
}

std::vector<SubtitleEvent> encode_and_decode(AVCodecID id, Extent canvas) {
  Encoded encoded = encoded_picture(id, canvas);
  const auto decoder = SubtitleDecoder::open(encoded.stream, "");
  if (!decoder) return {};
  return (*decoder)->decode({.packet = std::move(encoded.packet), .time_base = encoded.stream.time_base});
}

void expect_framed_block(const std::vector<SubtitleEvent>& events, Extent canvas) {
  ASSERT_EQ(events.size(), 1U);
  EXPECT_DOUBLE_EQ(events[0].start_seconds, 2.5);
  ASSERT_NE(events[0].bitmap, nullptr);
  EXPECT_EQ(events[0].bitmap->canvas, canvas);
  ASSERT_EQ(events[0].bitmap->pictures.size(), 1U);
  const SubtitlePicture& picture = events[0].bitmap->pictures[0];
  EXPECT_EQ(picture.x, 40);
  EXPECT_EQ(picture.y, 60);
  ASSERT_EQ(picture.size, (Extent{32, 16}));
  const auto color = [&](int x, int y) {
    return picture.palette[picture.indices[static_cast<std::size_t>(y * 32 + x)]];
  };
  for (const auto& [x, y] : {std::pair{0, 0}, {31, 15}, {1, 8}})
    EXPECT_EQ(color(x, y) & 0xFF808080, 0xFF000000U);
  for (const auto& [x, y] : {std::pair{2, 2}, {29, 13}, {16, 8}})
    EXPECT_EQ(color(x, y) & 0xFFC0C0C0, 0xFFC0C0C0U);
}

TEST(BitmapSubtitles, Dvd) {
  const auto events = encode_and_decode(AV_CODEC_ID_DVD_SUBTITLE, {720, 576});
  expect_framed_block(events, {720, 576});
  ASSERT_FALSE(events.empty());
  EXPECT_NEAR(events[0].end_seconds, 4, 0.02) << "DVD times are multiples of 1024/90000 s";
}

/// Loads a DVD's subtitles from a .sub file and an .idx file. The .sub file has the bitmaps, in packs of an
/// MPEG program stream. The .idx file has their times and colors.
TEST(BitmapSubtitles, VobSubFiles) {
  const TempDir dir;
  const Encoded encoded = encoded_picture(AV_CODEC_ID_DVD_SUBTITLE, {720, 576});
  Bytes file;
  for (const int value : {0x00, 0x00, 0x01, 0xBA, 0x44, 0x00, 0x04, 0x00, 0x04, 0x01, 0x01, 0x89, 0xC3, 0xF8})
    file.push_back(static_cast<std::uint8_t>(value));  // pack header of ISO 13818-1, 2.5.3.3
  const auto size = static_cast<std::uint32_t>(encoded.packet->size);
  ASSERT_LT(size, 2000U);
  put(file, 0x000001BD, 4);  // private stream 1
  put(file, size + 9, 2);
  put(file, 0x8180, 2);
  put(file, 5, 1);
  const std::uint32_t pts = 225000;  // 2.5 s
  put(file, 0x21 | (pts >> 30 & 7) << 1, 1);
  put(file, (pts >> 15 & 0x7FFF) << 1 | 1, 2);
  put(file, (pts & 0x7FFF) << 1 | 1, 2);
  put(file, 0x20, 1);  // the first subtitle stream
  file.insert(file.end(), encoded.packet->data, encoded.packet->data + size);
  put(file, 0x000001B9, 4);
  write_bytes(dir / "film.sub", file);
  const std::string extradata(reinterpret_cast<const char*>(encoded.stream.parameters->extradata),
                              static_cast<std::size_t>(encoded.stream.parameters->extradata_size));
  const std::string index = "# VobSub index file, v7 (do not modify this line!)\n" + extradata +
                            "\nid: en, index: 0\ntimestamp: 00:00:02:500, filepos: 000000000\n";
  write_bytes(dir / "film.idx", {index.begin(), index.end()});
  const auto events = load_subtitle_file(dir / "film.idx", "");
  ASSERT_TRUE(events) << events.error().message << events.error().cause;
  expect_framed_block(*events, {720, 576});
}

TEST(BitmapSubtitles, Dvb) {
  expect_framed_block(encode_and_decode(AV_CODEC_ID_DVB_SUBTITLE, {720, 576}), {720, 576});
}

}  // namespace
}  // namespace glyphreel::media::bitmap_overlay_test
