#include "base/export_formats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace glyphreel {
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
    EXPECT_EQ(
        found.error().message,
        fmt::format(
            "The output {} has no supported extension; end its name in .mp4, .mkv, .mov, .webm, .txt, .html "
            "or .cells.",
            name));
  }
}

}  // namespace
}  // namespace glyphreel
