#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "present/export/image/color_quantizer.h"
#include "present/export/image/gif_file.h"
#include "present/export/image/gif_lzw.h"

namespace glyphreel::present::gif_test {
namespace {

/// Decodes the sub-blocks of gif_lzw(), as GIF89a's appendix F describes.
std::vector<int> decode(const std::string& bytes) {
  const int bits = bytes[0];
  std::vector<bool> stream;
  for (std::size_t at = 1; bytes[at] != 0;) {
    const std::size_t length = static_cast<unsigned char>(bytes[at++]);
    for (std::size_t i = 0; i < length; ++i, ++at) {
      for (int bit = 0; bit < 8; ++bit)
        stream.push_back((static_cast<unsigned char>(bytes[at]) >> bit & 1) != 0);
    }
  }
  const std::size_t clear = std::size_t{1} << bits;
  std::vector<std::vector<int>> table;
  std::vector<int> pixels, previous;
  std::size_t width = static_cast<std::size_t>(bits) + 1;
  for (std::size_t at = 0; at + width <= stream.size();) {
    std::size_t code = 0;
    for (std::size_t bit = 0; bit < width; ++bit) code |= static_cast<std::size_t>(stream[at + bit]) << bit;
    at += width;
    if (code == clear + 1) return pixels;
    if (code == clear) {
      table.assign(clear + 2, {});
      for (std::size_t i = 0; i < clear; ++i) table[i] = {static_cast<int>(i)};
      width = static_cast<std::size_t>(bits) + 1;
      previous.clear();
      continue;
    }
    std::vector<int> entry = previous;
    if (code < table.size())
      entry = table[code];
    else
      entry.push_back(previous.at(0));
    if (!previous.empty() && table.size() < 4096) {
      previous.push_back(entry[0]);
      table.push_back(previous);
      if (table.size() == std::size_t{1} << width && width < 12) ++width;
    }
    pixels.insert(pixels.end(), entry.begin(), entry.end());
    previous = entry;
  }
  return {};
}

TEST(GifLzw, DecodesToThePixels) {
  std::mt19937 random(7);
  for (const int bits : {2, 4, 8}) {
    for (const int spread : {1, 3, 1 << bits}) {
      for (const std::size_t count : {1u, 2u, 5u, 1000u, 40000u}) {
        std::vector<GifPixel> pixels;
        std::vector<int> wanted;
        for (std::size_t i = 0; i < count; ++i) {
          const int color = static_cast<int>(random() % static_cast<unsigned>(spread));
          pixels.push_back({static_cast<std::int16_t>(color), false});
          wanted.push_back(color);
        }
        EXPECT_EQ(decode(gif_lzw(pixels, -1, bits).bytes), wanted) << bits << " bits, " << count << " pixels";
      }
    }
  }
}

/// Returns the size in bits if each code is the longest match, without a full dictionary.
std::size_t greedy_bits(const std::vector<GifPixel>& pixels, int bits) {
  std::map<std::pair<int, int>, int> children;
  int next = (1 << bits) + 2;
  int code_bits = bits + 1;
  auto size = static_cast<std::size_t>(code_bits);
  int code = -1;
  for (const GifPixel& pixel : pixels) {
    const auto found = children.find({code, pixel.color});
    if (code < 0 || found != children.end()) {
      code = code < 0 ? pixel.color : found->second;
      continue;
    }
    size += static_cast<std::size_t>(code_bits);
    children[{code, pixel.color}] = next;
    if (next == 1 << code_bits) ++code_bits;
    ++next;
    code = pixel.color;
  }
  return size + 2 * static_cast<std::size_t>(code_bits);
}

TEST(GifLzw, CodesEndWhereTheNextOneCoversMore) {
  std::mt19937 random(5);
  std::vector<GifPixel> pixels;  // a few words in random order
  const std::array<std::string, 5> words{"abcabd", "bcab", "dabcc", "aab", "cabdab"};
  while (pixels.size() < 6000) {
    for (const char letter : words[random() % words.size()])
      pixels.push_back({.color = static_cast<std::int16_t>(letter - 'a')});
  }
  const GifData data = gif_lzw(pixels, -1, 2);
  EXPECT_LT(8 * data.bytes.size(), greedy_bits(pixels, 2) * 99 / 100);
  EXPECT_TRUE(std::ranges::equal(decode(data.bytes), pixels, {}, {}, &GifPixel::color));
}

TEST(GifLzw, TransparencyIsUsedOnlyWhereAllowed) {
  std::mt19937 random(3);
  std::vector<GifPixel> pixels;
  for (int i = 0; i < 20000; ++i) {
    const bool may = random() % 3 != 0;
    const bool must = may && random() % 3 == 0;
    pixels.push_back({static_cast<std::int16_t>(must ? -1 : static_cast<int>(random() % 7)), may});
  }
  const std::vector<int> decoded = decode(gif_lzw(pixels, 7, 3).bytes);
  ASSERT_EQ(decoded.size(), pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const bool is_right = decoded[i] == pixels[i].color || (decoded[i] == 7 && pixels[i].may_be_transparent);
    ASSERT_TRUE(is_right) << i << ": " << decoded[i];
  }
}

TEST(GifLzw, AlternativesMakeLongerMatches) {
  std::mt19937 random(3);
  std::vector<GifPixel> pixels;
  for (int i = 0; i < 20000; ++i)
    pixels.push_back({static_cast<std::int16_t>(random() % 6), random() % 4 == 0, random() % 4 != 0});
  const std::vector<std::vector<std::uint8_t>> alternatives{{1}, {0}, {}, {4, 5}, {3}, {3}};
  const GifData exact = gif_lzw(pixels, 7, 3);
  const GifData similar = gif_lzw(pixels, 7, 3, alternatives);
  EXPECT_LT(similar.bytes.size(), exact.bytes.size() * 9 / 10);
  const std::vector<int> decoded = decode(similar.bytes);
  ASSERT_EQ(decoded.size(), pixels.size());
  ASSERT_EQ(similar.indices.size(), pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    ASSERT_EQ(similar.indices[i], decoded[i]) << i;
    const std::vector<std::uint8_t>& others = alternatives[static_cast<std::size_t>(pixels[i].color)];
    ASSERT_TRUE(decoded[i] == pixels[i].color || (decoded[i] == 7 && pixels[i].may_be_transparent) ||
                (pixels[i].may_be_similar && std::ranges::find(others, decoded[i]) != others.end()))
        << i << ": " << decoded[i];
  }
}

TEST(ColorQuantizer, SimilarColorsAreTheNearest) {
  const std::vector<std::uint32_t> palette{0x101010, 0x101011, 0x101012, 0x101013, 0x101014, 0xff0000};
  const auto similar = similar_colors(palette, 1000);
  EXPECT_EQ(similar[0], (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_TRUE(similar[5].empty());
  EXPECT_TRUE(similar_colors(palette, -1)[0].empty());
}

TEST(ColorQuantizer, FewColorsAreExact) {
  ColorCounts counts;
  for (std::uint32_t i = 0; i < 200; ++i) counts.add(i * 70000, i + 1);
  const std::vector<std::uint32_t> palette = quantize(counts, 255);
  EXPECT_EQ(palette.size(), 200u);
  NearestColor colors(palette);
  EXPECT_EQ(palette[static_cast<std::size_t>(colors.index(70000))], 70000u);
}

TEST(ColorQuantizer, ManyColorsKeepTheirGroups) {
  ColorCounts counts;
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const auto noise = static_cast<std::uint32_t>(random() % 16 << 16 | random() % 16 << 8 | random() % 16);
    counts.add((i % 2 == 0 ? 0x200000u : 0x00E0E0u) + noise, 1);
  }
  const std::vector<std::uint32_t> palette = quantize(counts, 2);
  ASSERT_EQ(palette.size(), 2u);
  EXPECT_NEAR(palette[0] >> 8 & 255, 0xE7, 3);
  EXPECT_NEAR(palette[1] >> 16, 0x27, 3);
  EXPECT_EQ(quantize(counts, 2), palette);
}

TEST(ColorQuantizer, ErrorIsThatOfAllPixels) {
  ColorCounts counts;
  counts.add(0x404040, 99);
  counts.add(0x4040A0, 1);
  const PaletteError error = NearestColor({0x404040}).error(counts);
  EXPECT_EQ(error.largest, 96 * 96);
  EXPECT_EQ(error.mean, 96 * 96 / 100.0);
}

/// Shows the frames of a GIF on a canvas, as GIF89a describes.
struct GifViewer {
  explicit GifViewer(Extent size)
      : columns(static_cast<std::size_t>(size.width)),
        canvas(columns * static_cast<std::size_t>(size.height), Unknown) {}

  void show(const std::string& bytes) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes.at(at)); };
    const auto number = [&](std::size_t at) {
      return std::size_t{byte(at)} | std::size_t{byte(at + 1)} << 8;
    };
    if (bytes.starts_with("GIF89a")) global = palette_at(bytes, 13, byte(10));
    const std::size_t control = bytes.find("!\xF9\4"), image = control + 8;
    const bool has_palette = (byte(image + 9) & 0x80) != 0;
    const auto palette = has_palette ? palette_at(bytes, image + 10, byte(image + 9)) : global;
    transparent = (byte(control + 3) & 1) != 0 ? byte(control + 6) : -1;
    const std::vector<int> pixels = decode(bytes.substr(image + 10 + (has_palette ? 3 * palette.size() : 0)));
    const std::size_t width = number(image + 5);
    ASSERT_EQ(pixels.size(), width * number(image + 7));
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      if (pixels[i] == transparent) continue;
      canvas.at((number(image + 3) + i / width) * columns + number(image + 1) + i % width) =
          palette.at(static_cast<std::size_t>(pixels[i]));
    }
  }
  static std::vector<std::uint32_t> palette_at(const std::string& bytes, std::size_t at, unsigned flags) {
    std::vector<std::uint32_t> colors(std::size_t{2} << (flags & 7));
    for (std::uint32_t& color : colors)
      for (int component = 0; component < 3; ++component)
        color = color << 8 | static_cast<unsigned char>(bytes.at(at++));
    return colors;
  }

  static constexpr std::uint32_t Unknown = 0xFF000000;
  const std::size_t columns;
  std::vector<std::uint32_t> canvas;
  std::vector<std::uint32_t> global;  ///< the palette of the file
  int transparent = -1;               ///< the transparent index of the last frame; -1: none
};

