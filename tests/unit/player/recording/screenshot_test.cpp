#include "player/recording/screenshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../../temporary_files.h"
#include "media/source.h"
#include "text/glyph_set.h"

namespace glyphreel::player::screenshot_test {
namespace {

namespace fs = std::filesystem;

constexpr GridSize Grid{20, 6};

/// Makes a temporary folder the working directory during a test.
class CurrentFolder {
 public:
  CurrentFolder() { fs::current_path(folder_.path()); }
  ~CurrentFolder() { fs::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  const fs::path before_ = fs::current_path();
  const test::TemporaryFolder folder_;
};

/// Returns a frame whose left half is black and whose right half is white.
Frame half_white() {
  constexpr Extent Size{160, 96};
  auto pixels = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(Size.width) * Size.height);
  for (std::size_t i = 0; i < pixels->size(); ++i)
    (*pixels)[i] = i % Size.width < Size.width / 2 ? std::byte{0} : std::byte{255};
  Frame frame;
  frame.view.size = Size;
  frame.view.planes[0] = pixels->data();
  frame.view.strides[0] = Size.width;
  frame.owner = std::move(pixels);
  return frame;
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Screenshot, TextIsReadableWithoutColors) {
  const CurrentFolder folder;
  const auto glyphs = text::GlyphSet::make({.cell = {8, 16}, .characters = " .:-=+*#%@"});
  ASSERT_TRUE(glyphs);
  std::string row(Grid.columns / 2, ' ');
  row.append(Grid.columns / 2, '@');
  std::string expected;
  for (int i = 0; i < Grid.rows; ++i) expected += row + '\n';
  for (const mapping::Color color : {mapping::Color::Mono, mapping::Color::Fg, mapping::Color::Full}) {
    for (const Reverse reverse : {Reverse::Never, Reverse::PerCell}) {
      if (reverse == Reverse::PerCell && color != mapping::Color::Mono) continue;
      const Screenshot shot{
          .frame = half_white(),
          .setup = {.grid = Grid, .glyphs = *glyphs, .mapping = {.color = color, .reverse = reverse}}};
      const Result<std::string> saved = save_screenshot(shot);
      ASSERT_TRUE(saved) << saved.error().message;
      const std::string name = saved->substr(0, saved->find('.'));
      EXPECT_EQ(*saved, name + ".png and " + name + ".txt");
      EXPECT_GT(fs::file_size(name + ".png"), 0U);
      EXPECT_EQ(content(name + ".txt"), expected + '\f');
      EXPECT_EQ(*screenshot_text(shot), expected);
    }
  }
}

TEST(Screenshot, Formats) {
  const CurrentFolder folder;
  const auto glyphs = text::GlyphSet::make({.cell = {8, 16}, .characters = " .:-=+*#%@"});
  ASSERT_TRUE(glyphs);
  Screenshot shot{.frame = half_white(), .setup = {.grid = Grid, .glyphs = *glyphs}};
  shot.settings.window.screenshot_formats = {"webp", "svg", "ans", "utf8ans", "gif", "xb"};
  const Result<std::string> saved = save_screenshot(shot);
  ASSERT_TRUE(saved) << saved.error().message;
  for (const std::string& format : shot.settings.window.screenshot_formats)
    EXPECT_GT(fs::file_size("glyphreel-0001." + format), 40U) << format;  // the .webp file has only 50 bytes
  EXPECT_EQ(content("glyphreel-0001.utf8ans"), *screenshot_ansi(shot));
  EXPECT_NE(screenshot_ansi(shot)->find("\x1b["), std::string::npos);

  fs::remove("glyphreel-0001.webp");
  ASSERT_TRUE(save_screenshot(shot));
  EXPECT_TRUE(fs::exists("glyphreel-0002.webp")) << "the number must be unused in every format";
}

TEST(Screenshot, PlayableFormatsShowTheFrameForASecond) {
  const CurrentFolder folder;
  const auto glyphs = text::GlyphSet::make({.cell = {5, 9}, .characters = " .:-=+*#%@"});
  ASSERT_TRUE(glyphs);
  Screenshot shot{.frame = half_white(), .setup = {.grid = {19, 5}, .glyphs = *glyphs}};
  shot.settings.window.screenshot_formats = {"cells", "html", "cast", "y4m", "yuv"};
  const Result<std::string> saved = save_screenshot(shot);
  ASSERT_TRUE(saved) << saved.error().message;

  const auto source = media::Source::open({.url = "glyphreel-0001.cells"});
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ((*source)->facts().duration_seconds, 1);
  EXPECT_TRUE(std::holds_alternative<Frame>(*(*source)->read()));
  EXPECT_TRUE(std::holds_alternative<media::EndOfStream>(*(*source)->read()));

  const std::string cast = content("glyphreel-0001.cast");
  EXPECT_EQ(std::count(cast.begin(), cast.end(), '\n'), 3) << "header, frame and end";
  EXPECT_NE(cast.find("\n[1.000000,\"o\",\"\"]\n"), std::string::npos) << cast;
  EXPECT_TRUE(content("glyphreel-0001.html").ends_with("</html>\n"));
  constexpr std::size_t PictureBytes = 96 * 46 * 3 / 2;  // 95x45 pixels, rounded up to even numbers
  const std::string y4m = content("glyphreel-0001.y4m"), start = "YUV4MPEG2 W96 H46 ";
  EXPECT_EQ(y4m.substr(0, start.size()), start);
  const std::string yuv = content("glyphreel-0001.yuv");
  EXPECT_EQ(yuv.size(), PictureBytes);
  EXPECT_TRUE(y4m.ends_with("\nFRAME\n" + yuv));
}

TEST(Screenshot, UncompressedVideoShowsTheWipe) {
  const CurrentFolder folder;
  const auto glyphs = text::GlyphSet::make({.cell = {8, 16}, .characters = " .:-=+*#%@"});
  ASSERT_TRUE(glyphs);
  Screenshot shot{.frame = half_white(),
                  .setup = {.grid = Grid, .glyphs = *glyphs, .mapping = {.color = mapping::Color::Mono}}};
  shot.settings.window.screenshot_formats = {"yuv"};
  ASSERT_TRUE(save_screenshot(shot));
  shot.options.wipe = 1;
  ASSERT_TRUE(save_screenshot(shot));
  const auto is_white = [](char luma) { return static_cast<std::uint8_t>(luma) == 235; };
  constexpr std::size_t Lumas = 160 * 96;
  const auto white_pixels = [&](const std::string& yuv) {
    return std::ranges::count_if(yuv.substr(0, Lumas), is_white);
  };
  EXPECT_LT(white_pixels(content("glyphreel-0001.yuv")), Lumas / 3);
  EXPECT_EQ(white_pixels(content("glyphreel-0002.yuv")), Lumas / 2);
}

TEST(Screenshot, SplitViewIsSavedAsShown) {
  const CurrentFolder folder;
  const auto glyphs = text::GlyphSet::make({.cell = {8, 16}, .characters = " .:-=+*#%@"});
  ASSERT_TRUE(glyphs);
  Screenshot shot{.frame = half_white(), .setup = {.grid = Grid, .glyphs = *glyphs}};
  std::vector<render::Cell> cells(static_cast<std::size_t>(Grid.cells()), {.foreground = 0xFFFF0000});
  const render::RenderedFrame shown{.grid = Grid, .cells = cells};
  ASSERT_TRUE(save_screenshot(shot));
  shot.shown = &shown;
  ASSERT_TRUE(save_screenshot(shot));
  EXPECT_NE(content("glyphreel-0001.png"), content("glyphreel-0002.png"));
  EXPECT_EQ(content("glyphreel-0001.txt"), content("glyphreel-0002.txt"));

  shot.setup.mapping.color = mapping::Color::Mono;
  for (render::Cell& cell : cells) cell.glyph = 9;
  ASSERT_TRUE(save_screenshot(shot));
  const std::string text = content("glyphreel-0003.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '@'), Grid.cells())
      << "readable characters are kept as shown";
}

}  // namespace
}  // namespace glyphreel::player::screenshot_test
