#include "present/export/image/gif_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::present {
namespace {

constexpr std::size_t AllIndices = 256;      // a palette of this many colors has no transparent index
constexpr std::size_t MaxColors = 255;       // of a palette whose last index means transparent
constexpr std::uint32_t Nothing = 1u << 24;  // a pixel of the canvas that is transparent
constexpr double KeptPaletteError = 2.5;     // replace a palette if its error grows by more than this factor
constexpr double NegligibleError = 120;      // an invisible color_distance(): three or four code values
// A computed palette has the first of these numbers of colors that keeps the error within both limits. With
// one more for the transparent index, they are powers of two and the middles between them.
constexpr std::array<std::size_t, 9> PaletteSizes = {15, 23, 31, 47, 63, 95, 127, 191, MaxColors};
constexpr PaletteError SmallError = {.mean = 15, .largest = 3000};  // 1.2 and 17 code values
constexpr double MaxCorrection = 2;  // code values by which corrected() may change a component
// At the edges of glyphs, a pixel's palette color may be replaced with a palette color whose color_distance()
// from it is at most this.
constexpr double SimilarColors = 400;
// A pixel may keep the color that the previous frames left if detail_difference() from the exact color does
// not exceed these limits:
constexpr double NegligibleChange = 200;   // for the cell's mean color: 3 code values of luma or 8 of chroma
constexpr double NegligibleDetail = 2000;  // for the pixel's color: 12 code values of luma or 25 of chroma

void append_little(std::string& bytes, int value) {
  bytes += static_cast<char>(value & 255);
  bytes += static_cast<char>(value >> 8 & 255);
}

/// Returns the number of bits, at least 2, of an index into a palette of this many colors. If there are fewer
/// than 256 colors, the palette also has a transparent index.
int bits_for(std::size_t colors) {
  int bits = 2;
  while (std::size_t{1} << bits < std::min(colors + 1, AllIndices)) ++bits;
  return bits;
}

/// Returns the index that means transparent; -1: none.
int transparent_index(std::size_t colors) {
  return colors < AllIndices ? (1 << bits_for(colors)) - 1 : -1;
}

/// Reverses a palette of 256 colors: Pillow mistakes the 256 grays in ascending order for a grayscale
/// picture, and then misreads the next frames.
std::vector<std::uint32_t> in_written_order(std::vector<std::uint32_t> palette) {
  if (palette.size() == AllIndices) std::ranges::reverse(palette);
  return palette;
}

void append_palette(std::string& bytes, const std::vector<std::uint32_t>& palette) {
  for (std::size_t i = 0; i < std::size_t{1} << bits_for(palette.size()); ++i) {
    const std::uint32_t color = i < palette.size() ? palette[i] : 0;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(color >> shift & 255);
  }
}

bool is_same(const render::Cell& a, const render::Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

/// Sums the light of pixels, separately for each component. Light is nearly proportional to the square of the
/// code value, so the sums are sums of squares.
class LightSum {
 public:
  /// `sign`: -1 subtracts the pixels.
  void add(std::uint32_t color, std::int64_t pixels = 1, int sign = 1) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const std::int64_t value = component(color, i);
      sums_[i] += sign * pixels * value * value;
    }
  }
  /// Returns the color of the pixels' mean light, 0xRRGGBB.
  [[nodiscard]] std::uint32_t mean(std::size_t pixels) const {
    std::uint32_t color = 0;
    for (const std::int64_t sum : sums_)
      color = color << 8 | rounded_root(static_cast<double>(sum) / static_cast<double>(pixels));
    return color;
  }
  /// Treats the sums as excess light. Returns the color that `pixels` pixels need instead of `color` to
  /// compensate for the excess; changes each component by at most MaxCorrection.
  [[nodiscard]] std::uint32_t corrected(std::uint32_t color, std::int64_t pixels) const {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const auto value = static_cast<double>(component(color, i));
      const double light = value * value - static_cast<double>(sums_[i]) / static_cast<double>(pixels);
      const double low = std::max(value - MaxCorrection, 0.0), high = std::min(value + MaxCorrection, 255.0);
      result = result << 8 | rounded_root(std::clamp(light, low * low, high * high));
    }
    return result;
  }

 private:
  static std::int64_t component(std::uint32_t color, std::size_t i) { return color >> (16 - 8 * i) & 255; }
  static std::uint32_t rounded_root(double light) {
    return static_cast<std::uint32_t>(std::lround(std::sqrt(light)));
  }
  std::array<std::int64_t, 3> sums_{};
};

/// The color of all pixels of a cell that have the same glyph coverage.
struct Shade {
  std::uint32_t wanted = Nothing;  ///< exact color
  std::int16_t color = -1;         ///< palette index
};

