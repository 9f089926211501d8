#include "text/charset.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/read_file.h"
#include "text/drawn_glyphs.h"
#include "text/font_stack.h"
#include "text/unicode.h"

namespace glyphreel::text {
namespace {

// A file with more text than Unicode has characters is a mistake, not a character set.
constexpr std::size_t MaxCharsetFileBytes = 4u << 20;

struct Range {
  char32_t first;
  char32_t last;
};

constexpr Range Space{' ', ' '};
constexpr Range AsciiSet[] = {{' ', '~'}};
// Omits U+00A0, a second space, and U+00AD, the soft hyphen, which is not a printed character.
constexpr Range LatinSet[] = {{' ', '~'}, {0xA1, 0xAC}, {0xAE, 0xFF}};
constexpr Range DigitsSet[] = {Space, {'0', '9'}};
constexpr Range LettersSet[] = {Space, {'A', 'Z'}, {'a', 'z'}};
constexpr Range HalfSet[] = {Space, {0x2580, 0x2580}, {0x2584, 0x2584}, {0x2588, 0x2588}};
constexpr Range QuadrantsSet[] = {
    Space,           {0x2580, 0x2580}, {0x2584, 0x2584}, {0x2588, 0x2588}, {0x258C, 0x258C}, {0x2590, 0x2590},
    {0x2596, 0x259F}};
constexpr Range SextantsSet[] = {
    Space, {0x2588, 0x2588}, {0x258C, 0x258C}, {0x2590, 0x2590}, {0x1FB00, 0x1FB3B}};
constexpr Range BlocksSet[] = {Space, {0x2580, 0x259F}};
constexpr Range BoxSet[] = {Space, {0x2500, 0x257F}};
constexpr Range BrailleSet[] = {{0x2800, 0x28FF}};
// The kana of the Japanese standards JIS X 0208 and JIS X 0201, which every Japanese font has.
constexpr Range KanaSet[] = {Space, {0x3041, 0x3093}, {0x30A1, 0x30F6}, {0x30FC, 0x30FC}, {0xFF66, 0xFF9D}};

using Characters = Result<std::string>;

Characters ascii_ramp(const std::string&) {
  return std::string(" .:-=+*#%@");
}

Characters octants(const std::string&) {
  std::string text;
  for (unsigned tiles = 0; tiles < 256; ++tiles) text += encode_utf8(octant_character(tiles));
  return text;
}

Characters symbols(const std::string& font) {
  TRY_ASSIGN(const Charset all, resolve_charset("ascii+box+blocks+braille+sextants+octants", font));
  return all.characters;
}

/// Japanese has the smallest set of ideographs that everyone learns, and fontconfig does not call a font
/// Japanese if it lacks one of them.
Characters cjk(const std::string&) {
  const std::vector<char32_t> ideographs = everyday_ideographs("ja");
  if (ideographs.empty()) {
    return Error{ErrorCode::Usage,
                 "The character set cjk is unavailable because this fontconfig has no table of Japanese "
                 "characters; give the ideographs themselves or @FILE with --charset.",
                 {}};
  }
  std::string text = " ";
  for (const char32_t ideograph : ideographs) text += encode_utf8(ideograph);
  return text;
}

Characters whole_font(const std::string& font) {
  TRY_ASSIGN(const FontFile file, find_font(font));
  TRY_ASSIGN(const FontFace face, FontFace::open(file, font));
  const int cell = widest_letter(face);
  std::string text = " ";
  for (const char32_t code_point : face.code_points()) {
    if (cell_fitness(code_point) != CellFitness::Fits || !face.has(code_point)) continue;
    const int advance = face.advance(code_point);
    if (advance > 0 && advance <= (is_wide(code_point) ? 2 * cell : cell)) text += encode_utf8(code_point);
  }
  return text;
}

struct Entry {
  NamedCharset named;
  std::span<const Range> ranges;  ///< empty: `make` makes the set
  Characters (*make)(const std::string& font) = nullptr;