class GifFileTest : public testing::Test {
 protected:
  GifFileTest() {
    auto set = text::GlyphSet::make({.cell = {2, 2}, .characters = " █▌▐"});
    CHECK(static_cast<bool>(set), set.error().message);
    glyphs_ = *std::move(set);
  }
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::vector<render::Cell> cells_ = std::vector<render::Cell>(6, {1, 0xFFFF0000, 0xFF000000});
  render::RenderedFrame frame_{.grid = {3, 2}, .cells = cells_};
};

TEST_F(GifFileTest, LaterFramesContainOnlyWhatChanges) {
  GifFile gif(glyphs_, std::nullopt);
  const auto first = gif.add(frame_);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes.substr(0, 10), std::string("GIF89a\6\0\4\0", 10));
  EXPECT_FALSE(gif.add(frame_)) << "an unchanged frame is not written";
  cells_[4] = {1, 0xFF00FF00, 0xFF000000};
  auto second = gif.add(frame_);
  ASSERT_TRUE(second);
  second->set_delay(0x102);
  EXPECT_EQ(second->bytes.substr(0, 6), std::string("!\xF9\4\5\2\1", 6)) << "the frame stays; delay";
  EXPECT_EQ(second->bytes.substr(8, 9), std::string(",\2\0\2\0\2\0\2\0", 9))
      << "the area of the changed cell";
}

