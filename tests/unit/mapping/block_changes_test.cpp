#include "mapping/block_changes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace glyphreel::mapping::block_changes_test {
namespace {

constexpr int Lanes = 4;
constexpr int Blocks = 6;
constexpr GridSize Grid{Lanes * Blocks - 1, 5};  // the last block is not full
constexpr std::size_t BlockWords = 3;

/// Gives the samples and the cells of frames to a BlockChanges. The test sets both.
class Frames {
 public:
  shared::MapParameters parameters{};
  CellRange marked_columns, marked_rows;  ///< map() marks these cells, unless the ranges are empty
  std::vector<std::uint32_t> samples = std::vector<std::uint32_t>(Grid.rows * Blocks * BlockWords, 7);
  std::vector<shared::Cell> cells = std::vector<shared::Cell>(Grid.cells(), {1, 2, 3});
  /// What the last frame kept of the frame before: drafts (in `drafts`) and cells (in `kept`). There is one
  /// string per row, with 'x' for each block that was kept and '-' for each other block. The string is "none"
  /// if all blocks of the frame count as changed.
  std::vector<std::string> drafts, kept;

  void map(bool drafted = true) {
    for (int row = 0; row < Grid.rows; ++row)
      changes_.update_samples(row, samples.data() + row * RowWords, lattice_.data() + row * RowWords,
                              BlockWords);
    if (marked_columns.end > 0) changes_.mark_changed(marked_columns, marked_rows);
    changes_.start_matching(parameters);
    drafts.clear();
    kept.clear();
    for (int row = 0; row < Grid.rows && drafted; ++row)
      drafts.push_back(text_of(changes_.drafts_to_keep(row)));
    for (int row = 0; row < Grid.rows; ++row) {
      kept.push_back(text_of(changes_.cells_to_keep(row, drafted)));
      changes_.update_cells(row, cells.data() + row * Grid.columns, before_.data() + row * Grid.columns);
    }
    EXPECT_EQ(lattice_, samples);
  }
  std::uint32_t& sample(int row, int block) { return samples[row * RowWords + block * BlockWords + 2]; }
  void reset() { changes_.reset(); }

 private:
  static constexpr std::size_t RowWords = Blocks * BlockWords;
  static std::string text_of(const std::uint8_t* flags) {
    if (flags == nullptr) return "none";
    std::string text;
    for (int block = 0; block < Blocks; ++block) text += flags[block] != 0 ? 'x' : '-';
    return text;
  }
  BlockChanges changes_{Grid, Lanes};
  std::vector<std::uint32_t> lattice_ = std::vector<std::uint32_t>(samples.size());
  std::vector<shared::Cell> before_ = std::vector<shared::Cell>(cells.size());
};

using Rows = std::vector<std::string>;
const Rows None(5, "none");
const Rows All(5, "xxxxxx");

TEST(BlockChanges, StillPictureIsKeptOnceItsCellsStayTheSame) {
  Frames frames;
  frames.map();
  EXPECT_EQ(frames.kept, None);
  // The second frame keeps no cells: no frame precedes the first one, so all cells of the first frame count
  // as changed.
  frames.map();
  EXPECT_EQ(frames.kept, Rows(5, "------"));
  frames.map();
  EXPECT_EQ(frames.drafts, All);
  EXPECT_EQ(frames.kept, All);
}

TEST(BlockChanges, ChangedSamplesReachNeighborsDraftsAndTheirNeighborsCells) {
  Frames frames;
  for (int i = 0; i < 3; ++i) frames.map();
  frames.sample(0, 1) = 8;
  frames.map();
  EXPECT_EQ(frames.drafts, (Rows{"---xxx", "---xxx", "xxxxxx", "xxxxxx", "xxxxxx"}));
  EXPECT_EQ(frames.kept, (Rows{"----xx", "----xx", "----xx", "xxxxxx", "xxxxxx"}));
  frames.map();
  EXPECT_EQ(frames.kept, All);
}

TEST(BlockChanges, WithoutDraftsChangedSamplesReachNeighborsCells) {
  Frames frames;
  for (int i = 0; i < 3; ++i) frames.map(false);
  frames.sample(4, 5) = 8;
  frames.map(false);
  EXPECT_EQ(frames.kept, (Rows{"xxxxxx", "xxxxxx", "xxxxxx", "xxxx--", "xxxx--"}));
}

TEST(BlockChanges, ChangedCellsAreMatchedAgain) {
  Frames frames;
  for (int i = 0; i < 3; ++i) frames.map(false);
  frames.cells.back().background = 4;
  frames.map(false);
  EXPECT_EQ(frames.kept, All) << "changed cells affect the next frame";
  frames.map(false);
  EXPECT_EQ(frames.kept, (Rows{"xxxxxx", "xxxxxx", "xxxxxx", "xxxx--", "xxxx--"}));
}

TEST(BlockChanges, MarkedCellsAndTheirNeighborsAreMatchedAgain) {
  Frames frames;
  for (int i = 0; i < 3; ++i) frames.map(false);
  frames.marked_columns = {.first = 7, .end = 9};
  frames.marked_rows = {.first = 3, .end = 5};
  frames.map(false);
  EXPECT_EQ(frames.kept, (Rows{"xxxxxx", "xxxxxx", "----xx", "----xx", "----xx"}));
  frames.marked_columns = {};
  frames.map(false);
  EXPECT_EQ(frames.kept, All);
}

TEST(BlockChanges, NewParametersChangeEverythingButForTheRateOfLevels) {
  Frames frames;
  for (int i = 0; i < 3; ++i) frames.map();
  frames.parameters.levels.gain = 4097;
  frames.map();
  EXPECT_EQ(frames.kept, None);
  frames.parameters.levels.rate = 9;
  frames.map();
  EXPECT_EQ(frames.kept, All);
  frames.reset();
  frames.map();
  EXPECT_EQ(frames.kept, None);
}

}  // namespace
}  // namespace glyphreel::mapping::block_changes_test
