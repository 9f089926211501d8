#include "media/cells/cell_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace glyphreel::media::cell_codec_test {
namespace {

using Cells = std::vector<RecordedCell>;

/// Returns a function that returns pseudo-random numbers.
auto random_numbers(unsigned seed) {
  return [engine = std::mt19937(seed)]() mutable { return static_cast<std::uint32_t>(engine()); };
}

std::vector<RecordedGlyph> some_glyphs(int count) {
  std::vector<RecordedGlyph> glyphs;
  for (int i = 0; i < count; ++i)
    glyphs.push_back(
        {.code_point = static_cast<char32_t>(0x100 + i), .coverage = static_cast<std::uint8_t>(i)});
  return glyphs;
}

/// Returns frames in which some cells change, with a wide variety of values.
std::vector<Cells> some_frames(GridSize grid, int count, int glyphs) {
  auto random = random_numbers(7);
  std::vector<Cells> frames;
  Cells cells(static_cast<std::size_t>(grid.cells()));
  for (int i = 0; i < count; ++i) {
    for (RecordedCell& cell : cells) {
      if (i > 0 && random() % 2 == 0) continue;
      if (random() % 3 == 0) cell.glyph = random() % static_cast<unsigned>(glyphs);
      cell.foreground = 0xff000000 | (random() % 4 == 0 ? random() & 0xffffff : cell.foreground + 0x010203);
      cell.background = 0xff000000 | (random() & 0xffffff);
    }
    frames.push_back(cells);
  }
  return frames;
}

std::string encode(GridSize grid, const std::vector<RecordedGlyph>& glyphs,
                   const std::vector<Cells>& frames) {
  CellEncoder encoder(grid, 100, glyphs);
  std::int64_t pts = -5;
  for (const Cells& cells : frames) {
    EXPECT_TRUE(encoder.accepts(pts));
    encoder.add(cells, {.pts = pts, .duration = 2});
    pts += 3;
  }
  return *encoder.finish();
}

TEST(CellCodec, RestoresFrames) {
  for (const int count : {1, 2, 95, 256, 257, 70000}) {
    for (const GridSize grid : {GridSize{1, 1}, GridSize{2, 3}, GridSize{17, 9}}) {
      const std::vector<RecordedGlyph> glyphs = some_glyphs(count);
      const std::vector<Cells> frames = some_frames(grid, 7, count);
      const std::string payload = encode(grid, glyphs, frames);
      const auto decoder = CellDecoder::open(grid, glyphs, payload);
      ASSERT_TRUE(decoder) << decoder.error().message;
      ASSERT_EQ((*decoder)->times().size(), frames.size());
      EXPECT_EQ((*decoder)->times()[2], (FrameTimes{.pts = 1, .duration = 2}));
      Cells cells(static_cast<std::size_t>(grid.cells()));
      for (const Cells& expected : frames) {
        ASSERT_TRUE((*decoder)->read(cells));
        EXPECT_EQ(cells, expected) << count << " glyphs, " << grid.columns << "x" << grid.rows;
      }
    }
  }
}

TEST(CellCodec, RestoresSparseFrames) {
  // Tests frames that change only some cells, at various distances, and frames that change no cells.
  const GridSize grid{100, 13};
  const std::vector<RecordedGlyph> glyphs = some_glyphs(3);
  for (const int distance : {1, 2, 3, 254, 255, 256, 257, 1299, 5000}) {
    Cells cells(static_cast<std::size_t>(grid.cells()));
    std::vector<Cells> frames{cells};
    for (std::size_t i = 0; i < cells.size(); i += static_cast<std::size_t>(distance))
      cells[i] = {.glyph = 1, .foreground = 0xff0a0b0c, .background = 0xff000001};
    frames.insert(frames.end(), {cells, cells, Cells(cells.size())});
    const std::string payload = encode(grid, glyphs, frames);
    const auto decoder = CellDecoder::open(grid, glyphs, payload);
    ASSERT_TRUE(decoder) << decoder.error().message;
    for (const Cells& expected : frames) {
      Cells read(cells.size());
      ASSERT_TRUE((*decoder)->read(read));
      EXPECT_TRUE(std::ranges::equal(read, expected, [](const RecordedCell& a, const RecordedCell& b) {
        return a.glyph == b.glyph && ((a.foreground ^ b.foreground) & 0xffffff) == 0 &&
               ((a.background ^ b.background) & 0xffffff) == 0;
      })) << distance;
    }
  }
}

/// Adds frames to an encoder, `distance` apart.
void add_frames(CellEncoder& encoder, int count, std::int64_t pts, int distance) {
  const Cells cells(8);
  for (int i = 0; i < count; ++i, pts += distance) {
    ASSERT_TRUE(encoder.accepts(pts)) << i;
    encoder.add(cells, {.pts = pts});
  }
}

TEST(CellCodec, ChunksEnd) {
  const GridSize grid{4, 2};
  const std::vector<RecordedGlyph> glyphs = some_glyphs(3);
  CellEncoder dense(grid, 100, glyphs);
  add_frames(dense, 100, 0, 1);
  EXPECT_FALSE(dense.accepts(100)) << "the chunk has its full duration";
  EXPECT_EQ(chunk_times(*dense.finish())->frames, 100U);
  CellEncoder sparse(grid, 100, glyphs);
  add_frames(sparse, MinChunkFrames, 100, 10);
  EXPECT_FALSE(sparse.accepts(100 + 10 * MinChunkFrames)) << "the chunk exceeds its full duration";
  EXPECT_TRUE(CellDecoder::open(grid, glyphs, *sparse.finish()));
  CellEncoder full(grid, 100, glyphs);
  add_frames(full, MaxChunkFrames, 600, 0);
  EXPECT_FALSE(full.accepts(600)) << "the chunk is full";
  CellEncoder last(grid, 100, glyphs);
  add_frames(last, 1, 600, 0);
  EXPECT_FALSE(last.accepts(599)) << "times of a chunk do not decrease";
  EXPECT_FALSE(last.accepts(600 + (std::int64_t{1} << 32))) << "the time does not fit into 32 bits";
}

TEST(CellCodec, LargeGridsHaveShortChunks) {
  EXPECT_EQ(max_chunk_frames({160, 45}), 291);
  EXPECT_EQ(max_chunk_frames({1000, 500}), 4);
  EXPECT_EQ(max_chunk_frames({4000, 4000}), 1);
}

TEST(CellCodec, DamagedPayloadsAreErrorsOrCells) {
  const GridSize grid{9, 5};
  const std::vector<RecordedGlyph> glyphs = some_glyphs(5);
  const std::string payload = encode(grid, glyphs, some_frames(grid, 4, 5));
  auto random = random_numbers(11);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = payload.substr(0, random() % 5 == 0 ? random() % payload.size() : payload.size());
    for (unsigned changes = random() % 3; changes > 0 && !bytes.empty(); --changes)
      bytes[random() % std::min<std::size_t>(bytes.size(), random() % 2 == 0 ? 40 : 1 << 20)] =
          static_cast<char>(random());
    const auto decoder = CellDecoder::open(grid, glyphs, bytes);
    if (!decoder) continue;
    Cells cells(static_cast<std::size_t>(grid.cells()));
    while ((*decoder)->next() < static_cast<int>((*decoder)->times().size())) {
      if (!(*decoder)->read(cells)) continue;
      for (const RecordedCell& cell : cells) ASSERT_LT(cell.glyph, glyphs.size());
    }
  }
}

TEST(CellCodec, HugePayloadsAreRefused) {
  // A valid header that claims as many frames and bytes as possible.
  const std::string payload("\0\0\0\0\0\0\0\0\0\4\0\0\xff\xff\xff\xff\1garbage", 24);
  EXPECT_FALSE(CellDecoder::open({16384, 1000}, some_glyphs(2), payload));
}

}  // namespace
}  // namespace glyphreel::media::cell_codec_test
