#include "media/cells/cells_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "media/cells/cell_codec.h"
#include "media/cells/cells_muxer.h"

namespace glyphreel::media::cells_file_test {
namespace {

constexpr GridSize Grid{6, 4};
constexpr int Frames = 150;  // in three chunks

RecordedCell cell_of(int frame, int number) {
  return {.glyph = static_cast<std::uint32_t>((frame + number) % 3),
          .foreground = 0xff000000 | static_cast<std::uint32_t>(frame * 77 + number),
          .background = 0xff102030};
}

std::string make_file(int frames, int chunks_at_once = 0) {
  std::string bytes;
  CellsMuxerOptions options{.header = {.grid = Grid,
                                       .cell = {2, 3},
                                       .time_base = {1, 25},
                                       .frame_rate = {25, 1},
                                       .font = "Some Font",
                                       .fingerprint = 123},
                            .glyphs = {{.code_point = U' '}, {.code_point = U'x', .coverage = 90}},
                            .masks = std::string(12, 'm'),
                            .chunks_at_once = chunks_at_once};
  const auto muxer = CellsMuxer::open(options, [&](std::string_view part) -> Result<void> {
    bytes += part;
    return {};
  });
  EXPECT_TRUE(muxer);
  const std::vector<RecordedGlyph> more{{.code_point = U'é', .coverage = 80}};
  EXPECT_EQ(*(*muxer)->add_glyphs(more, std::string(6, 'm')), 2U);
  std::vector<RecordedCell> cells(24);
  for (int i = 0; i < frames; ++i) {
    for (int k = 0; k < 24; ++k) cells[static_cast<std::size_t>(k)] = cell_of(i, k);
    EXPECT_TRUE((*muxer)->write(cells, {.pts = i, .duration = 1}));
  }
  EXPECT_TRUE((*muxer)->finish());
  return bytes;
}

/// A file that the destructor removes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const std::string path_ = testing::TempDir() + "cells_file_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".cells";
};

TEST(CellsFile, ReadsWhatWasWritten) {
  const TemporaryFile written(make_file(Frames));
  EXPECT_TRUE(CellsFile::is_cells_file(written.path()));
  const auto file = CellsFile::open(written.path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE((*file)->is_complete());
  EXPECT_EQ((*file)->header().grid, Grid);
  EXPECT_EQ((*file)->header().time_base, (Rational{1, 25}));
  EXPECT_EQ((*file)->glyphs()->font, "Some Font");
  ASSERT_EQ((*file)->glyphs()->glyphs.size(), 3U);
  EXPECT_EQ((*file)->glyphs()->glyphs[2].code_point, U'é');
  EXPECT_EQ((*file)->frame_count(), Frames);
  int number = 0;
  std::vector<RecordedCell> cells(24);
  for (const ChunkPlace& place : (*file)->frame_chunks()) {
    const auto payload = (*file)->read(place);
    ASSERT_TRUE(payload);
    const auto decoder = CellDecoder::open(Grid, (*file)->glyphs()->glyphs, *payload);
    ASSERT_TRUE(decoder);
    for (std::uint32_t i = 0; i < place.frames; ++i, ++number) {
      ASSERT_TRUE((*decoder)->read(cells));
      EXPECT_EQ(cells[5], cell_of(number, 5));
    }
  }
}

TEST(CellsFile, AnyNumberOfThreadsWritesTheSameBytes) {
  const std::string file = make_file(1000, 1);  // has 20 chunks
  for (const int chunks : {1, 2, 4, 100}) EXPECT_TRUE(make_file(1000, chunks) == file) << chunks;
}

TEST(CellsFile, NothingFollowsAnError) {
  int calls = 0;
  CellsMuxerOptions options{.header = {.grid = Grid, .cell = {2, 3}, .time_base = {1, 25}},
                            .glyphs = {{.code_point = U' '}},
                            .masks = std::string(6, 'm'),
                            .chunks_at_once = 4};
  const auto muxer = CellsMuxer::open(options, [&](std::string_view part) -> Result<void> {
    ++calls;
    if (part.substr(0, 4) != chunk::Frames) return {};
    return Error{ErrorCode::Failed, "The disk is full.", {}};
  });
  ASSERT_TRUE(muxer);
  const std::vector<RecordedCell> cells(24);
  Result<void> written;
  for (int i = 0; written && i < 5000; ++i) written = (*muxer)->write(cells, {.pts = i, .duration = 1});
  ASSERT_FALSE(written);
  const int until_error = calls;
  EXPECT_FALSE((*muxer)->write(cells, {.pts = 5000, .duration = 1}));
  const Result<void> finished = (*muxer)->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "The disk is full.");
  EXPECT_EQ(calls, until_error);
  EXPECT_EQ((*muxer)->frames_written(), 0);
}

TEST(CellsFile, TruncatedFileIsReadableUpToItsLastChunk) {
  const std::string bytes = make_file(Frames);
  std::int64_t last = 0;
  int readable = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    const TemporaryFile cut(bytes.substr(0, size));
    const auto file = CellsFile::open(cut.path());
    if (!file) continue;
    ++readable;
    EXPECT_FALSE((*file)->is_complete());
    EXPECT_GE((*file)->frame_count(), last) << "a longer file has no fewer frames";
    last = (*file)->frame_count();
  }
  EXPECT_GT(readable, 10);
  EXPECT_EQ(last, Frames);
}

TEST(CellsFile, DamagedChunkIsAnError) {
  std::string bytes = make_file(Frames);
  const TemporaryFile intact(bytes);
  const auto places = (*CellsFile::open(intact.path()))->frame_chunks();
  bytes[places[1].offset + 30] ^= 1;
  const TemporaryFile damaged(bytes);
  const auto file = CellsFile::open(damaged.path());
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->read(places[0]));
  const auto payload = (*file)->read(places[1]);
  ASSERT_FALSE(payload);
  EXPECT_EQ(payload.error().code, ErrorCode::BadInput);
  EXPECT_NE(payload.error().message.find("is damaged at byte"), std::string::npos);
  EXPECT_TRUE((*file)->read(places[2]));
}

TEST(CellsFile, MaliciousHeadersAreErrors) {
  const CellsHeader good{.grid = Grid, .cell = {8, 16}};
  EXPECT_TRUE(decode_header(encode_header(good)));
  for (const GridSize grid : {GridSize{0, 1}, GridSize{-1, 5}, GridSize{16384, 16384}, GridSize{100000, 1}}) {
    CellsHeader header = good;
    header.grid = grid;
    EXPECT_FALSE(decode_header(encode_header(header))) << grid.columns << "x" << grid.rows;
  }
  CellsHeader header = good;
  header.time_base = {1, 0};
  EXPECT_FALSE(decode_header(encode_header(header)));
  std::string other = encode_header(good);
  other[0] = 9;
  EXPECT_NE(decode_header(other).error().message.find("update"), std::string::npos);
  other[0] = 1;
  EXPECT_NE(decode_header(other).error().message.find("record the video again"), std::string::npos);
  std::vector<RecordedGlyph> glyphs;
  EXPECT_FALSE(decode_glyphs(std::string("\xff\xff\xff\xff", 4), glyphs));
  EXPECT_FALSE(decode_index("short"));
}

TEST(CellsFile, OtherFilesAreNotCells) {
  const TemporaryFile other("\x89PNG and so on");
  EXPECT_FALSE(CellsFile::is_cells_file(other.path()));
  EXPECT_FALSE(CellsFile::is_cells_file("/"));
  EXPECT_FALSE(CellsFile::is_cells_file("/missing"));
}

}  // namespace
}  // namespace glyphreel::media::cells_file_test
