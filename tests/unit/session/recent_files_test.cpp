#include "session/recent_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "../../environment.h"

namespace glyphreel::session::recent_files_test {
namespace {

TEST(RecentFiles, AreReadAsWritten) {
  const std::vector<RecentFile> files = {{"/a b.mkv", 12.5}, {"/c\xff.mkv", 0}};
  EXPECT_EQ(recent_files_text(files), "12.500 /a b.mkv\n0.000 /c\xff.mkv\n");
  EXPECT_EQ(parse_recent_files(recent_files_text(files)), files);
}

TEST(RecentFiles, DamagedLinesAreSkipped) {
  EXPECT_EQ(parse_recent_files("x /a\n\n1\n1 a\n-1 /a\nnan /a\n2 /b\n3 "),
            (std::vector<RecentFile>{{"/b", 2}}));
}

TEST(RecentFiles, LastPlayedIsFirstAndOldOnesAreDropped) {
  std::vector<RecentFile> files;
  for (std::size_t i = 0; i <= MaxRecentFiles; ++i) put_first(files, {"/" + std::to_string(i), 0});
  EXPECT_EQ(files.size(), MaxRecentFiles);
  EXPECT_EQ(files.front().path, "/" + std::to_string(MaxRecentFiles));
  EXPECT_EQ(files.back().path, "/1");
  put_first(files, {"/50", 7});
  EXPECT_EQ(files.front(), (RecentFile{"/50", 7}));
  EXPECT_EQ(files.size(), MaxRecentFiles);
}

TEST(ResumeSeconds, IsNotNearStartOrEnd) {
  EXPECT_EQ(resume_seconds(4.9, 100), 0);
  EXPECT_EQ(resume_seconds(5, 100), 5);
  EXPECT_EQ(resume_seconds(95, 100), 95);
  EXPECT_EQ(resume_seconds(96, 100), 0);
  EXPECT_EQ(resume_seconds(5400, 5400 * 1.01), 0) << "2 % of a long video";
  EXPECT_EQ(resume_seconds(5000, std::nullopt), 5000);
}

TEST(SavePosition, KeepsOnlyFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "glyphreel-recent-test";
  std::filesystem::create_directories(folder);
  const test::Environment state("XDG_STATE_HOME", (folder / "state").string());
  const std::string file = (folder / "a.mkv").string();
  std::ofstream(file) << "x";
  std::filesystem::create_symlink(file, folder / "link.mkv");
  save_position(file, 30);
  save_position("https://host/a.mkv", 40);
  save_position((folder / "missing.mkv").string(), 40);
  EXPECT_EQ(load_recent_files().size(), 1U);
  EXPECT_EQ(saved_position((folder / "link.mkv").string()), 30) << "a link to the same file";
  EXPECT_EQ(saved_position("https://host/a.mkv"), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace glyphreel::session::recent_files_test
