#include "media/cells/cell_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace glyphreel::media {
namespace {

// light_prediction() adds this to each glyph's coverage, in units of 1/255, because dividing by a small
// coverage would amplify errors.
constexpr int MinCoverage = 8;
constexpr int FullCoverage = 255;

bool is_same(const RecordedCell& a, const RecordedCell& b) {
  return a.glyph == b.glyph &&
         (((a.foreground ^ b.foreground) | (a.background ^ b.background)) & 0xffffff) == 0;
}

std::uint32_t& color_of(RecordedCell& cell, std::size_t plane) {
  return plane < 3 ? cell.background : cell.foreground;
}

/// Bit position of a plane's component in a color 0xFFRRGGBB.
int shift_of(std::size_t plane) {
  constexpr std::array<int, 3> Shifts{8, 16, 0};
  return Shifts[plane % 3];
}

int component(const RecordedCell& cell, std::size_t plane) {
  return static_cast<int>((plane < 3 ? cell.background : cell.foreground) >> shift_of(plane) & 0xff);
}

/// The median edge detector of LOCO-I.
int spatial_prediction(int left, int above, int above_left) {
  const int low = std::min(left, above);
  const int high = std::max(left, above);
  return above_left >= high ? low : above_left <= low ? high : left + above - above_left;
}

/// Predicts the foreground with which the cell emits as much light as in the previous frame. The square of a
/// code value approximates its light.
int light_prediction(int last, int last_background, int last_coverage, int background, int coverage) {
  const auto square = [](int value) { return value * value; };
  const int ink = coverage + MinCoverage;
  const int last_ink = last_coverage + MinCoverage;
  const int light = last_ink * square(last) + (FullCoverage - last_ink) * square(last_background) -
                    (FullCoverage - ink) * square(background);
  return static_cast<int>(std::sqrt(std::clamp(light / ink, 0, square(0xff))));
}

/// Returns a number from 0 to 8 that combines a residual's sign with the class of its absolute value. The
/// classes are 0, 1, 2, 3 to 5, and 6 or more.
std::size_t level_of(int residual) {
  constexpr std::array<std::uint8_t, 7> Levels{0, 1, 2, 3, 3, 3, 4};
  const std::size_t level = Levels[static_cast<std::size_t>(std::min(6, std::abs(residual)))];
  return residual < 0 ? level + 4 : level;
}

}  // namespace

CellModel::CellModel(GridSize grid)
    : grid_(grid),
      pitch_(static_cast<std::size_t>(grid.columns) + 1),
      size_(pitch_ * (static_cast<std::size_t>(grid.rows) + 2) + 1) {}

void CellModel::begin_chunk(int glyph_bits) {
  glyph_bits_ = glyph_bits;
  is_first_ = true;
  for (Frame* frame : {&now_, &before_}) {
    frame->cells.assign(size_, {});
    frame->same.assign(size_, 0);
    frame->changed.assign(size_, 0);
    for (auto& plane : frame->residuals) plane.assign(size_, 0);
  }
  models_ = {};
  for (auto& models : models_.glyphs) models.assign(GlyphNodes, {});
}

void CellModel::for_each(std::span<RecordedCell> cells, auto&& visit) {
  std::size_t cell = 0;
  for (std::size_t row = 1; row <= static_cast<std::size_t>(grid_.rows); ++row)
    for (std::size_t i = row * pitch_ + 1; i < (row + 1) * pitch_; ++i) visit(i, cells[cell++]);
}

template <class Coder>
bool CellModel::code_frame(Coder& coder, std::span<RecordedCell> cells,
                           std::span<const RecordedGlyph> glyphs) {
  std::swap(now_, before_);
  bool is_valid = true;
  for_each(cells, [&](std::size_t i, RecordedCell& cell) {
    code_glyph(coder, i, cell);
    now_.cells[i] = cell;
    is_valid = is_valid && cell.glyph < glyphs.size();
  });
  if (!is_valid) return false;
  for (auto& plane : now_.residuals) std::ranges::fill(plane, std::int8_t{0});
  for_each(cells, [&](std::size_t i, RecordedCell& cell) {
    if (now_.same[i] == 0) code_colors(coder, i, cell, glyphs);
  });
  is_first_ = false;
  return true;
}

/// Returns a context of 7 flags: those of the four neighbors that are coded before this cell, and, from the
/// previous frame, those of this cell and of its neighbors to the right and below.
std::size_t CellModel::flags_around(std::vector<std::uint8_t> Frame::*flags, std::size_t i) const {
  const std::vector<std::uint8_t>& now = now_.*flags;
  const std::vector<std::uint8_t>& before = before_.*flags;
  const std::size_t above = i - pitch_;
  return static_cast<std::size_t>(now[i - 1] | now[above] << 1 | now[above + 1] << 2 | now[above - 1] << 3 |
                                  before[i] << 4 | before[i + 1] << 5 | before[i + pitch_] << 6);
}

