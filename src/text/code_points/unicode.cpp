#include "text/code_points/unicode.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <array>
#include <vector>

#include "base/result.h"

namespace glyphreel::text {
namespace {

utf8proc_int32_t to_utf8proc(char32_t code_point) {
  return static_cast<utf8proc_int32_t>(code_point);
}

}  // namespace

Result<std::vector<char32_t>> decode_utf8(const std::string& utf8) {
  std::vector<char32_t> code_points;
  code_points.reserve(utf8.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(utf8.data());
  for (std::size_t at = 0; at < utf8.size();) {
    utf8proc_int32_t code_point = -1;
    const utf8proc_ssize_t used =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(utf8.size() - at), &code_point);
    if (used <= 0) {
      return Error{
          ErrorCode::Usage,
          fmt::format("The characters are not valid UTF-8: the byte at offset {} (0x{:02X}) is invalid; "
                      "use a UTF-8 locale, and type the characters again.",
                      at, static_cast<unsigned>(bytes[at]))};
    }
    code_points.push_back(static_cast<char32_t>(code_point));
    at += static_cast<std::size_t>(used);
  }
  return code_points;
}

std::string encode_utf8(char32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t count = utf8proc_encode_char(to_utf8proc(code_point), bytes.data());
  return {bytes.begin(), bytes.begin() + count};
}

CellFitness cell_fitness(char32_t code_point) {
  switch (utf8proc_category(to_utf8proc(code_point))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CellFitness::Control;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_CF:
      return CellFitness::Combining;
    default:
      return CellFitness::Fits;
  }
}

bool is_wide(char32_t code_point) {
  // Annex 11 of Unicode defines all of planes 2 and 3 as wide. utf8proc treats only their assigned characters
  // as wide.
  const bool is_ideographic_plane = code_point >= 0x20000 && code_point < 0x40000;
  if (is_ideographic_plane && (code_point & 0xFFFF) <= 0xFFFD) return true;
  return utf8proc_charwidth(to_utf8proc(code_point)) == 2;
}

char32_t compose_pair(char32_t base, char32_t mark) {
  if (mark < 0x0300) return 0;
  std::array<utf8proc_int32_t, 2> pair = {to_utf8proc(base), to_utf8proc(mark)};
  const utf8proc_ssize_t left = utf8proc_normalize_utf32(
      pair.data(), pair.size(), static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  // If U+11A7, the code point before the first Hangul final, follows a syllable without a final, utf8proc
  // drops U+11A7 and returns the base unchanged, which is not a composition.
  const auto result = static_cast<char32_t>(pair[0]);
  return left == 1 && result != base ? result : 0;
}

bool is_blank_character(char32_t code_point) {
  return utf8proc_category(to_utf8proc(code_point)) == UTF8PROC_CATEGORY_ZS || code_point == 0x2800;
}

std::u32string simple_emoji(std::u32string_view text) {
  constexpr char32_t FirstRegionalIndicator = 0x1F1E6;
  constexpr char32_t FirstSkinTone = 0x1F3FB;
  constexpr char32_t LastSkinTone = 0x1F3FF;
  std::u32string simple;
  utf8proc_int32_t state = 0;
  bool is_emoji = false;  // whether the current grapheme cluster begins with an emoji
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    const bool begins_cluster =
        i == 0 || utf8proc_grapheme_break_stateful(to_utf8proc(text[i - 1]), to_utf8proc(c), &state) != 0;
    if (begins_cluster) {
      is_emoji =
          utf8proc_get_property(to_utf8proc(c))->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
    }
    if (c >= FirstRegionalIndicator && c < FirstRegionalIndicator + 26) {
      simple += U'A' + (c - FirstRegionalIndicator);
    } else if (begins_cluster || (!is_emoji && (c < FirstSkinTone || c > LastSkinTone))) {
      simple += c;
    }
  }
  return simple;
}

std::string code_point_name(char32_t code_point) {
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(code_point));
}

}  // namespace glyphreel::text