/// Returns the shades of a cell, indexed by coverage. Unless `is_exact`, chooses the palette color of the
/// most frequent shade first. Each less frequent shade then compensates for the errors of the shades before
/// it, so that the cell keeps its mean light.
std::array<Shade, 256> shades_of(const render::Cell& cell, std::span<const std::uint8_t> mask,
                                 NearestColor& colors, bool is_exact) {
  std::array<std::int64_t, 256> pixels{};
  for (const std::uint8_t level : mask) ++pixels[level];
  std::vector<std::uint32_t> levels;
  for (std::uint32_t i = 0; i < pixels.size(); ++i)
    if (pixels[i] > 0) levels.push_back(i);
  std::ranges::stable_sort(levels, std::greater(), [&](std::uint32_t level) { return pixels[level]; });
  std::array<Shade, 256> shades;
  LightSum excess;
  for (const std::uint32_t level : levels) {
    Shade& shade = shades[level];
    shade.wanted = mapping::shared::scalar::blend(cell.foreground, cell.background, level) & 0xFFFFFF;
    const std::uint32_t aim = is_exact ? shade.wanted : excess.corrected(shade.wanted, pixels[level]);
    shade.color = static_cast<std::int16_t>(colors.index(aim));
    excess.add(colors.palette()[static_cast<std::size_t>(shade.color)], pixels[level]);
    excess.add(shade.wanted, pixels[level], -1);
  }
  return shades;
}

}  // namespace

GifFile::GifFile(std::shared_ptr<const text::GlyphSet> glyphs, std::optional<std::uint32_t> transparent)
    : glyphs_(std::move(glyphs)), transparent_(transparent) {}

std::size_t GifFile::row_at(std::size_t cell, int y) const {
  const CellSize size = glyphs_->cell();
  const auto columns = static_cast<std::size_t>(grid_.columns);
  return (cell / columns * static_cast<std::size_t>(size.height) + static_cast<std::size_t>(y)) *
             static_cast<std::size_t>(size_.width) +
         cell % columns * static_cast<std::size_t>(size.width);
}

void GifFile::clear_canvas() {
  const auto count = static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height);
  canvas_.assign(count, Nothing);
  wanted_.assign(count, Nothing);
}

std::vector<std::size_t> GifFile::changed_cells(const render::RenderedFrame& frame) const {
  std::vector<std::size_t> changed;
  const auto pictured = static_cast<std::uint32_t>(glyphs_->size());
  for (std::size_t i = 0; i < frame.cells.size(); ++i) {
    // Overlay text always counts as changed, because its glyph indices may mean different characters in the
    // next frame.
    const bool is_text = frame.cells[i].glyph >= pictured;
    if (shown_.empty() || transparent_ || is_text || !is_same(frame.cells[i], shown_[i]))
      changed.push_back(i);
  }
  return changed;
}

void GifFile::count_colors(const render::RenderedFrame& frame, std::span<const std::size_t> cells) {
  const auto area =
      static_cast<std::size_t>(glyphs_->cell().width) * static_cast<std::size_t>(glyphs_->cell().height);
  counts_.clear();
  for (const std::size_t i : cells) {
    const render::Cell& cell = frame.cells[i];
    const std::uint8_t* mask = mask_of(frame, *glyphs_, cell);
    std::array<std::uint32_t, 256> levels{};
    for (std::size_t p = 0; p < area; ++p) ++levels[mask[p]];
    for (std::uint32_t level = 0; level < levels.size(); ++level) {
      if (levels[level] == 0) continue;
      counts_.add(mapping::shared::scalar::blend(cell.foreground, cell.background, level), levels[level]);
    }
  }
}

