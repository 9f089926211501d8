#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/threads/thread_pool.h"
#include "mapping/cell_mapper.h"
#include "mapping/shared/shared_scalar.h"

// Inputs of the mapping tests: glyphs, samples of a cell and frames.
namespace glyphreel::mapping {

inline std::string ascii() {
  std::string all;
  for (char c = ' '; c <= '~'; ++c) all += c;
  return all;
}

inline std::shared_ptr<const text::GlyphSet> glyphs(const std::string& characters, CellSize cell = {8, 16}) {
  auto set = text::GlyphSet::make({.cell = cell, .characters = characters});
  CHECK(static_cast<bool>(set), set.error().message);
  return *std::move(set);
}

/// Returns the tables for a grid of 8 x 8 cells. A test that needs another grid changes `parameters` of the
/// result.
inline GlyphTables tables(const text::GlyphSet& set, const Parameters& parameters) {
  auto made = make_glyph_tables(set, parameters, samples_per_cell(set.cell(), parameters.sampling));
  CHECK(static_cast<bool>(made), made.error().message);
  made->parameters.columns = 8;
  made->parameters.rows = 8;
  made->parameters.two_pass = 0;  // maps each cell without drafts of its neighbors
  return *std::move(made);
}

/// The analyses of 5 x 5 cells: a cell in the middle, and its surroundings.
class Surroundings {
 public:
  static constexpr std::ptrdiff_t Pitch = 5;
  static constexpr std::size_t Middle = 2 * Pitch + 2;

  /// Gives all cells this mode word, and a mean luma of 0 in their upper and lower halves.
  explicit Surroundings(std::uint32_t mode_word = 0)
      : halves(Pitch * Pitch, 0), mode_words(Pitch * Pitch, mode_word) {}

  [[nodiscard]] shared::AnalysisView view() const {
    return {.halves = halves.data() + Middle,
            .mode_words = mode_words.data() + Middle,
            .pitch = Pitch,
            .drafts = drafts.data() + std::size_t{4} * shared::DraftWords,
            .draft_pitch = std::ptrdiff_t{3} * shared::DraftWords};
  }

  std::vector<std::uint32_t> halves, mode_words;
  /// The drafts of 3 x 3 empty cells.
  mutable std::vector<std::uint32_t> drafts =
      std::vector<std::uint32_t>(std::size_t{9} * shared::DraftWords, 0);
};

/// Returns 0xLLRRGGBB with rounded BT.709 luma.
inline std::uint32_t sample_of(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  const std::uint32_t luma = (red * 13933 + green * 46871 + blue * 4732 + 32768) >> 16;
  return luma << 24 | red << 16 | green << 8 | blue;
}

/// Returns CellAnalysis::mode_word of a cell with these samples.
inline std::uint32_t mode_word_of(const GlyphTables& made, const std::vector<std::uint32_t>& samples) {
  const shared::MapParameters& p = made.parameters;
  const shared::AnalysisView none;
  const auto light = shared::scalar::mean_light(samples.data(), made.words.data(), none, p);
  return shared::scalar::mode_word(samples.data(), made.words.data(), none, p, light);
}

/// Maps one cell, as if all cells around it had the same samples.
inline shared::scalar::CELL map_alone(const GlyphTables& made, const std::vector<std::uint32_t>& samples,
                                      int column = 0, int row = 0,
                                      const shared::scalar::CELL& previous = {}) {
  const shared::MapParameters& p = made.parameters;
  Surroundings around(mode_word_of(made, samples));
  for (auto& word : around.halves)
    word = shared::scalar::cell_halves(samples.data(), made.words.data(), {}, p);
  return shared::scalar::map_cell(samples.data(), made.words.data(), around.view(), p, previous, column, row);
}

/// Returns an R'G'B' frame painted pixel by pixel: `paint(x, y)` returns 0xRRGGBB.
template <typename Paint>
Frame painted(Extent size, Paint&& paint, std::uint32_t epoch = 0) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const std::uint32_t rgb = paint(x, y);
      for (const int shift : {16, 8, 0}) pixels->push_back(static_cast<std::uint8_t>(rgb >> shift));
    }
  }
  Frame frame;
  frame.view.layout = {
      ColorModel::Rgb, 1, {ComponentLayout{.step = 3}, {.step = 3, .offset = 1}, {.step = 3, .offset = 2}}};
  frame.view.size = size;
  frame.view.planes[0] = reinterpret_cast<const std::byte*>(pixels->data());
  frame.view.strides[0] = size.width * 3;
  frame.duration = 1;
  frame.time_base = {1, 25};
  frame.epoch = epoch;
  frame.owner = std::move(pixels);
  return frame;
}

/// A mapper and the cells of its last frame.
class Mapped {
 public:
  Mapped(const text::GlyphSet& set, GridSize grid, const Parameters& parameters)
      : cells(static_cast<std::size_t>(grid.cells())) {
    auto made = CellMapper::make(set, grid, Fit::Stretch, parameters);
    CHECK(static_cast<bool>(made), made.error().message);
    mapper_.emplace(*std::move(made));
  }

  const std::vector<shared::Cell>& map(const Frame& frame, const Adjustments& adjustments = {}) {
    mapper_->map(frame.view, frame_time(frame), pool_, cells.data(), adjustments);
    return cells;
  }
  CellMapper& mapper() { return *mapper_; }

  std::vector<shared::Cell> cells;

 private:
  ThreadPool pool_{1};
  std::optional<CellMapper> mapper_;
};

inline bool same(const shared::Cell& a, const shared::Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

}  // namespace glyphreel::mapping