/// Codes whether the cell equals the same cell in the previous frame. If so, copies that cell to `cell`;
/// otherwise, codes the glyph.
template <class Coder>
void CellModel::code_glyph(Coder& coder, std::size_t i, RecordedCell& cell) {
  const RecordedCell& last = before_.cells[i];
  const std::size_t above = i - pitch_;
  if (!is_first_) {
    const bool same = code_bit(coder, models_.same[flags_around(&Frame::same, i)], is_same(cell, last));
    now_.same[i] = same ? 1 : 0;
    now_.changed[i] = 0;
    if (same) {
      cell = last;
      return;
    }
    const auto flags =
        static_cast<std::size_t>(now_.same[i - 1] | now_.same[above] << 1 | before_.same[i] << 2);
    const bool changed = code_bit(coder, models_.changed[flags_around(&Frame::changed, i) | flags << 7],
                                  cell.glyph != last.glyph);
    now_.changed[i] = changed ? 1 : 0;
    if (!changed) {
      cell.glyph = last.glyph;
      return;
    }
  }
  const std::uint32_t left = now_.cells[i - 1].glyph;
  const std::array contexts{left, is_first_ ? now_.cells[above].glyph : last.glyph};
  std::uint32_t node = 1;
  for (int bit = glyph_bits_ - 1; bit >= 0; --bit) {
    std::array<BitModel*, BitMixer::Models> models{};
    for (std::size_t k = 0; k < models.size(); ++k)
      models[k] = &models_.glyphs[k][((contexts[k] << glyph_bits_) + node) % GlyphNodes];
    BitMixer& mixer = models_.glyph_mixers[static_cast<std::size_t>(bit)];
    node = node << 1 | (mixer.code(coder, models, (cell.glyph >> bit & 1) != 0) ? 1 : 0);
  }
  cell.glyph = node - (1U << glyph_bits_);
}

template <class Coder>
void CellModel::code_colors(Coder& coder, std::size_t i, RecordedCell& cell,
                            std::span<const RecordedGlyph> glyphs) {
  RecordedCell& now = now_.cells[i];
  now.foreground = now.background = 0xff000000;
  int green_residual = 0;
  for (std::size_t plane = 0; plane < Planes; ++plane) {
    const bool is_green = plane % 3 == 0;
    const int predicted = std::clamp(predict(plane, i, glyphs) + (is_green ? 0 : green_residual), 0, 0xff);
    const int wanted = static_cast<std::int8_t>(component(cell, plane) - predicted);
    const int residual = code_residual(coder, plane, i, wanted);
    const int value = (predicted + residual) & 0xff;
    now_.residuals[plane][i] = static_cast<std::int8_t>(residual);
    if (is_green) green_residual = value - predicted;
    color_of(now, plane) |= static_cast<std::uint32_t>(value) << shift_of(plane);
  }
  cell = now;
}

/// Codes whether the residual is 0; if it is not, codes its sign, then its absolute value minus 1: first that
/// value's bit width in unary, then its bits below the highest one.
template <class Coder>
int CellModel::code_residual(Coder& coder, std::size_t plane, std::size_t i, int residual) {
  const std::vector<std::int8_t>& now = now_.residuals[plane];
  const std::vector<std::int8_t>& before = before_.residuals[plane];
  const int left = now[i - 1];
  const int above = now[i - pitch_];
  const int past = is_first_ ? now[i - pitch_ + 1] : before[i];
  const int other = plane > 0 ? now_.residuals[plane - 1][i] : 0;
  const std::size_t group = plane * 3 + (is_first_ ? 0U : 1U + now_.changed[i]);
  auto& by_neighbors = models_.by_neighbors[(group * Levels + level_of(left)) * Levels + level_of(above)];
  auto& by_past = models_.by_past[(group * Levels + level_of(past)) * Levels + level_of(other)];
  const auto code = [&](std::size_t symbol, bool bit) {
    return models_.mixers[group][symbol].code(coder, {&by_neighbors[symbol], &by_past[symbol]}, bit);
  };

  if (code(0, residual == 0)) return 0;
  const bool is_negative = code(1, residual < 0);
  const auto rest = static_cast<unsigned>(std::abs(residual) - 1) & 0x7f;
  const auto wanted_size = static_cast<std::size_t>(std::bit_width(rest));
  const std::size_t first = is_negative ? 2 + MaxSize : 2;
  std::size_t size = 0;
  while (size < MaxSize && !code(first + size, size == wanted_size)) ++size;
  unsigned coded = size > 0 ? 1 : 0;
  auto& digits = models_.digits[group * (MaxSize + 1) + size];
  for (std::size_t bit = size; bit > 1; --bit)
    coded = coded << 1 | (code_bit(coder, digits[coded], (rest >> (bit - 2) & 1) != 0) ? 1 : 0);
  const auto magnitude = static_cast<int>(coded) + 1;
  return is_negative ? -magnitude : magnitude;
}

/// Predicts a color component. For red and blue, the caller adds the prediction error of green.
int CellModel::predict(std::size_t plane, std::size_t i, std::span<const RecordedGlyph> glyphs) const {
  const auto now = [&](std::size_t at) { return component(now_.cells[at], plane); };
  if (is_first_) return spatial_prediction(now(i - 1), now(i - pitch_), now(i - pitch_ - 1));
  const RecordedCell& before = before_.cells[i];
  const int last = component(before, plane);
  if (plane < 3) return last;
  const int background = component(now_.cells[i], plane - 3);
  const int last_background = component(before, plane - 3);
  if (now_.changed[i] == 0) return last + background - last_background;
  return light_prediction(last, last_background, glyphs[before.glyph].coverage, background,
                          glyphs[now_.cells[i].glyph].coverage);
}

template bool CellModel::code_frame(BitEncoder&, std::span<RecordedCell>, std::span<const RecordedGlyph>);
template bool CellModel::code_frame(BitDecoder&, std::span<RecordedCell>, std::span<const RecordedGlyph>);

}  // namespace glyphreel::media
