#include "text/charset.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/read_file.h"
#include "base/nearest_word.h"
#include "text/code_points/code_page_437.h"
#include "text/code_points/unicode.h"
#include "text/drawn_glyphs.h"
#include "text/font_stack.h"

namespace glyphreel::text {
namespace {

// All characters of Unicode are about 4 MiB as UTF-8; a larger file was chosen by mistake.
constexpr std::size_t MaxCharsetFileBytes = 4u << 20;

using Characters = Result<std::string>;

Characters ascii_ramp(const std::string&) {
  return std::string(" .:-=+*#%@");
}

Characters octants(const std::string&) {
  std::string text;
  for (unsigned tiles = 0; tiles < 256; ++tiles) text += encode_utf8(octant_character(tiles));
  return text;
}

Characters dos(const std::string&) {
  return code_page_437_characters();
}

Characters symbols(const std::string& font) {
  TRY_ASSIGN(const Charset all, resolve_charset("ascii+box+blocks+braille+sextants+octants", font));
  return all.characters;
}

/// Returns the space and the everyday ideographs of Japanese. Of the CJK languages, Japanese has the fewest
/// everyday ideographs, and every font that fontconfig lists as Japanese has them all.
Characters cjk(const std::string&) {
  const std::vector<char32_t> ideographs = everyday_ideographs("ja");
  if (ideographs.empty()) {
    return Error{ErrorCode::Usage,
                 "The character set cjk is unavailable because this fontconfig has no table of Japanese "
                 "characters; use --charset with the ideographs themselves or @FILE."};
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
  std::u32string_view ranges;  ///< first and last character of each range; empty: see `make`
  /// Returns the characters if they are not given as `ranges`.
  Characters (*make)(const std::string& font) = nullptr;

  [[nodiscard]] Characters characters(const std::string& font) const {
    if (make != nullptr) return make(font);
    std::string text;
    for (std::size_t i = 0; i < ranges.size(); i += 2) {
      for (char32_t code_point = ranges[i]; code_point <= ranges[i + 1]; ++code_point)
        text += encode_utf8(code_point);
    }
    return text;
  }
};

constexpr Entry Charsets[] = {
    {{"ascii", "the 95 printable ASCII characters"}, U" ~"},
    {{"ascii-ramp", "ten characters from dark to light:  .:-=+*#%@"}, {}, ascii_ramp},
    // Omits U+00A0, which is a second space, and U+00AD, the soft hyphen, which is not printed.
    {{"latin", "ascii and the printable characters of Latin-1"}, U" ~\u00A1\u00AC\u00AE\u00FF"},
    {{"digits", "the space and 0 to 9"}, U"  09"},
    {{"letters", "the space, A to Z and a to z"}, U"  AZaz"},
    {{"half", "the space, the upper and lower half blocks and the full block: two pixels per cell"},
     U"  ▀▀▄▄██"},
    {{"quadrants", "the 16 mosaics of two by two tiles"}, U"  ▀▀▄▄██▌▌▐▐▖▟"},
    {{"sextants", "the 64 mosaics of two by three tiles, including the space and the full block"},
     U"  ██▌▌▐▐\U0001FB00\U0001FB3B"},
    {{"octants", "the 256 mosaics of two by four tiles (Unicode 16: few terminals support them yet)"},
     {},
     octants},
    {{"blocks", "the space and the block elements: halves, eighths, quadrants, shades"}, U"  ▀▟"},
    {{"box", "the space and the box-drawing characters"}, U"  \u2500\u257F"},
    {{"dos", "the characters of the IBM PC: ascii, accents, box-drawing, blocks and shades"}, {}, dos},
    {{"braille", "the 256 braille patterns"}, U"\u2800\u28FF"},
    {{"symbols", "ascii, box, blocks, braille, sextants and octants: the closest to the picture"},
     {},
     symbols},
    // The kana of the Japanese standards JIS X 0208 and JIS X 0201, which every Japanese font has.
    {{"kana", "the space, hiragana (two cells wide), and katakana (one and two cells wide)"},
     U"  \u3041\u3093\u30A1\u30F6\u30FC\u30FC\uFF66\uFF9D"},
    {{"cjk", "the space and the roughly 2,100 ideographs of everyday Japanese, two cells wide"}, {}, cjk},
    {{"font", "every character of --font that fits into one or two cells, at most 4096"}, {}, whole_font},
};

Result<std::string> read_charset_file(const std::string& path) {
  const auto explain = [&](FileProblem problem) {
    if (problem == FileProblem::TooLarge) {
      return fmt::format(
          "The charset file \"{}\" is larger than {} MiB; use a text file that contains each character once.",
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
                 fmt::format("The charset file \"{}\" is empty; put at least one character into it.", path)};
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

/// Splits a word at its plus signs.
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
  std::vector<std::string_view> known;
  for (const Entry& entry : Charsets) known.emplace_back(entry.named.name);
  const std::string hint =
      did_you_mean(name, known, fmt::format("choose one of {}.", fmt::join(known, ", ")));
  return {ErrorCode::Usage,
          fmt::format("There is no character set \"{0}\"; {1} To use the letters of {0} as the characters, "
                      "add a space: \"{0} \".",
                      name, hint)};
}

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Returns the error for a name with capital letters.
Error miswritten_name(std::string_view word) {
  return {ErrorCode::Usage,
          fmt::format("There is no character set \"{0}\"; did you mean {1}? To use the letters of {0} as the "
                      "characters, add a space: \"{0} \".",
                      word, lower(word))};
}

struct Showable {
  std::string characters;
  int left_out = 0;
};

/// Returns the characters that are not in `missing`; none if `missing` contains more than half of them.
Result<Showable> showable_of(const std::string& characters, std::span<const CharacterRange> missing) {
  if (missing.empty()) return Showable{characters};
  TRY_ASSIGN(const std::vector<char32_t> all, decode_utf8(characters));
  Showable result;
  for (const char32_t character : all) {
    const bool is_missing =
        std::ranges::any_of(missing, [&](CharacterRange range) { return range.contains(character); });
    if (is_missing)
      ++result.left_out;
    else
      result.characters += encode_utf8(character);
  }
  // If fewer than half of the characters are left, return none: the callers use another set or fail.
  if (2 * result.left_out > static_cast<int>(all.size())) result.characters.clear();
  return result;
}

/// Appends the characters of a named set that are not in `missing`, or, if too few are left, those of a
/// fallback set.
Result<void> append_showable(const Entry& entry, const std::string& font,
                             std::span<const CharacterRange> missing, Charset& charset) {
  constexpr std::string_view Fallbacks[] = {"sextants", "blocks", "half", "ascii"};
  TRY_ASSIGN(const std::string own, entry.characters(font));
  TRY_ASSIGN(Showable showable, showable_of(own, missing));
  std::string fallback;
  if (showable.left_out > 0)
    fallback = fmt::format("{} without {} characters", entry.named.name, showable.left_out);
  for (const std::string_view name : Fallbacks) {
    if (!showable.characters.empty()) break;
    TRY_ASSIGN(const std::string other, find_charset(name)->characters(font));
    TRY_ASSIGN(showable, showable_of(other, missing));
    fallback = fmt::format("{} instead of {}", name, entry.named.name);
  }
  charset.characters += showable.characters;
  if (!fallback.empty()) charset.fallback += (charset.fallback.empty() ? "" : ", ") + fallback;
  return {};
}

/// Returns the characters of @FILE or of the word itself.
Result<Charset> resolve_unnamed(const std::string& word, const std::vector<std::string_view>& parts) {
  const auto is_name = [](std::string_view part) { return find_charset(lower(part)) != nullptr; };
  if (std::ranges::all_of(parts, is_name)) return miswritten_name(word);
  if (word.starts_with("@@")) return Charset{.characters = word.substr(1)};
  if (word.starts_with('@') && word.size() > 1) {
    TRY_ASSIGN(std::string characters, read_charset_file(word.substr(1)));
    return Charset{.characters = std::move(characters)};
  }
  if (word.empty()) {
    return Error{
        ErrorCode::Usage,
        "The character set is empty; give --charset a name (ascii, blocks ...), the characters or @FILE."};
  }
  TRY_ASSIGN([[maybe_unused]] const auto valid, decode_utf8(word));
  return Charset{.characters = word};
}

}  // namespace

Result<Charset> resolve_charset(const std::string& word, const std::string& font,
                                std::span<const CharacterRange> missing) {
  const std::vector<std::string_view> parts = parts_of(word);
  if (std::ranges::all_of(parts, looks_like_name)) {
    Charset charset{.characters = {}, .duplicates = Duplicates::Prune, .fallback = {}};
    for (const std::string_view part : parts) {
      const Entry* entry = find_charset(part);
      if (entry == nullptr) return unknown_name(part);
      TRY(append_showable(*entry, font, missing, charset));
    }
    return charset;
  }
  TRY_ASSIGN(Charset charset, resolve_unnamed(word, parts));
  TRY_ASSIGN(Showable showable, showable_of(charset.characters, missing));
  if (showable.left_out == 0) return charset;
  if (showable.characters.empty()) {
    return Error{
        ErrorCode::Usage,
        "This terminal can show fewer than half of the set's characters; choose a different --charset."};
  }
  charset.characters = std::move(showable.characters);
  charset.fallback = fmt::format("all but {} of the set's characters", showable.left_out);
  return charset;
}

std::vector<NamedCharset> named_charsets() {
  std::vector<NamedCharset> names;
  for (const Entry& entry : Charsets) names.push_back(entry.named);
  return names;
}

}  // namespace glyphreel::text
