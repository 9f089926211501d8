#include "text/fonts/color_font.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "text/code_points/unicode.h"
#include "text/fonts/free_type.h"

namespace glyphreel::text {
namespace {

constexpr int BlackShare = 3;  // an opaque black pixel has 1/3 of the coverage of a white one

/// Returns the coverage of a pixel in BGRA with premultiplied alpha: two thirds of its luma (BT.709) plus a
/// third of its alpha.
int coverage_of(const std::uint8_t* pixel) {
  const int luma = (18 * pixel[0] + 183 * pixel[1] + 55 * pixel[2]) / 256;
  return pixel[3] / BlackShare + luma * (BlackShare - 1) / BlackShare;
}

/// Divides the bitmap into `parts.width` x `parts.height` equal parts. Returns the mean coverage of the
/// pixels in the part at column `part.width` and row `part.height`.
int mean_coverage(const ColorBitmap& bitmap, Extent part, Extent parts) {
  const auto range = [](int index, int count, int pixels) {
    const int first = static_cast<int>(std::int64_t{index} * pixels / count);
    const int last = static_cast<int>((std::int64_t{index} + 1) * pixels / count);
    return std::pair(first, std::max(last, first + 1));
  };
  const auto [left, right] = range(part.width, parts.width, bitmap.size.width);
  const auto [top, bottom] = range(part.height, parts.height, bitmap.size.height);
  std::int64_t sum = 0;
  for (int y = top; y < bottom; ++y) {
    const std::uint8_t* row = bitmap.pixels + static_cast<std::ptrdiff_t>(y) * bitmap.pitch;
    for (int x = left; x < right; ++x) sum += coverage_of(row + 4 * x);
  }
  return static_cast<int>(sum / (std::int64_t{right - left} * (bottom - top)));
}

}  // namespace

void draw_as_coverage(const ColorBitmap& bitmap, CellSize canvas, std::uint8_t* mask) {
  if (bitmap.size.width <= 0 || bitmap.size.height <= 0) return;
  // The largest size that has the bitmap's aspect ratio and fits the canvas.
  Extent size{canvas.width, std::max(1, canvas.width * bitmap.size.height / bitmap.size.width)};
  if (size.height > canvas.height)
    size = {std::max(1, canvas.height * bitmap.size.width / bitmap.size.height), canvas.height};
  const int left = (canvas.width - size.width) / 2, top = (canvas.height - size.height) / 2;
  for (int y = 0; y < size.height; ++y) {
    std::uint8_t* row = mask + static_cast<std::ptrdiff_t>(top + y) * canvas.width + left;
    for (int x = 0; x < size.width; ++x)
      row[x] = static_cast<std::uint8_t>(mean_coverage(bitmap, {x, y}, size));
  }
}

struct ColorFont::State {
  FreeTypeLibrary library;
  FreeTypeFace face;  // declared after `library`, so that it is destroyed first
};

ColorFont::ColorFont(std::unique_ptr<State> state) : state_(std::move(state)) {}
ColorFont::ColorFont(ColorFont&&) noexcept = default;
ColorFont& ColorFont::operator=(ColorFont&&) noexcept = default;
ColorFont::~ColorFont() = default;

Result<ColorFont> ColorFont::open(const FontFile& file) {
  auto state = std::make_unique<State>();
  const auto fail = [&](FT_Error error) {
    return Error{ErrorCode::Usage, fmt::format("\"{}\" is not a font of color bitmaps.", file.path),
                 free_type_reason(error)};
  };
  FT_Library library = nullptr;
  if (const FT_Error error = FT_Init_FreeType(&library); error != 0) return fail(error);
  state->library.reset(library);
  FT_Face face = nullptr;
  if (const FT_Error error = FT_New_Face(library, file.path.c_str(), file.face_index, &face); error != 0)
    return fail(error);
  state->face.reset(face);
  if (!FT_HAS_COLOR(face) || !FT_HAS_FIXED_SIZES(face)) return fail(FT_Err_Invalid_Pixel_Size);
  const FT_Bitmap_Size* sizes = face->available_sizes;
  const auto* const largest =
      std::max_element(sizes, sizes + face->num_fixed_sizes,
                       [](const FT_Bitmap_Size& a, const FT_Bitmap_Size& b) { return a.height < b.height; });
  if (const FT_Error error = FT_Select_Size(face, static_cast<FT_Int>(largest - sizes)); error != 0)
    return fail(error);
  return ColorFont(std::move(state));
}

bool ColorFont::has(char32_t character) const {
  return FT_Load_Char(state_->face.get(), character, FT_LOAD_COLOR) == 0 &&
         state_->face->glyph->bitmap.pixel_mode == FT_PIXEL_MODE_BGRA;
}

Result<void> ColorFont::draw(char32_t character, CellSize canvas, std::uint8_t* mask) {
  FT_Face face = state_->face.get();
  FT_Error error = FT_Load_Char(face, character, FT_LOAD_COLOR);
  const FT_Bitmap& bitmap = face->glyph->bitmap;
  if (error == 0 && bitmap.pixel_mode != FT_PIXEL_MODE_BGRA) error = FT_Err_Invalid_Glyph_Format;
  if (error != 0) {
    return Error{
        ErrorCode::Usage,
        fmt::format("The font \"{}\" has no bitmap of {}.", face->family_name, code_point_name(character)),
        free_type_reason(error)};
  }
  draw_as_coverage({.size = {static_cast<int>(bitmap.width), static_cast<int>(bitmap.rows)},
                    .pitch = bitmap.pitch,
                    .pixels = bitmap.buffer},
                   canvas, mask);
  return {};
}

}  // namespace glyphreel::text
