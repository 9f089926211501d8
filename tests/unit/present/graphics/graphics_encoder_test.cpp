#include "present/graphics/graphics_encoder.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <list>
#include <random>
#include <vector>

#include "pixel_terminal.h"
#include "present/export/image/color_quantizer.h"
#include "present/graphics/kitty_encoder.h"
#include "present/graphics/sixel_encoder.h"

namespace glyphreel::present::graphics_encoder_test {
namespace {

using testing::PixelTerminal;

constexpr GraphicsScreen Screen{{20, 9}, {7, 13}};

/// A picture that owns its memory and has padding after each row.
struct Canvas {
  Canvas(int width, int height, std::uint32_t color)
      : size{width, height}, pixels(static_cast<std::size_t>(stride()) * height, color) {}
  [[nodiscard]] int stride() const { return size.width + 3; }
  [[nodiscard]] std::uint32_t& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * stride() + x]; }
  [[nodiscard]] Picture picture() {
    return {.format = PictureFormat::Bgra8,
            .size = size,
            .planes = {reinterpret_cast<std::byte*>(pixels.data())},
            .strides = {stride() * 4},
            .block = nullptr};
  }

  Extent size;
  std::vector<std::uint32_t> pixels;
};

Canvas noise(int width, int height, int colors) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> palette;
  for (int i = 0; i < colors; ++i) palette.push_back(0xFF000000u | (random() & 0xFFFFFFu));
  Canvas canvas(width, height, 0xFF000000);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) canvas.at(x, y) = palette[random() % palette.size()];
  }
  return canvas;
}

/// Returns the color that a terminal shows for `color` in sixels, which give components in whole percent.
std::uint32_t in_percent(std::uint32_t color) {
  std::uint32_t shown = 0xFF000000;
  for (const int shift : {16, 8, 0}) {
    const std::uint32_t percent = ((color >> shift & 255) * 100 + 127) / 255;
    shown |= (percent * 255 + 50) / 100 << shift;
  }
  return shown;
}

std::uint32_t as_it_is(std::uint32_t color) {
  return color;
}

void expect_shown(const PixelTerminal& terminal, Canvas& canvas, ScreenPosition at,
                  const std::function<std::uint32_t(std::uint32_t)>& shown) {
  const int left = at.column * Screen.cell.width;
  const int top = at.row * Screen.cell.height;
  int wrong = 0;
  for (int y = 0; y < Screen.pixels().height; ++y) {
    for (int x = 0; x < Screen.pixels().width; ++x) {
      const bool is_inside =
          x >= left && y >= top && x < left + canvas.size.width && y < top + canvas.size.height;
      const std::uint32_t wanted = is_inside ? shown(canvas.at(x - left, y - top)) : PixelTerminal::Blank;
      if (terminal.pixel(x, y) != wanted) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0) << "wrong pixels";
}

int shared_objects() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().filename().string().starts_with("glyphreel-" + std::to_string(getpid()))) ++count;
  }
  return count;
}

class Kitty : public ::testing::TestWithParam<KittyEncoder::Transfer> {};

TEST_P(Kitty, PicturesAreShownPixelByPixel) {
  KittyEncoder encoder(GetParam());
  encoder.reset(Screen);
  PixelTerminal terminal(Screen);
  Canvas canvas = noise(100, 90, 3000);
  std::list<Canvas> given;  // the encoder uses a picture's memory until the next picture
  for (int i = 0; i < 3; ++i) {
    canvas.at(i, 80 - i) ^= 0x010101;
    Canvas& shown = given.emplace_back(canvas);
    ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(shown.picture())));
    expect_shown(terminal, canvas, encoder.position(canvas.size), as_it_is);
    EXPECT_EQ(terminal.images(), 1u) << "the previous picture is deleted";
    EXPECT_EQ(encoder.encode(shown.picture()), "") << "the terminal shows it already";
    encoder.reset(Screen);
    ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(shown.picture())));
    EXPECT_EQ(terminal.images(), 1u) << "a reset clears the screen";
  }
  EXPECT_LE(terminal.longest_payload(), 4096u);
  EXPECT_EQ(shared_objects(), 0) << "the terminal removes what it has read";
}

