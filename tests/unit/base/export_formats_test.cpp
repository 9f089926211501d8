#include "base/export_formats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace glyphreel::export_formats_test {
namespace {

TEST(ExportFormats, EndingsMatchInAnyCase) {
  for (const ExportFormat& format : ExportFormats) {
    std::string upper(format.ending);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    for (const std::string& name : {fmt::format("a.{}", format.ending), fmt::format("/b/c.{}", upper),
                                    fmt::format("a.txt.{}", format.ending)}) {
      const Result<ExportFormat> found = export_format_of(name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->ending, format.ending);
    }
  }
}

TEST(ExportFormats, UnknownEndingNamesKnownOnes) {
  for (const char* name : {"a", "a.xyz", "a.mp4.", ".mp4", "folder.txt/a", ""}) {
    const Result<ExportFormat> found = export_format_of(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, ErrorCode::Usage);
    EXPECT_EQ(found.error().message,
              fmt::format("The output {} has no supported extension; end its name in {}, or use --format.",
                          name, export_endings()));
  }
}

TEST(ExportFormats, FormatNameOverridesEnding) {
  EXPECT_EQ(export_format_of("a.mp4", "png")->ending, "png");
  EXPECT_EQ(export_format_of("/dev/stdout", "JPEG")->ending, "jpg") << "an alias, in any case";
  const Result<ExportFormat> unknown = export_format_of("a.mp4", "xyz");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("'xyz'"), std::string::npos);
  EXPECT_TRUE(export_endings().starts_with(".mp4, .mkv, .mov, .webm, ")) << export_endings();
}

TEST(ExportFormats, ScreenshotsHaveAllFormatsButVideos) {
  EXPECT_TRUE(screenshot_names().starts_with("gif, ")) << screenshot_names();
  EXPECT_TRUE(screenshot_names().ends_with(", cast, svg, y4m, yuv, html, cells")) << screenshot_names();
}

TEST(ExportFormats, NamesAndAliasesAreUnique) {
  std::set<std::string_view> names;
  for (const ExportFormat& format : ExportFormats) {
    EXPECT_TRUE(names.insert(format.ending).second) << format.ending;
    if (!format.alias.empty()) {
      EXPECT_TRUE(names.insert(format.alias).second) << format.alias;
    }
  }
}

}  // namespace
}  // namespace glyphreel::export_formats_test