/// Frames of 257 cells. Each cell has one color.
class GifColors : public GifFileTest {
 protected:
  static constexpr std::uint32_t Cells = 257;

  /// Sets the cells to `count` different colors, which begin with `first`.
  void fill(std::uint32_t first, std::uint32_t count) {
    cells_.clear();
    for (std::uint32_t i = 0; i < Cells; ++i)
      cells_.push_back({1, 0xFF000000 | (first + 0x301 * (i % count)), 0xFF000000});
    frame_ = {.grid = {Cells, 1}, .cells = cells_};
  }
  /// Adds the frame to the file. Returns how many pixels a viewer then shows in a color that their cell does
  /// not have.
  std::size_t wrong_pixels() {
    const auto next = gif_.add(frame_);
    if (next) viewer_.show(next->bytes);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < viewer_.canvas.size(); ++i)
      wrong += viewer_.canvas[i] == (cells_[i % viewer_.columns / 2].foreground & 0xFFFFFF) ? 0 : 1;
    return wrong;
  }

  GifFile gif_{glyphs_, std::nullopt};
  GifViewer viewer_{{2 * Cells, 2}};
};

TEST_F(GifColors, First255AreExactWithATransparentIndex) {
  fill(0, 255);
  EXPECT_EQ(wrong_pixels(), 0U);
  EXPECT_EQ(viewer_.transparent, 255);
}

