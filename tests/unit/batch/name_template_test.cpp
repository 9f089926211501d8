#include "batch/name_template.h"

#include <gtest/gtest.h>

namespace glyphreel::batch::name_template_test {
namespace {

std::string expanded(std::string_view text, const NameFields& fields) {
  const auto name = NameTemplate::parse(text);
  return name ? name->expand(fields) : "error: " + name.error().message;
}

const NameFields Fields{.dir = "a/b", .name = "clip", .ext = "mkv", .index = 7, .hash = "01234567"};

TEST(NameTemplate, ReplacesFields) {
  EXPECT_EQ(expanded("{dir}/{name}", Fields), "a/b/clip");
  EXPECT_EQ(expanded("{name}.{ext}-{index}", Fields), "clip.mkv-7");
  EXPECT_EQ(expanded("{index:04}-{hash}", Fields), "0007-01234567");
  EXPECT_EQ(expanded("{{{name}}}", Fields), "{clip}");
}

TEST(NameTemplate, MissingDirectoryLeavesNoSlash) {
  EXPECT_EQ(expanded("{dir}/{name}", {.name = "clip"}), "clip");
  EXPECT_EQ(expanded("x/{dir}/{name}", {.name = "clip"}), "x/clip");
  EXPECT_EQ(expanded("{ext}", {.name = "clip"}), "output");
}

TEST(NameTemplate, RefusesWhatItCannotExpand) {
  for (const char* text : {"{nme}", "{name", "name}", "{name:3}", "{index:}", "{index:99}", "{index:-1}",
                           "../{name}", "/{name}", "a/../../{name}", "{name}/"}) {
    const auto name = NameTemplate::parse(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().code, ErrorCode::Usage) << text;
  }
}

TEST(NameTemplate, KnowsWhetherItNeedsTheContent) {
  EXPECT_TRUE(NameTemplate::parse("{name}-{hash}")->needs_hash());
  EXPECT_FALSE(NameTemplate::parse("{name}-{{hash}}")->needs_hash());
}

TEST(NameFields, KeepTheDirectoryBelowTheOneGiven) {
  EXPECT_EQ(name_fields("/videos/trip/day 1/a.b.mkv", "/videos/trip").dir, "day 1");
  EXPECT_EQ(name_fields("/videos/trip/a.mkv", "/videos/trip").dir, "");
  EXPECT_EQ(name_fields("./videos/x/a.mkv", "./videos").dir, "x");
  EXPECT_EQ(name_fields("videos/x/a.mkv", "videos/").dir, "x");
  EXPECT_EQ(name_fields("/videos/trip/a.mkv", "").dir, "");
  EXPECT_EQ(name_fields("elsewhere/a.mkv", "videos").dir, "");
}

TEST(NameFields, SplitNameAndExtension) {
  const NameFields fields = name_fields("dir/a.b.mkv", "");
  EXPECT_EQ(fields.name, "a.b");
  EXPECT_EQ(fields.ext, "mkv");
  EXPECT_EQ(name_fields("dir/plain", "").ext, "");
}

TEST(NameFields, MakeFileNamesOfUrls) {
  EXPECT_EQ(name_fields("https://host/path/film.mp4?token=a/b#t", "").name, "film");
  EXPECT_EQ(name_fields("https://host/path/film.mp4?token=a/b#t", "").ext, "mp4");
  EXPECT_EQ(name_fields("demo:", "").name, "demo:");
  EXPECT_EQ(name_fields("a\nb.mkv", "").name, "a_b");
  EXPECT_EQ(name_fields("/", "").name, "input");
}

}  // namespace
}  // namespace glyphreel::batch::name_template_test
