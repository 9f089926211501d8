#include "text/unicode.h"

#include <fmt/format.h>

#include <vector>

#include "base/result.h"
#include "text/glyph_set.h"

namespace glyphreel::text {
namespace {

struct LeadByte {
  int continuation_bytes;
  char32_t bits;
  char32_t least;  // a smaller value in this length is overlong, which UTF-8 forbids
};

/// Returns the length class of a lead byte; continuation_bytes is -1 for a byte that cannot start a
/// character.
LeadByte classify(unsigned char byte) {
  if (byte < 0x80) return {0, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {1, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {2, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {3, byte & 0x07u, 0x10000};
  return {-1, 0, 0};
}

bool is_scalar_value(char32_t code_point) {
  return code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF);
}

}  // namespace

Result<std::vector<char32_t>> decode_utf8(const std::string& utf8) {
  std::vector<char32_t> code_points;
  code_points.reserve(utf8.size());
  std::size_t at = 0;
  while (at < utf8.size()) {
    const LeadByte lead = classify(static_cast<unsigned char>(utf8[at]));
    const auto following = static_cast<std::size_t>(lead.continuation_bytes);
    bool valid = lead.continuation_bytes >= 0 && following < utf8.size() - at;
    char32_t code_point = lead.bits;
    for (std::size_t i = 1; valid && i <= following; ++i) {
      const auto byte = static_cast<unsigned char>(utf8[at + i]);
      valid = (byte & 0xC0u) == 0x80u;
      code_point = (code_point << 6) | (byte & 0x3Fu);
    }
    if (!valid || code_point < lead.least || !is_scalar_value(code_point)) {
      return Error{
          ErrorCode::Usage,
          fmt::format("The characters are no valid UTF-8: byte {} (0x{:02X}) is wrong; save or type them "
                      "as UTF-8.",
                      at, static_cast<unsigned>(static_cast<unsigned char>(utf8[at]))),
          {}};
    }
    code_points.push_back(code_point);
    at += following + 1;
  }
  return code_points;
}

std::string encode_utf8(char32_t code_point) {
  const auto continuation = [&](int shift) {
    return static_cast<char>(0x80u | ((code_point >> shift) & 0x3Fu));
  };
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  if (code_point < 0x800) return {static_cast<char>(0xC0u | (code_point >> 6)), continuation(0)};
  if (code_point < 0x10000) {
    return {static_cast<char>(0xE0u | (code_point >> 12)), continuation(6), continuation(0)};
  }
  return {static_cast<char>(0xF0u | (code_point >> 18)), continuation(12), continuation(6), continuation(0)};
}

CellFitness cell_fitness(char32_t code_point) {
  if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return CellFitness::Control;
  if (code_point == 0x2028 || code_point == 0x2029) return CellFitness::Control;
  return is_mark_or_format(code_point) ? CellFitness::Combining : CellFitness::Fits;
}

bool is_blank_character(char32_t code_point) {
  return code_point == 0x20 || code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000 || code_point == 0x2800;
}

std::string code_point_name(char32_t code_point) {
  return fmt::format("U+{:04X}", static_cast<std::uint32_t>(code_point));
}

}  // namespace glyphreel::text