  [[nodiscard]] Characters characters(const std::string& font) const {
    if (make != nullptr) return make(font);
    std::string text;
    for (const Range& range : ranges) {
      for (char32_t code_point = range.first; code_point <= range.last; ++code_point)
        text += encode_utf8(code_point);
    }
    return text;
  }
};

constexpr Entry Charsets[] = {
    {{"ascii", "the 95 printable ASCII characters"}, AsciiSet},
    {{"ascii-ramp", "ten characters from dark to light:  .:-=+*#%@"}, {}, ascii_ramp},
    {{"latin", "ascii and the printable characters of Latin-1"}, LatinSet},
    {{"digits", "the space and 0 to 9"}, DigitsSet},
    {{"letters", "the space, A to Z and a to z"}, LettersSet},
    {{"half", "the space, the upper and lower half blocks and the full block: two pixels per cell"}, HalfSet},
    {{"quadrants", "the 16 mosaics of two by two tiles"}, QuadrantsSet},
    {{"sextants", "the 64 mosaics of two by three tiles, including the space and the full block"},
     SextantsSet},
    {{"octants", "the 256 mosaics of two by four tiles (Unicode 16: few terminals support them yet)"},
     {},
     octants},
    {{"blocks", "the space and the block elements: halves, eighths, quadrants, shades"}, BlocksSet},
    {{"box", "the space and the box-drawing characters"}, BoxSet},
    {{"braille", "the 256 braille patterns"}, BrailleSet},
    {{"symbols", "ascii, box, blocks, braille, sextants and octants: the most faithful"}, {}, symbols},
    {{"kana", "the space, hiragana, and katakana one and two cells wide"}, KanaSet},
    {{"cjk", "the space and the roughly 2,100 ideographs of everyday Japanese, two cells wide"}, {}, cjk},
    {{"font", "every character of --font that fits into one or two cells, at most 4096"}, {}, whole_font},
};

Result<std::string> read_charset_file(const std::string& path) {
  const auto explain = [&](FileProblem problem) {
    if (problem == FileProblem::TooLarge) {
      return fmt::format(
          "The charset file \"{}\" is larger than {} MiB; give a text file that holds each character once.",
          path, MaxCharsetFileBytes >> 20);
    }
    return fmt::format(
        "The charset file \"{}\" cannot be read; check its path, or write @@ for a set that begins with the "
        "character @.",
        path);
  };
  TRY_ASSIGN(
      std::string text,
      read_file(path, {.max_bytes = MaxCharsetFileBytes, .code = ErrorCode::Usage, .explain = explain}));
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(ByteOrderMark)) text.erase(0, ByteOrderMark.size());
  if (text.empty()) {
    return Error{ErrorCode::Usage,
                 fmt::format("The charset file \"{}\" is empty; put at least one character into it.", path),
                 {}};
  }
  if (auto valid = decode_utf8(text); !valid) {
    return Error{ErrorCode::Usage,
                 fmt::format("The charset file \"{}\" is not valid UTF-8; save it as UTF-8.", path),
                 valid.error().message};
  }
  return text;
}

const Entry* find_charset(std::string_view name) {
  const auto found =
      std::ranges::find_if(Charsets, [&](const Entry& entry) { return name == entry.named.name; });
  return found == std::end(Charsets) ? nullptr : &*found;
}

bool looks_like_name(std::string_view word) {
  return word.size() >= 3 && std::ranges::all_of(word, [](char letter) {
           return (letter >= 'a' && letter <= 'z') || letter == '-';
         });
}

/// The words between the plus signs.
std::vector<std::string_view> parts_of(std::string_view word) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t plus = word.find('+');
    parts.push_back(word.substr(0, plus));
    if (plus == std::string_view::npos) return parts;
    word.remove_prefix(plus + 1);
  }
}

Error unknown_name(std::string_view name) {
  std::string known;
  for (const Entry& entry : Charsets)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.named.name);
  return {ErrorCode::Usage,
          fmt::format("There is no character set \"{}\": choose one of {}, or add a space to draw with these "
                      "letters themselves.",
                      name, known),
          {}};
}

}  // namespace

Result<Charset> resolve_charset(const std::string& word, const std::string& font) {
  const std::vector<std::string_view> parts = parts_of(word);
  if (std::ranges::all_of(parts, looks_like_name)) {
    Charset charset{.characters = {}, .duplicates = Duplicates::Prune};
    for (const std::string_view part : parts) {
      const Entry* entry = find_charset(part);
      if (entry == nullptr) return unknown_name(part);
      TRY_ASSIGN(const std::string more, entry->characters(font));
      charset.characters += more;
    }
    return charset;
  }
  if (word.starts_with("@@")) return Charset{word.substr(1)};
  if (word.starts_with('@') && word.size() > 1) {
    TRY_ASSIGN(std::string characters, read_charset_file(word.substr(1)));
    return Charset{std::move(characters)};
  }
  if (word.empty()) {
    return Error{
        ErrorCode::Usage,
        "The character set is empty; name one (ascii, blocks ...), give a string or @FILE with --charset.",
        {}};
  }
  TRY_ASSIGN([[maybe_unused]] const auto valid, decode_utf8(word));
  return Charset{word};
}

std::vector<NamedCharset> named_charsets() {
  std::vector<NamedCharset> names;
  for (const Entry& entry : Charsets) names.push_back(entry.named);
  return names;
}

}  // namespace glyphreel::text
