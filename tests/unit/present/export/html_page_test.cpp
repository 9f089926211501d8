#include "present/export/html_page.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "../../../temporary_files.h"
#include "present/export/frame_sink.h"
#include "text/glyph_set.h"

namespace glyphreel::present::html_page_test {
namespace {

/// Decodes the content of an element as the script of the HTML page does.
std::string decode(std::string_view element) {
  const std::size_t start = element.find('>') + 1;
  const std::string_view content = element.substr(start, element.rfind("</script>") - start);
  std::string bytes;
  for (std::size_t i = 0; i < content.size(); ++i)
    bytes += content[i] == '=' ? static_cast<char>(content[++i] - 64) : content[i];
  return bytes;
}

TEST(HtmlPage, ChunksSurviveTheParser) {
  std::string all;
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      all += static_cast<char>(first);
      all += static_cast<char>(second);
    }
  all += "</script><!--<script>";
  const std::string element = html_chunk(all);
  EXPECT_EQ(decode(element), all);
  const std::string content =
      element.substr(element.find('>') + 1, element.rfind("</script>") - element.find('>') - 1);
  EXPECT_EQ(content.find_first_of(std::string("\0\r", 2)), std::string::npos)
      << "an HTML parser changes these bytes";
  EXPECT_EQ(content.find("</"), std::string::npos);
  EXPECT_EQ(content.find("<!"), std::string::npos);
  EXPECT_LT(static_cast<double>(element.size()), 1.02 * static_cast<double>(all.size()) + 100);
}

TEST(HtmlPage, HeadIsAsciiAndEscaped) {
  const auto glyphs = text::GlyphSet::make({.cell = {8, 16}, .characters = "<& é"});
  ASSERT_TRUE(glyphs);
  const std::vector<render::Cell> cells{
      {0, 0xff112233, 0xff000000}, {2, 0xff000000, 0xff000000}, {3, 0xff445566, 0xff000000}};
  const render::RenderedFrame frame{.grid = {1, 3}, .cells = cells};
  const std::string head = html_head({.title = "a</title>\"ö",
                                      .source = "x'y.cells",
                                      .cell = {8, 16},
                                      .still = &frame,
                                      .glyphs = glyphs->get()});
  for (const char byte : head) ASSERT_LT(static_cast<unsigned char>(byte), 0x80);
  EXPECT_NE(head.find("<title>a&#60;/title&#62;&#34;&#246;</title>"), std::string::npos);
  EXPECT_NE(head.find("src=\"x%27y.cells\""), std::string::npos);
  EXPECT_NE(head.find(">&#60;\n&#233;</pre>"), std::string::npos) << "only every second row";
  EXPECT_NE(head.find("url(data:image/png;base64,iVBORw0KGgo"), std::string::npos);
  EXPECT_EQ(head.find("@script@"), std::string::npos);
  EXPECT_LT(head.find("charset=\"windows-1252\""), 1024U) << "browsers look for the character set there";
}

TEST(HtmlPage, NamesBecomeUrls) {
  EXPECT_EQ(url_of_name("show-1_a.b~.cells"), "show-1_a.b~.cells");
  EXPECT_EQ(url_of_name("a #1?%'\"<é.js"), "a%20%231%3F%25%27%22%3C%C3%A9.js");
}

TEST(HtmlPage, HasTheTitleOfTheInputOrTheFileName) {
  const test::TemporaryFolder folder;
  auto set = text::GlyphSet::make({.characters = " x"});
  ASSERT_TRUE(set);
  const std::shared_ptr<const text::GlyphSet> glyphs = *std::move(set);
  for (const std::string title : {"", "A film"}) {
    auto sink = open_html_sink(
        {.writer = {.path = folder.file("page.html"), .grid = {1, 1}, .time_base = {1, 5}, .overwrite = true},
         .glyphs = glyphs,
         .title = title});
    ASSERT_TRUE(sink) << sink.error().message;
    const std::vector<render::Cell> cells{{1, 0xFFFFFFFF, 0xFF000000}};
    ASSERT_TRUE((*sink)->write({.pts = 0, .duration = 1, .grid = {1, 1}, .cells = cells}));
    ASSERT_TRUE((*sink)->finish());
    std::ifstream stream(folder.file("page.html"), std::ios::binary);
    const std::string page{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_NE(page.find(title.empty() ? "<title>page</title>" : "<title>A film</title>"), page.npos);
  }
}

}  // namespace
}  // namespace glyphreel::present::html_page_test
