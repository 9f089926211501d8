#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
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
    pixels.push_back({static_cast<std::int16_t>(random() % 6), random() % 4 == 0});
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
                std::ranges::find(others, decoded[i]) != others.end())
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

class GifFileTest : public testing::Test {
 protected:
  GifFileTest() {
    auto set = text::GlyphSet::make({.cell = {2, 2}, .characters = " █"});
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
