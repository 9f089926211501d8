#include "mapping/block_changes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mapping/kernels/kernels.h"

namespace glyphreel::mapping::block_changes_test {
namespace {

constexpr int Blocks = 4;
constexpr std::size_t CellWords = 2;

const Kernels& kernels() {
  return *available_kernels().front();
}
const int Lanes = kernels().lanes;
const GridSize Grid{Lanes * Blocks - 1, 5};  // the last block is not full

/// Passes frames to a BlockChanges. The test sets the `samples` and the `cells` of each frame.
class Frames {
 public:
  shared::MapParameters parameters{};
  /// If these ranges are not empty, map() passes them to mark_changed().
  CellRange marked_columns, marked_rows;
  std::vector<std::uint32_t> samples = std::vector<std::uint32_t>(Grid.rows * RowWords, 7);
  std::vector<shared::Cell> cells = std::vector<shared::Cell>(Grid.cells(), {1, 2, 3});
  /// The blocks whose drafts (`drafts`) or cells (`kept`) the last frame kept from the previous frame. Each
  /// row of blocks is a string, with 'x' for a kept block and '-' for any other block. If all blocks of the
  /// frame count as changed, each string is "none" instead.
  std::vector<std::string> drafts, kept;

  void map() {
    for (int row = 0; row < Grid.rows; ++row)
      changes_.update_samples(row, samples.data() + row * RowWords, lattice_.data() + row * RowWords);
    if (marked_columns.end > 0) changes_.mark_changed(marked_columns, marked_rows);
    changes_.start_matching(parameters);
    drafts.clear();
    kept.clear();
    for (int row = 0; row < Grid.rows && parameters.two_pass != 0; ++row)
      drafts.push_back(text_of(changes_.drafts_to_keep(row)));
    for (int row = 0; row < Grid.rows; ++row) {
      kept.push_back(text_of(changes_.cells_to_keep(row)));
      changes_.update_cells(row, cells.data() + row * Grid.columns, before_.data() + row * Grid.columns);
    }
    EXPECT_EQ(lattice_, samples);
  }
  /// Maps three frames with these parameters. After them, a frame without changes keeps all cells.
  void begin(const shared::MapParameters& with = {}) {
    parameters = with;
    for (int i = 0; i < 3; ++i) map();
  }
  /// Changes a sample of the cell in a block's lane.
  void change_samples(int row, int block, int lane) {
    ++samples[row * RowWords + block * BlockWords + (CellWords - 1) * Lanes + lane];
  }
  void reset() { changes_.reset(); }

 private:
  static inline const std::size_t BlockWords = CellWords * Lanes;
  static inline const std::size_t RowWords = Blocks * BlockWords;
  static std::string text_of(const std::uint8_t* flags) {
    if (flags == nullptr) return "none";
    std::string text;
    for (int block = 0; block < Blocks; ++block) text += flags[block] != 0 ? 'x' : '-';
    return text;
  }
  BlockChanges changes_{Grid, kernels(), CellWords, false};
  std::vector<std::uint32_t> lattice_ = std::vector<std::uint32_t>(samples.size());
  std::vector<shared::Cell> before_ = std::vector<shared::Cell>(cells.size());
};

using Rows = std::vector<std::string>;
const Rows None(5, "none");
const Rows All(5, "xxxx");

shared::MapParameters with_drafts() {
  shared::MapParameters parameters{};
  parameters.two_pass = 1;
  return parameters;
}

shared::MapParameters with_surroundings() {
  shared::MapParameters parameters{};
  parameters.surround.contrast = 1;
  return parameters;
}

TEST(BlockChanges, StillPictureIsKeptOnceItsCellsStayTheSame) {
  Frames frames;
  frames.parameters = with_drafts();
  frames.map();
  EXPECT_EQ(frames.kept, None);
  // The second frame keeps no cells: no frame precedes the first one, so all cells of the first frame count
  // as changed.
  frames.map();
  EXPECT_EQ(frames.kept, Rows(5, "----"));
  frames.map();
  EXPECT_EQ(frames.drafts, All);
  EXPECT_EQ(frames.kept, All);
}

TEST(BlockChanges, ChangedSamplesOfACellAffectItsBlockAlone) {
  Frames frames;
  frames.begin();
  frames.change_samples(2, 1, 0);
  frames.change_samples(4, 3, Lanes - 2);
  frames.map();
  EXPECT_EQ(frames.kept, (Rows{"xxxx", "xxxx", "x-xx", "xxxx", "xxx-"}));
  frames.map();
  EXPECT_EQ(frames.kept, All);
}

TEST(BlockChanges, DraftsAffectTheCellsOfFourNeighbors) {
  Frames frames;
  frames.begin(with_drafts());
  frames.change_samples(0, 2, 1);
  frames.change_samples(3, 1, 0);
  frames.map();
  EXPECT_EQ(frames.drafts, (Rows{"xx-x", "xxxx", "xxxx", "x-xx", "xxxx"}));
  EXPECT_EQ(frames.kept, (Rows{"xx-x", "xx-x", "x-xx", "--xx", "x-xx"}));
  frames.change_samples(3, 1, Lanes - 1);
  frames.map();
  EXPECT_EQ(frames.kept, (Rows{"xxxx", "xxxx", "x-xx", "x--x", "x-xx"}));
}

TEST(BlockChanges, SurroundingsReachOneRowAndTwoColumns) {
  Frames frames;
  frames.begin(with_surroundings());
  frames.change_samples(1, 1, 1);
  frames.map();
  EXPECT_EQ(frames.kept, (Rows{"--xx", "--xx", "--xx", "xxxx", "xxxx"}));
  frames.change_samples(4, 2, Lanes - 2);
  frames.map();
  EXPECT_EQ(frames.kept, (Rows{"xxxx", "xxxx", "xxxx", "xx--", "xx--"}));
}

TEST(BlockChanges, DraftsWithSurroundingsReachTheSumOfBoth) {
  Frames frames;
  shared::MapParameters parameters = with_drafts();
  parameters.legibility.contrast = 1;
  frames.begin(parameters);
  frames.change_samples(2, 1, 2);
  frames.map();
  EXPECT_EQ(frames.drafts, (Rows{"xxxx", "x--x", "x--x", "x--x", "xxxx"}));
  EXPECT_EQ(frames.kept, (Rows{"x--x", "---x", "---x", "---x", "x--x"}));
}

TEST(BlockChanges, ChangedCellsAreMatchedAgain) {
  Frames frames;
  frames.begin();
  frames.cells.back().background = 4;
  frames.map();
  EXPECT_EQ(frames.kept, All) << "changed cells affect the next frame";
  frames.map();
  EXPECT_EQ(frames.kept, (Rows{"xxxx", "xxxx", "xxxx", "xxxx", "xxx-"}));
}

TEST(BlockChanges, MarkedCellsAreMatchedAgain) {
  Frames frames;
  frames.begin();
  frames.marked_columns = {.first = 2 * Lanes - 1, .end = 2 * Lanes + 1};
  frames.marked_rows = {.first = 3, .end = 5};
  frames.map();
  EXPECT_EQ(frames.kept, (Rows{"xxxx", "xxxx", "xxxx", "x--x", "x--x"}));
  frames.marked_columns = {};
  frames.map();
  EXPECT_EQ(frames.kept, All);
}

TEST(BlockChanges, NewParametersChangeEverythingButForTheRateOfLevels) {
  Frames frames;
  frames.begin(with_drafts());
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
