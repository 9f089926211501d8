#include "present/graphics/sixel_encoder.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace glyphreel::present {
namespace {

constexpr int BandRows = 6;
constexpr int MinRun = 4;            // repeat sequences (!nC) save bytes only from this length on
constexpr double KeptError = 2.5;    // replace a palette if its error grows by more than this factor
constexpr double UnseenError = 120;  // color_distance() too small to see: 3 to 4 code values per component

const std::uint32_t* pixel_row(const Picture& picture, int y) {
  return reinterpret_cast<const std::uint32_t*>(picture.planes[0] +
                                                static_cast<std::ptrdiff_t>(y) * picture.strides[0]);
}

void append_run(std::uint8_t mask, int length, std::string& bytes) {
  const char sixel = static_cast<char>('?' + mask);
  if (length < MinRun)
    bytes.append(static_cast<std::size_t>(length), sixel);
  else
    fmt::format_to(std::back_inserter(bytes), "!{}{}", length, sixel);
}

}  // namespace

Extent SixelEncoder::area() const {
  const GraphicsScreen& whole = screen();
  return {whole.pixels().width, std::max(1, whole.grid.rows - 1) * whole.cell.height};
}

void SixelEncoder::count(const Picture& picture) {
  counts_.clear();
  for (int y = 0; y < picture.size.height; ++y) {
    const std::uint32_t* row = pixel_row(picture, y);
    for (int x = 0; x < picture.size.width;) {
      const int begin = x;
      while (x < picture.size.width && row[x] == row[begin]) ++x;
      counts_.add(row[begin], static_cast<std::uint32_t>(x - begin));
    }
  }
}

/// Whether the palette fits the counted colors. An exact palette must contain all of them; an inexact palette
/// needs only similar enough colors.
bool SixelEncoder::palette_fits() {
  if (palette_error_ > 0)
    return colors_.error(counts_).mean <= std::max(UnseenError, KeptError * palette_error_);
  return counts_.distinct() <= max_colors_ &&
         std::ranges::all_of(counts_.colors(),
                             [this](std::uint32_t color) { return colors_.contains(color); });
}

/// If the current palette does not fit the changed part, makes a new palette for the whole picture. Returns
/// whether the palette is new.
bool SixelEncoder::choose_palette(const Picture& changed, const Picture& whole) {
  count(changed);
  if (palette_fits()) return false;
  count(whole);
  colors_ = NearestColor(quantize(counts_, max_colors_));
  palette_error_ = counts_.distinct() <= max_colors_ ? 0 : std::max(1.0, colors_.error(counts_).mean);
  return true;
}

void SixelEncoder::append(const Picture& picture, const Picture* before, ScreenPosition at,
                          std::string& bytes) {
  PixelArea area{0, 0, picture.size};
  if (before != nullptr) {
    // Sixel images begin at the top of a cell.
    const PixelArea changed = changed_area(*before, picture);
    const int top = changed.y / screen().cell.height * screen().cell.height;
    area = {0, top, {picture.size.width, changed.y + changed.size.height - top}};
  }
  if (choose_palette(part_of(picture, area), picture)) area = {0, 0, picture.size};
  append_move({at.column, at.row + area.y / screen().cell.height}, bytes);
  append_sixels(part_of(picture, area), bytes);
}

void SixelEncoder::append_sixels(const Picture& picture, std::string& bytes) {
  const std::vector<std::uint32_t>& palette = colors_.palette();
  fmt::format_to(std::back_inserter(bytes), "\x1bP0;1q\"1;1;{};{}", picture.size.width, picture.size.height);
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const auto percent = [&](int shift) { return ((palette[i] >> shift & 255) * 100 + 127) / 255; };
    fmt::format_to(std::back_inserter(bytes), "#{};2;{};{};{}", i, percent(16), percent(8), percent(0));
  }
  used_.assign(palette.size(), {});
  masks_.assign(palette.size() * static_cast<std::size_t>(picture.size.width), 0);
  for (int top = 0; top < picture.size.height; top += BandRows) {
    if (top > 0) bytes += '-';  // moves to the next band; after the last band, it might scroll the screen
    append_band(picture, top, bytes);
  }
  bytes += "\x1b\\";
}

void SixelEncoder::append_band(const Picture& picture, int top, std::string& bytes) {
  const int width = picture.size.width;
  const auto masks_of = [&](std::size_t color) {
    return masks_.data() + color * static_cast<std::size_t>(width);
  };
  for (int y = top; y < std::min(top + BandRows, picture.size.height); ++y) {
    const std::uint32_t* row = pixel_row(picture, y);
    for (int x = 0; x < width;) {
      const int begin = x;
      const auto color = static_cast<std::size_t>(colors_.index(row[begin]));
      Columns& columns = used_[color];
      std::uint8_t* masks = masks_of(color);
      while (x < width && row[x] == row[begin]) masks[x++] |= static_cast<std::uint8_t>(1 << (y - top));
      columns = columns.last < columns.first
                    ? Columns{begin, x - 1}
                    : Columns{std::min(columns.first, begin), std::max(columns.last, x - 1)};
    }
  }
  bool is_first = true;
  for (std::size_t color = 0; color < used_.size(); ++color) {
    const Columns columns = used_[color];
    if (columns.last < columns.first) continue;
    if (!is_first) bytes += '$';  // back to the left edge
    is_first = false;
    fmt::format_to(std::back_inserter(bytes), "#{}", color);
    if (columns.first > 0) append_run(0, columns.first, bytes);
    std::uint8_t* masks = masks_of(color);
    for (int x = columns.first; x <= columns.last;) {
      const int begin = x;
      while (x <= columns.last && masks[x] == masks[begin]) ++x;
      append_run(masks[begin], x - begin, bytes);
    }
    std::fill(masks + columns.first, masks + columns.last + 1, std::uint8_t{0});
    used_[color] = {};
  }
}

}  // namespace glyphreel::present