TEST_P(Kitty, PictureReplacesTheOneBefore) {
  KittyEncoder encoder(GetParam());
  encoder.reset(Screen);
  PixelTerminal terminal(Screen);
  std::vector<Canvas> canvases;
  for (int i = 0; i < 4; ++i) canvases.emplace_back(100, 90, 0xFF102030 + static_cast<std::uint32_t>(i));
  for (Canvas& canvas : canvases) {
    ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(canvas.picture())));
    expect_shown(terminal, canvas, encoder.position(canvas.size), as_it_is);
    EXPECT_EQ(terminal.images(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(, Kitty,
                         ::testing::Values(KittyEncoder::Transfer::SharedMemory,
                                           KittyEncoder::Transfer::Escapes),
                         [](const auto& test) {
                           return test.param == KittyEncoder::Transfer::Escapes ? "Escapes" : "SharedMemory";
                         });

TEST(KittyEncoder, UnreadObjectsAreRemoved) {
  {
    KittyEncoder encoder(KittyEncoder::Transfer::SharedMemory);
    encoder.reset(Screen);
    std::vector<Canvas> canvases(40, Canvas(8, 8, 0));
    for (std::size_t i = 0; i < canvases.size(); ++i) {
      canvases[i].at(0, 0) = static_cast<std::uint32_t>(i + 1);
      EXPECT_NE(encoder.encode(canvases[i].picture()), "");
    }
    EXPECT_LT(shared_objects(), 20) << "a terminal that does not read must not fill the memory";
  }
  EXPECT_EQ(shared_objects(), 0);
}

TEST(SixelEncoder, FewColorsAreExact) {
  for (const int colors : {1, 2, 16, 256}) {
    SixelEncoder encoder(256);
    encoder.reset(Screen);
    PixelTerminal terminal(Screen);
    Canvas canvas = noise(101, 80, colors);
    ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(canvas.picture())));
    expect_shown(terminal, canvas, encoder.position(canvas.size), in_percent);
    EXPECT_EQ(encoder.encode(canvas.picture()), "");
  }
}

TEST(SixelEncoder, ManyColorsBecomeThoseOfThePalette) {
  for (const int registers : {16, 256}) {
    SixelEncoder encoder(registers);
    encoder.reset(Screen);
    PixelTerminal terminal(Screen);
    Canvas canvas = noise(101, 80, 5000);
    ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(canvas.picture())));
    EXPECT_LE(terminal.colors(), static_cast<std::size_t>(registers));
    ColorCounts counts;
    for (int y = 0; y < canvas.size.height; ++y) {
      for (int x = 0; x < canvas.size.width; ++x) counts.add(canvas.at(x, y), 1);
    }
    NearestColor palette(quantize(counts, static_cast<std::size_t>(registers)));
    expect_shown(terminal, canvas, encoder.position(canvas.size), [&](std::uint32_t color) {
      return in_percent(palette.palette()[static_cast<std::size_t>(palette.index(color))]);
    });
  }
}

TEST(SixelEncoder, OnlyChangedRowsAreSent) {
  SixelEncoder encoder(256);
  encoder.reset(Screen);
  PixelTerminal terminal(Screen);
  Canvas before = noise(100, 100, 20);
  ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(before.picture())));
  EXPECT_EQ(terminal.last_sixels(), before.size);
  Canvas after = before;
  after.at(50, 40) = after.at(51, 40) == after.at(50, 40) ? after.at(52, 40) : after.at(51, 40);
  after.at(9, 44) = after.at(9, 44) == after.at(0, 0) ? after.at(1, 0) : after.at(0, 0);
  ASSERT_NE(before.pixels, after.pixels);
  ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(after.picture())));
  EXPECT_LE(terminal.last_sixels().height, 6) << "from row 39, the top of a cell, to row 44";
  expect_shown(terminal, after, encoder.position(after.size), in_percent);
  Canvas recolored = after;
  recolored.at(50, 40) = 0xFF123456;
  ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(recolored.picture())));
  EXPECT_EQ(terminal.last_sixels(), after.size) << "a new palette redraws the whole picture";
  expect_shown(terminal, recolored, encoder.position(after.size), in_percent);
}

TEST(SixelEncoder, LastRowStaysFree) {
  SixelEncoder encoder(256);
  encoder.reset(Screen);
  EXPECT_EQ(encoder.area(), (Extent{140, 104}));
  PixelTerminal terminal(Screen);
  Canvas canvas = noise(150, 120, 4);
  ASSERT_NO_FATAL_FAILURE(terminal.write(encoder.encode(canvas.picture())));
  EXPECT_EQ(terminal.last_sixels(), encoder.area()) << "a picture that is too large is cropped";
}

TEST(GraphicsEncoder, PicturesAreCentered) {
  KittyEncoder encoder(KittyEncoder::Transfer::Escapes);
  encoder.reset(Screen);
  EXPECT_EQ(encoder.position({140, 117}), (ScreenPosition{0, 0}));
  EXPECT_EQ(encoder.position({112, 60}), (ScreenPosition{2, 2}));
  EXPECT_EQ(encoder.position({500, 500}), (ScreenPosition{0, 0}));
}

}  // namespace
}  // namespace glyphreel::present::graphics_encoder_test