/// Sets colors_ for the changed cells. If all cells change and have 256 colors, every pixel is drawn: then
/// the frame needs no index for transparent pixels.
void GifFile::choose_palette(const render::RenderedFrame& frame, std::span<const std::size_t> changed) {
  count_colors(frame, changed);
  const bool needs_all_indices =
      counts_.distinct() == AllIndices && !transparent_ && changed.size() == frame.cells.size();
  if (needs_all_indices) std::ranges::fill(wanted_, Nothing);  // so that every pixel is drawn
  if (counts_.distinct() <= MaxColors || needs_all_indices) {
    std::vector<std::uint32_t> wanted = counts_.colors();
    if (std::ranges::all_of(wanted, [&](std::uint32_t color) { return colors_.contains(color); })) return;
    if (palette_error_ == 0) {
      // Keep the current colors too, because the next frames may need them.
      std::vector<std::uint32_t> merged;
      std::ranges::set_union(wanted, colors_.palette(), std::back_inserter(merged));
      if (merged.size() <= MaxColors) wanted = std::move(merged);
    }
    colors_ = NearestColor(std::move(wanted));
    palette_error_ = 0;
    return;
  }
  if (palette_error_ > 0 &&
      colors_.error(counts_).mean <= std::max(NegligibleError, KeptPaletteError * palette_error_))
    return;
  std::vector<std::size_t> all(frame.cells.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  count_colors(frame, all);
  for (const std::size_t size : PaletteSizes) {
    colors_ = NearestColor(quantize(counts_, size));
    const PaletteError error = colors_.error(counts_);
    palette_error_ = std::max(1.0, error.mean);
    if (error.mean <= SmallError.mean && error.largest <= SmallError.largest) break;
  }
}

void GifFile::draw_cell(const render::RenderedFrame& frame, std::size_t index) {
  const render::Cell& cell = frame.cells[index];
  const auto width = static_cast<std::size_t>(glyphs_->cell().width);
  const std::span mask(mask_of(frame, *glyphs_, cell),
                       width * static_cast<std::size_t>(glyphs_->cell().height));
  const bool is_transparent = transparent_ && (cell.background & 0xFFFFFF) == *transparent_;
  const bool is_exact = palette_error_ == 0;
  const std::array<Shade, 256> shades = shades_of(cell, mask, colors_, is_exact);
  // Light of the exact colors, and of the colors that are shown if all pixels in `kept` keep their colors.
  LightSum wanted, shown;
  struct Kept {
    std::size_t pixel = 0;
    GifPixel drawn;
  };
  std::vector<Kept> kept;  // the pixels that may keep a color other than their palette color
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (is_transparent && mask[i] == 0) continue;
    const Shade& shade = shades[mask[i]];
    const std::size_t pixel = row_at(index, static_cast<int>(i / width)) + i % width;
    const std::uint32_t before = canvas_[pixel];
    const std::uint32_t color = colors_.palette()[static_cast<std::size_t>(shade.color)];
    // A pixel whose exact color is unchanged keeps its color in the file, even if the palette has changed.
    const bool is_unchanged = std::exchange(wanted_[pixel], shade.wanted) == shade.wanted;
    // With a computed palette, the pixel may also keep a color close to the exact color.
    const bool may_keep =
        before != color && before != Nothing &&
        (is_unchanged || (!is_exact && detail_difference(before, shade.wanted) <= NegligibleDetail));
    wanted.add(shade.wanted);
    shown.add(may_keep ? before : color);
    const GifPixel drawn{shade.color, before == color, mask[i] != 0 && mask[i] != 255};
    if (may_keep) kept.push_back({pixel, drawn});
    if (!is_unchanged) pixels_[pixel] = {drawn.color, may_keep || before == color, drawn.may_be_similar};
  }
  if (kept.empty()) return;
  if (detail_difference(wanted.mean(mask.size()), shown.mean(mask.size())) <= NegligibleChange) return;
  for (const auto& [pixel, drawn] : kept) pixels_[pixel] = drawn;
}

/// Returns the smallest area that contains all drawn pixels that a viewer does not show already.
PixelArea GifFile::drawn_area() const {
  int left = size_.width, top = size_.height, right = 0, bottom = 0;
  for (std::size_t i = 0; i < pixels_.size(); ++i) {
    if (pixels_[i].may_be_transparent) continue;
    const int x = static_cast<int>(i % static_cast<std::size_t>(size_.width));
    const int y = static_cast<int>(i / static_cast<std::size_t>(size_.width));
    left = std::min(left, x);
    right = std::max(right, x + 1);
    top = std::min(top, y);
    bottom = std::max(bottom, y + 1);
  }
  return right == 0 ? PixelArea{} : PixelArea{left, top, {right - left, bottom - top}};
}

std::optional<GifFile::EncodedFrame> GifFile::add(const render::RenderedFrame& frame) {
  const bool is_first = shown_.empty();
  if (is_first) {
    grid_ = frame.grid;
    size_ = {grid_.columns * glyphs_->cell().width, grid_.rows * glyphs_->cell().height};
    clear_canvas();
  }
  const bool is_repeated = !is_first && std::ranges::equal(frame.cells, shown_, is_same);
  const std::vector<std::size_t> changed = changed_cells(frame);
  if (changed.empty() || (transparent_ && is_repeated)) return {};
  if (transparent_) clear_canvas();
  choose_palette(frame, changed);
  pixels_.assign(canvas_.size(), {-1, true});
  for (const std::size_t i : changed) draw_cell(frame, i);
  shown_.assign(frame.cells.begin(), frame.cells.end());
  PixelArea area = is_first ? PixelArea{0, 0, size_} : drawn_area();
  if (area.is_empty() && !transparent_) return {};
  if (area.is_empty()) area.size = {1, 1};
  return encode(area);
}