TEST_F(GifColors, First256AreExactWithoutTransparency) {
  fill(0, 256);
  EXPECT_EQ(wrong_pixels(), 0U);
  EXPECT_EQ(viewer_.transparent, -1);
}

TEST_F(GifColors, First257AreApproximate) {
  fill(0, 257);
  EXPECT_GT(wrong_pixels(), 0U);
  EXPECT_NE(viewer_.transparent, -1);
}

TEST_F(GifColors, SimilarColorsNeedASmallPalette) {
  fill(0, 257);
  for (std::uint32_t i = 0; i < 256; ++i) cells_[i].foreground = 0xFF808080 | i % 16 << 16 | i / 16 << 8;
  cells_[256].foreground = 0xFF40A040;
  EXPECT_GT(wrong_pixels(), 0U);
  EXPECT_EQ(viewer_.global.size(), 16u);
  for (std::size_t i = 0; i < cells_.size(); ++i)
    ASSERT_LE(color_distance(viewer_.canvas[2 * i], cells_[i].foreground), 90) << i << ": 3 code values";
}

TEST_F(GifColors, LaterFramesAreExactUpTo256) {
  fill(0, 256);
  EXPECT_EQ(wrong_pixels(), 0U);
  cells_[5].foreground = cells_[6].foreground;
  EXPECT_EQ(wrong_pixels(), 0U)
      << "one cell has a color of the first palette, which has no transparent index";
  EXPECT_NE(viewer_.transparent, -1);
  fill(0x400000, 256);
  EXPECT_EQ(wrong_pixels(), 0U) << "all cells change";
  EXPECT_EQ(viewer_.transparent, -1);
  fill(0x400000, 257);
  cells_[0].foreground = cells_[1].foreground;
  EXPECT_EQ(wrong_pixels(), 0U) << "256 colors; two cells change";
  fill(0x800000, 257);
  EXPECT_GT(wrong_pixels(), 0U);
  fill(0x100000, 256);
  EXPECT_EQ(wrong_pixels(), 0U) << "the frame before was approximate";
}

TEST_F(GifColors, UnchangedCellsOfAPictureOf256ColorsAreNotDrawn) {
  fill(0x400000, 1);
  cells_[256].foreground = 0xFF000000;
  EXPECT_EQ(wrong_pixels(), 0U);
  fill(0, 256);
  EXPECT_GT(wrong_pixels(), 0U) << "256 cells change, each to a different color, and one keeps its color";
  EXPECT_NE(viewer_.transparent, -1);
}

/// Returns the luma of a color 0xRRGGBB, in code values.
double luma(std::uint32_t color) {
  return (2.0 * (color >> 16 & 255) + 5.0 * (color >> 8 & 255) + (color & 255)) / 8;
}

