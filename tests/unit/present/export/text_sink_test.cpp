#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "present/export/frame_sink.h"

namespace glyphreel::present::text_sink_test {
namespace {

namespace fs = std::filesystem;

class TextSinkTest : public testing::Test {
 protected:
  TextSinkTest() {
    std::string pattern = (fs::temp_directory_path() / "glyphreel-text-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    auto set = text::GlyphSet::make({.characters = " #é█x"});
    CHECK(static_cast<bool>(set), set.error().message);
    glyphs_ = *std::move(set);
  }
  ~TextSinkTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] Result<std::unique_ptr<FrameSink>> make_sink(
      const char* name, AtomicFile::Existing existing = AtomicFile::Existing::Refuse) const {
    return open_text_sink({.path = path(name), .existing = existing}, glyphs_);
  }
  [[nodiscard]] static std::string content(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::vector<render::Cell> cells_{{1, 0, 0}, {0, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {1, 0, 0}};
  render::RenderedFrame frame_{.grid = {3, 2}, .cells = cells_};
};

TEST_F(TextSinkTest, AnsiColorsChangeWithinRowsAndEndWithThem) {
  cells_ = {{1, 0x102030, 0},        {4, 0x102030, 0}, {2, 0xFF0000, 0xFFFFFF},
            {3, 0xFF0000, 0xFFFFFF}, {0, 0, 0},        {0, 0, 0}};
  std::string text;
  const TerminalColors direct;
  append_ansi(text, frame_, *glyphs_, &direct);
  EXPECT_EQ(text,
            "\x1b[38;2;16;32;48;48;2;0;0;0m#x\x1b[38;2;255;0;0;48;2;255;255;255mé\x1b[m\n"
            "\x1b[38;2;255;0;0;48;2;255;255;255m█\x1b[38;2;0;0;0;48;2;0;0;0m  \x1b[m\n");
  text.clear();
  append_ansi(text, frame_, *glyphs_, nullptr);
  EXPECT_EQ(text, "#xé\n█  \n");
}

TEST_F(TextSinkTest, RowsAreLinesAndFramesEndWithFormFeed) {
  auto sink = make_sink("clip.txt");
  ASSERT_TRUE(sink) << sink.error().message;
  EXPECT_EQ((*sink)->picture_format(), PictureFormat::None);
  ASSERT_TRUE((*sink)->write(frame_));
  cells_[0].glyph = 4;
  ASSERT_TRUE((*sink)->write(frame_));
  ASSERT_TRUE((*sink)->finish());
  EXPECT_EQ(content(path("clip.txt")), "# é\n█x#\n\fx é\n█x#\n\f");
}

TEST_F(TextSinkTest, OverlayTextIsWritten) {
  const auto text = std::make_shared<render::OverlayGlyphs>();
  text->utf8 = {" ", "漢", ""};
  text->columns = {text::GlyphColumns::Narrow, text::GlyphColumns::WideLeft, text::GlyphColumns::WideRight};
  frame_.overlay_glyphs = text;
  cells_[1].glyph = 6;
  cells_[2].glyph = 7;
  auto sink = make_sink("clip.txt");
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->write(frame_));
  ASSERT_TRUE((*sink)->finish());
  EXPECT_EQ(content(path("clip.txt")), "#漢\n█x#\n\f");
}

TEST_F(TextSinkTest, UsesPartNameUntilComplete) {
  auto sink = make_sink("clip.txt");
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->write(frame_));
  EXPECT_EQ(files(), std::vector<std::string>{"clip.part.txt"});
  ASSERT_TRUE((*sink)->finish());
  EXPECT_EQ(files(), std::vector<std::string>{"clip.txt"});
}

TEST_F(TextSinkTest, AbandonedOutputKeepsPartFile) {
  auto sink = make_sink("clip.txt");
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->write(frame_));
  EXPECT_EQ((*sink)->abandon(), path("clip.part.txt"));
  EXPECT_EQ(files(), std::vector<std::string>{"clip.part.txt"});
  EXPECT_EQ(content(path("clip.part.txt")), "# é\n█x#\n\f");
}

TEST_F(TextSinkTest, AbandonedEmptyOutputIsRemoved) {
  auto sink = make_sink("clip.txt");
  ASSERT_TRUE(sink);
  EXPECT_EQ((*sink)->abandon(), "");
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(TextSinkTest, ExistingFileIsOverwrittenOnlyOnRequest) {
  std::ofstream(path("clip.txt")) << "precious";
  const auto refused = make_sink("clip.txt");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Usage);
  EXPECT_NE(refused.error().message.find("--force"), std::string::npos);
  EXPECT_EQ(content(path("clip.txt")), "precious");
  EXPECT_EQ(files().size(), 1u) << "no file was created";

  auto sink = make_sink("clip.txt", AtomicFile::Existing::Replace);
  ASSERT_TRUE(sink);
  EXPECT_EQ(content(path("clip.txt")), "precious") << "the old file must stay until the new one is complete";
  ASSERT_TRUE((*sink)->write(frame_));
  ASSERT_TRUE((*sink)->finish());
  EXPECT_EQ(content(path("clip.txt")), "# é\n█x#\n\f");
}

TEST_F(TextSinkTest, MissingFolderFails) {
  const auto sink = make_sink("none/clip.txt");
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, ErrorCode::Failed);
  EXPECT_NE(sink.error().message.find("clip.txt"), std::string::npos);
  EXPECT_FALSE(sink.error().cause.empty());
}

TEST_F(TextSinkTest, FolderAtFinalNameFails) {
  fs::create_directory(path("clip.txt"));
  auto sink = make_sink("clip.txt", AtomicFile::Existing::Replace);
  if (!sink) return;  // an immediate error is acceptable too
  ASSERT_TRUE((*sink)->write(frame_));
  const Result<void> finished = (*sink)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::Failed);
  EXPECT_TRUE(fs::is_directory(path("clip.txt")));
}

/// Simulates a full disk with a file size limit. The error must be reported by finish() at the latest.
TEST_F(TextSinkTest, FullDiskFails) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);  // as base/interrupt.cpp does
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (const int frames : {1, 10, 100000}) {
    auto sink = make_sink("clip.txt", AtomicFile::Existing::Replace);
    ASSERT_TRUE(sink);
    std::vector<render::Cell> many(5000, {1, 0, 0});
    const render::RenderedFrame large{.grid = {100, 50}, .cells = many};
    bool failed = false;
    for (int i = 0; i < frames && !failed; ++i) failed = !(*sink)->write(large);
    if (!failed) {
      const Result<void> finished = (*sink)->finish();
      ASSERT_FALSE(finished) << "5050 bytes exceed the limit of 4096";
      EXPECT_EQ(finished.error().code, ErrorCode::Failed);
      EXPECT_FALSE(finished.error().cause.empty());
    }
    EXPECT_FALSE(fs::exists(path("clip.txt"))) << "an incomplete file must not have the final name";
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
}

}  // namespace
}  // namespace glyphreel::present::text_sink_test