void GifFile::EncodedFrame::set_delay(std::int64_t delay) {
  delay = std::clamp<std::int64_t>(delay, 0, MaxDelay);
  bytes[delay_at] = static_cast<char>(delay & 255);
  bytes[delay_at + 1] = static_cast<char>(delay >> 8);
}

void GifFile::EncodedFrame::leave_out_header() {
  constexpr std::size_t BeforeDelay = 4;  // bytes of the graphic control extension before its delay
  bytes.erase(0, delay_at - BeforeDelay);
  delay_at = BeforeDelay;
}

/// Encodes the drawn pixels in an area as a GIF frame. The first frame's bytes begin with the file's header.
GifFile::EncodedFrame GifFile::encode(PixelArea area) {
  EncodedFrame frame;
  std::string& bytes = frame.bytes;
  if (global_palette_.empty()) {
    global_palette_ = in_written_order(colors_.palette());
    bytes = "GIF89a";
    append_little(bytes, size_.width);
    append_little(bytes, size_.height);
    bytes += static_cast<char>(0xF0 | (bits_for(global_palette_.size()) - 1));
    bytes += std::string(2, '\0');  // background index, aspect ratio
    append_palette(bytes, global_palette_);
    bytes += std::string("!\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19);  // plays forever
  }
  const std::vector<std::uint32_t> palette = reduce_palette();
  const bool is_global = palette == global_palette_;
  const int disposal = transparent_ ? 2 : 1;  // 2: restore to transparency; 1: leave in place
  const int transparent = transparent_index(palette.size());
  bytes += std::string("!\xF9\x04", 3);
  bytes += static_cast<char>(disposal << 2 | (transparent < 0 ? 0 : 1));
  frame.delay_at = bytes.size();
  append_little(bytes, 0);
  bytes += static_cast<char>(std::max(transparent, 0));
  bytes += '\0';
  bytes += ',';
  for (const int value : {area.x, area.y, area.size.width, area.size.height}) append_little(bytes, value);
  bytes += is_global ? '\0' : static_cast<char>(0x80 | (bits_for(palette.size()) - 1));
  if (!is_global) append_palette(bytes, palette);
  bytes += compress(area, palette);
  return frame;
}

/// Chooses a palette for the drawn pixels and converts the pixels to its indices. Returns the global palette
/// if it has all colors of the pixels and, if some pixels are transparent, a transparent index. Otherwise,
/// returns a palette of only these colors.
std::vector<std::uint32_t> GifFile::reduce_palette() {
  const std::vector<std::uint32_t>& all = colors_.palette();
  std::vector<std::int16_t> places(all.size(), -1);
  for (const GifPixel& pixel : pixels_)
    if (pixel.color >= 0) places[static_cast<std::size_t>(pixel.color)] = 0;
  std::vector<std::uint32_t> used;
  const bool has_gaps = std::ranges::any_of(pixels_, [](const GifPixel& pixel) { return pixel.color < 0; });
  bool is_global = !has_gaps || global_palette_.size() < AllIndices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (places[i] < 0) continue;
    const auto found = std::ranges::find(global_palette_, all[i]);
    is_global = is_global && found != global_palette_.end();
    used.push_back(all[i]);
  }
  const std::vector<std::uint32_t> palette = is_global ? global_palette_ : in_written_order(std::move(used));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (places[i] >= 0)
      places[i] = static_cast<std::int16_t>(std::ranges::find(palette, all[i]) - palette.begin());
  for (GifPixel& pixel : pixels_)
    if (pixel.color >= 0) pixel.color = places[static_cast<std::size_t>(pixel.color)];
  return palette;
}

/// Compresses the drawn pixels in an area, and updates the canvas with the colors that were written.
std::string GifFile::compress(PixelArea area, const std::vector<std::uint32_t>& palette) {
  const auto index_of = [&](int x, int y) {
    return static_cast<std::size_t>(area.y + y) * static_cast<std::size_t>(size_.width) +
           static_cast<std::size_t>(area.x + x);
  };
  std::vector<GifPixel> part;
  part.reserve(static_cast<std::size_t>(area.size.width) * static_cast<std::size_t>(area.size.height));
  for (int y = 0; y < area.size.height; ++y)
    for (int x = 0; x < area.size.width; ++x) part.push_back(pixels_[index_of(x, y)]);
  const int transparent = transparent_index(palette.size());
  const auto alternatives = similar_colors(palette, palette_error_ > 0 ? SimilarColors : -1);
  const GifData data = gif_lzw(part, transparent, bits_for(palette.size()), alternatives);
  std::size_t at = 0;
  for (int y = 0; y < area.size.height; ++y) {
    for (int x = 0; x < area.size.width; ++x) {
      const std::uint8_t index = data.indices[at++];
      if (index != transparent) canvas_[index_of(x, y)] = palette[index];
    }
  }
  return data.bytes;
}

}  // namespace glyphreel::present