TEST_F(GifColors, OnlyChangesThatKeepACellsMeanAreNegligible) {
  fill(0, 257);
  for (std::size_t i = 0; i < 128; ++i) cells_[i] = {2, 0xFF804040, 0xFF8A4A4A};
  for (std::size_t i = 128; i < Cells; ++i)
    cells_[i] = {2, cells_[i].foreground, cells_[i].foreground + 0x800000};
  ASSERT_TRUE(gif_.add(frame_));
  cells_[0].glyph = 3;
  EXPECT_FALSE(gif_.add(frame_)) << "each pixel differs by 10 code values, but the mean is the same";
  cells_[0].background = cells_[0].foreground;
  EXPECT_TRUE(gif_.add(frame_)) << "the mean differs by 5";
}

TEST_F(GifColors, NegligibleChangesDoNotAddUp) {
  fill(0x400000, 257);
  ASSERT_GT(wrong_pixels(), 0U);
  std::size_t drawn = 0;
  for (int step = 0; step < 40; ++step) {
    for (render::Cell& cell : cells_) cell.foreground += 0x010000;
    const std::vector<std::uint32_t> before = viewer_.canvas;
    if (const auto next = gif_.add(frame_)) viewer_.show(next->bytes);
    for (std::size_t i = 0; i < before.size(); ++i) drawn += viewer_.canvas[i] != before[i] ? 1 : 0;
    for (std::size_t i = 0; i < viewer_.canvas.size(); ++i)
      ASSERT_NEAR(luma(viewer_.canvas[i]), luma(cells_[i % viewer_.columns / 2].foreground), 5) << step;
  }
  EXPECT_LT(drawn, 5 * viewer_.canvas.size()) << "pixels in 40 steps";
}

TEST_F(GifColors, CellsKeepTheirMeanLight) {
  std::mt19937 random(5);
  fill(0, 257);
  const auto gray_blue = [&] { return static_cast<std::uint32_t>(0xFF808080 + (random() & 0x1F1F3F)); };
  for (render::Cell& cell : cells_) cell = {2, gray_blue(), gray_blue()};
  const auto first = gif_.add(frame_);
  ASSERT_TRUE(first);
  viewer_.show(first->bytes);
  NearestColor nearest(viewer_.global);
  const auto light = [](std::uint32_t color) { return luma(color) * luma(color); };
  double error = 0, error_of_nearest = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const std::uint32_t left = cells_[i].foreground & 0xFFFFFF, right = cells_[i].background & 0xFFFFFF;
    const double wanted = light(left) + light(right);
    const auto color = [&](std::uint32_t of) {
      return nearest.palette()[static_cast<std::size_t>(nearest.index(of))];
    };
    error += std::abs(light(viewer_.canvas[2 * i]) + light(viewer_.canvas[2 * i + 1]) - wanted);
    error_of_nearest += std::abs(light(color(left)) + light(color(right)) - wanted);
  }
  EXPECT_LT(error, 0.95 * error_of_nearest);
}

TEST_F(GifFileTest, FramesCanBeRepeatedWithoutTheHeader) {
  GifFile gif(glyphs_, std::nullopt);
  auto first = gif.add(frame_);
  ASSERT_TRUE(first);
  const std::string whole = first->bytes;
  first->leave_out_header();
  EXPECT_EQ(first->bytes, whole.substr(whole.find("!\xF9")));
  first->set_delay(0x304);
  EXPECT_EQ(first->bytes.substr(4, 2), "\4\3");
  first->leave_out_header();
  EXPECT_EQ(first->bytes.substr(0, 2), "!\xF9");
}

TEST_F(GifFileTest, TransparentBackgroundIsRestored) {
  GifFile gif(glyphs_, 0x000000);
  cells_[0].glyph = 0;
  const auto first = gif.add(frame_);
  ASSERT_TRUE(first);
  const std::size_t control = first->bytes.find("!\xF9");
  EXPECT_EQ(first->bytes[control + 3], static_cast<char>(2 << 2 | 1)) << "disposal: restore";
}

}  // namespace
}  // namespace glyphreel::present::gif_test
