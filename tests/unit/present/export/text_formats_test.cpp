#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "present/export/characters/ans_encoder.h"
#include "present/export/characters/cast_encoder.h"
#include "present/export/characters/sauce.h"
#include "present/export/characters/svg.h"
#include "present/export/characters/xbin.h"
#include "text/code_points/code_page_437.h"

namespace glyphreel::present::text_formats_test {
namespace {

constexpr std::uint32_t Black = 0xFF000000;
constexpr std::uint32_t White = 0xFFFFFFFF;

std::shared_ptr<const text::GlyphSet> glyph_set(const char* characters) {
  auto set = text::GlyphSet::make({.characters = characters});
  CHECK(static_cast<bool>(set), set.error().message);
  return *std::move(set);
}

TEST(CodePage437, BytesOfTheIbmPc) {
  EXPECT_EQ(text::code_page_437(U'A'), 'A');
  EXPECT_EQ(text::code_page_437(U'é'), 0x82);
  EXPECT_EQ(text::code_page_437(U'░'), 0xB0);
  EXPECT_EQ(text::code_page_437(U'█'), 0xDB);
  EXPECT_EQ(text::code_page_437(U'■'), 0xFE);
  EXPECT_FALSE(text::code_page_437(U'⣿'));
  EXPECT_FALSE(text::code_page_437(U'\x1b'));
}

TEST(Sauce, RecordHas128BytesAfterEndOfFile) {
  const std::string record = sauce_record({.kind = Sauce::Kind::Ansimation,
                                           .title = "Big Buck Bunny\x1b",
                                           .file_bytes = 0x010203,
                                           .columns = 320,
                                           .rows = 25});
  ASSERT_EQ(record.size(), 129u);
  EXPECT_EQ(record.substr(0, 8), "\x1aSAUCE00");
  EXPECT_EQ(record.substr(8, 16), "Big Buck Bunny? ") << "no control characters";
  EXPECT_EQ(record.substr(91, 4), std::string("\3\2\1\0", 4)) << "file size";
  EXPECT_EQ(record.substr(95, 6), std::string("\1\2\x40\1\x19\0", 6)) << "types, columns and rows";
  EXPECT_EQ(record.substr(106, 8), "\x13IBM VGA") << "flags and font";
}

TEST(AnsEncoder, BrightBackgroundsBlink) {
  const auto glyphs = glyph_set(" A█");
  AnsEncoder encoder(AnsEncoder::Dialect::Ice, glyphs);
  std::vector<render::Cell> cells{
      {1, 0xFF5555, 0x0000AA}, {2, 0xAA0000, 0x0000AA}, {0, White, 0x5555FF}, {1, 0xAA0000, 0x5555FF}};
  render::RenderedFrame frame{.grid = {2, 2}, .cells = cells};
  EXPECT_EQ(encoder.encode(frame), "\x1b[0;1;31;44mA\x1b[0;31;44m\xDB\x1b[5m A")
      << "a blank needs no foreground";
  EXPECT_EQ(encoder.encode(frame), "") << "nothing changes";
  cells[2] = {1, 0x0000AA, 0x000000};
  cells[3] = {1, White, Black};
  EXPECT_EQ(encoder.encode(frame), "\x1b[2;1H\x1b[0;34mA")
      << "but not the last cell, after which a screen scrolls";
}

TEST(AnsEncoder, TrueColorUsesPabloDrawsSequences) {
  AnsEncoder encoder(AnsEncoder::Dialect::TrueColor, glyph_set(" A"));
  const std::vector<render::Cell> cells{{1, 0x102030, 0x00000F}, {1, 0x102030, 0xFFFFFF}};
  EXPECT_EQ(encoder.encode({.grid = {2, 1}, .cells = cells}),
            "\x1b[0m\x1b[40m\x1b[1;16;32;48tA\x1b[0;255;255;255tA")
      << "libansilove treats colors below 16 as indices";
}

TEST(AnsEncoder, CharactersOutsideTheCodePage) {
  EXPECT_FALSE(outside_code_page_437(*glyph_set(" Aé█")));
  EXPECT_EQ(outside_code_page_437(*glyph_set(" A⣿")), U'⣿');
}

TEST(Xbin, RowsAreRunLengthCoded) {
  using Cells = std::vector<Xbin::Cell>;
  EXPECT_EQ(xbin_row(Cells(3, {65, 7})),
            "\xC2"
            "A\7");
  EXPECT_EQ(xbin_row(Cells{{65, 7}, {66, 7}, {67, 7}}),
            "\x82\7"
            "ABC")
      << "one attribute";
  EXPECT_EQ(xbin_row(Cells{{65, 7}, {65, 8}}),
            "\x41"
            "A\7\x8")
      << "a run of one character";
  EXPECT_EQ(xbin_row(Cells{{65, 7}, {66, 8}, {67, 9}}),
            "\2A\7B\x8"
            "C\x9");
  EXPECT_EQ(xbin_row(Cells(65, {65, 7})),
            "\xFF"
            "A\7" +
                std::string("\0A\7", 3))
      << "at most 64 cells";
}

TEST(Xbin, HasGlyphsAndPaletteOfTheFrame) {
  const auto glyphs = glyph_set(" █A");
  const std::vector<render::Cell> cells{{1, 0xFFFF0000, Black}, {0, White, Black}, {2, White, Black}};
  const Xbin screen = make_xbin({.grid = {3, 1}, .cells = cells}, *glyphs);
  EXPECT_EQ(screen.palette, (std::vector<std::uint32_t>{0x000000, 0xFF0000, 0xFFFFFF}));
  ASSERT_EQ(screen.cells.size(), 3u);
  EXPECT_EQ(screen.cells[0], (Xbin::Cell{0xDB, 0x01})) << "at its place in code page 437";
  EXPECT_EQ(screen.cells[2], (Xbin::Cell{'A', 0x02}));
  EXPECT_EQ(screen.font[0xDB * 16 + 5], 0xFF);
  EXPECT_EQ(screen.font[' ' * 16 + 5], 0);
  const std::string bytes = xbin_bytes(screen);
  EXPECT_EQ(bytes.substr(0, 11), std::string("XBIN\x1a\3\0\1\0\x10\x0F", 11));
  EXPECT_EQ(bytes.substr(11, 9), std::string("\0\0\0\x3F\0\0\x3F\x3F\x3F", 9)) << "6 bits of each component";
  EXPECT_EQ(bytes.size(), 11 + 48 + 256 * 16 + xbin_row(screen.cells).size());
}

TEST(Cast, TimesOfVersion3DoNotDrift) {
  CastEncoder encoder(CastVersion::V3, TerminalColors(), glyph_set(" A"));
  std::int64_t sum = 0;
  for (int i = 1; i <= 240; ++i) {
    const std::string line = encoder.marker("m", i / 24.0);
    sum += std::stoll(line.substr(1, 1)) * 1000 + std::stoll(line.substr(3, 3));
  }
  EXPECT_EQ(sum, 10000);
  EXPECT_EQ(encoder.end(10), "[0.000,\"x\",\"0\"]\n");
}

TEST(Cast, JsonStringsAreEscaped) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("\x1b[7m\"a\\\"\n\x1f\x7fé"), R"("\u001b[7m\"a\\\"\u000a\u001f\u007fé")");
}

TEST(Cast, Version2HasAbsoluteTimes) {
  CastEncoder encoder(CastVersion::V2, TerminalColors(), glyph_set(" A"));
  std::vector<render::Cell> cells{{1, 0xFFFFFF, 0}, {0, 0xFFFFFF, 0}};
  const render::RenderedFrame frame{.grid = {2, 1}, .cells = cells};
  const std::string header = encoder.header({.grid = {2, 1}, .title = "a \"b\"\n"});
  EXPECT_TRUE(header.starts_with(R"({"version":2,"width":2,"height":1,)")) << header;
  EXPECT_NE(header.find(R"("title":"a \"b\"\u000a")"), std::string::npos) << header;
  const std::string first = encoder.frame(frame, 0.5);
  EXPECT_TRUE(first.starts_with(R"([0.500000,"o","\u001b[?25l)")) << first;
  EXPECT_EQ(encoder.frame(frame, 1), "") << "nothing changes";
  EXPECT_NE(encoder.frame(frame, 5.5).find("u001b[2J"), std::string::npos)
      << "a full redraw after five seconds";
  EXPECT_EQ(encoder.end(6), "[6.000000,\"o\",\"\"]\n");
}

TEST(Svg, StillHasSelectableText) {
  SvgDocument svg({.glyphs = glyph_set(" A<"), .outlines = nullptr, .background = 0x000000});
  const std::vector<render::Cell> cells{
      {1, 0xFFFF0000, Black}, {0, White, Black}, {2, 0xFFFF0000, 0xFF123456}, {0, White, Black}};
  svg.add({.grid = {4, 1}, .cells = cells}, 0);
  const std::string text = svg.finish(1);
  EXPECT_NE(text.find(R"(viewBox="0 0 32 16")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(<tspan x="0" fill="#f00" textLength="24">A &lt;</tspan>)"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"(<path fill="#123456" d="M16 0H24V16H16z"/>)"), std::string::npos) << text;
  EXPECT_EQ(text.find("animation"), std::string::npos);
}

TEST(Svg, AnimationStoresEqualRowsOnce) {
  SvgDocument svg({.glyphs = glyph_set(" A"), .outlines = nullptr});
  std::vector<render::Cell> cells{{1, White, Black}, {1, 0xFFFF0000, Black}};
  const render::RenderedFrame frame{.grid = {1, 2}, .cells = cells};
  svg.add(frame, 0);
  svg.add(frame, 0.5);
  cells[1].foreground = 0xFF00FF00;
  svg.add(frame, 1);
  EXPECT_EQ(svg.frames(), 2u) << "equal frames are merged";
  const std::string text = svg.finish(4);
  EXPECT_NE(text.find("animation:f 4s step-end infinite"), std::string::npos) << text;
  EXPECT_NE(text.find("25.000%{transform:translateY(-32px)}"), std::string::npos) << text;
  EXPECT_NE(text.find("id=\"r2\""), std::string::npos);
  EXPECT_EQ(text.find("id=\"r3\""), std::string::npos);
  EXPECT_NE(text.find(R"(<use href="#r0" y="32"/>)"), std::string::npos) << text;
}

TEST(Svg, OutlineFollowsHalfCoverage) {
  std::vector<std::uint8_t> mask(16, 0);
  for (const int at : {5, 6, 9, 10}) mask[static_cast<std::size_t>(at)] = 255;
  const std::string square = trace_outline(mask.data(), {4, 4}, 1);
  EXPECT_EQ(square.find('M'), square.rfind('M')) << "one contour: " << square;
  const std::vector<std::uint8_t> full(16, 255);
  const std::string edge = trace_outline(full.data(), {4, 4}, 1);
  EXPECT_NE(edge.find("0 "), std::string::npos) << "reaches the cell's edge: " << edge;
  EXPECT_EQ(trace_outline(std::vector<std::uint8_t>(16, 0).data(), {4, 4}, 1), "");
}

}  // namespace
}  // namespace glyphreel::present::text_formats_test
