#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "../../temporary_files.h"
#include "text/charset.h"
#include "text/code_points/unicode.h"

namespace glyphreel::text::charset_test {
namespace {

constexpr const char* Font = "DejaVu Sans Mono";

Charset resolved(const std::string& name, const std::string& font = Font) {
  auto charset = resolve_charset(name, font);
  EXPECT_TRUE(charset) << (charset ? "" : charset.error().message);
  return charset ? *charset : Charset{};
}

std::string charset(const std::string& name) {
  return resolved(name).characters;
}

std::string refusal(const std::string& name, const std::string& font = Font) {
  auto charset = resolve_charset(name, font);
  if (charset) return "accepted";
  EXPECT_EQ(charset.error().code, ErrorCode::Usage);
  return charset.error().message;
}

TEST(Charset, CharactersThatCannotBeShownAreReplaced) {
  std::vector<CharacterRange> missing{{0x1CC00, 0x1CEBF}};
  const auto shown = [&](const std::string& word) { return resolve_charset(word, Font, missing); };
  EXPECT_EQ(shown("octants")->characters, charset("sextants"));
  EXPECT_EQ(shown("octants")->fallback, "sextants instead of octants");
  EXPECT_EQ(shown("ascii+octants")->characters, charset("ascii+sextants"));
  EXPECT_EQ(shown("blocks")->fallback, "");
  const auto symbols = shown("symbols");
  EXPECT_NE(symbols->characters.find("\u2801"), std::string::npos) << "only the octants are removed";
  EXPECT_EQ(symbols->characters.find("\U0001CD00"), std::string::npos);
  EXPECT_EQ(shown("ab \U0001CD00")->characters, "ab ");
  EXPECT_FALSE(shown("\U0001CD00\U0001CD01"));
  missing.push_back({0x1FB00, 0x1FBEF});
  EXPECT_EQ(shown("octants")->characters, charset("blocks"));
  missing.push_back({0x2580, 0x2595});
  EXPECT_EQ(shown("octants")->characters, charset("ascii"));
}

TEST(Charset, AsciiIsPrintableRange) {
  std::string expected;
  for (char character = ' '; character <= '~'; ++character) expected += character;
  EXPECT_EQ(charset("ascii"), expected);
  EXPECT_EQ(expected.size(), 95u);
}

TEST(Charset, NamedSetsHoldDocumentedCharacters) {
  const auto count = [](const char* name) { return decode_utf8(charset(name))->size(); };
  EXPECT_EQ(charset("ascii-ramp"), " .:-=+*#%@");
  EXPECT_EQ(charset("digits"), " 0123456789");
  EXPECT_EQ(charset("letters"), " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(count("latin"), 95u + 94u);
  EXPECT_EQ(count("blocks"), 33u);
  EXPECT_EQ(count("box"), 129u);
  EXPECT_EQ(count("braille"), 256u);
  EXPECT_EQ(count("sextants"), 64u);
  EXPECT_EQ(charset("half"), " ▀▄█");
  EXPECT_EQ(count("quadrants"), 16u);
  EXPECT_EQ(count("octants"), 256u);
  EXPECT_EQ(count("kana"), 1u + 83 + 86 + 1 + 56);
  EXPECT_GT(count("cjk"), 2000u);
  EXPECT_LT(count("cjk"), 3700u);
  EXPECT_GT(count("font"), 3000u);
}

TEST(Charset, SymbolsAreBuiltInGlyphsPlusAscii) {
  std::set<char32_t> expected;
  for (const char* part : {"ascii", "box", "blocks", "braille", "sextants", "octants"}) {
    const auto code_points = *decode_utf8(charset(part));
    expected.insert(code_points.begin(), code_points.end());
  }
  const auto symbols = *decode_utf8(charset("symbols"));
  EXPECT_EQ(std::set<char32_t>(symbols.begin(), symbols.end()), expected);
  EXPECT_EQ(expected.size(), 95u + 128 + 32 + 256 + 60 + 230 + 8);
}

TEST(Charset, CjkIsSpacePlusIdeographs) {
  const auto code_points = *decode_utf8(charset("cjk"));
  EXPECT_EQ(code_points.front(), U' ');
  EXPECT_TRUE(std::is_sorted(code_points.begin(), code_points.end()));
  for (std::size_t i = 1; i < code_points.size(); ++i) EXPECT_TRUE(is_wide(code_points[i]));
  for (const char32_t everyday : {U'日', U'本', U'人', U'漢'}) {
    EXPECT_TRUE(std::binary_search(code_points.begin(), code_points.end(), everyday));
  }
}

TEST(Charset, FontSetIsFontCoverage) {
  const std::string mono = charset("font");
  const std::string serif = resolved("font", "DejaVu Serif").characters;
  EXPECT_NE(mono, serif);
  EXPECT_TRUE(mono.starts_with(" !\"#"));
  EXPECT_NE(mono.find("é"), std::string::npos);
  EXPECT_EQ(mono.find("漢"), std::string::npos);
  EXPECT_EQ(refusal("font", "No Such Family"),
            "The font \"No Such Family\" was not found; `fc-list : family` lists the installed fonts.");
}

TEST(Charset, NamesCanBeCombined) {
  EXPECT_EQ(charset("digits+half"), " 0123456789 ▀▄█");
  EXPECT_EQ(charset("ascii-ramp+box+half"), charset("ascii-ramp") + charset("box") + charset("half"));
  EXPECT_EQ(charset("+-"), "+-");
  EXPECT_EQ(charset("ab+cd"), "ab+cd");
  EXPECT_EQ(charset("ascii+"), "ascii+");
}

TEST(Charset, NearDuplicatesAreDroppedFromNamedSetsOnly) {
  EXPECT_EQ(resolved("ascii").duplicates, Duplicates::Prune);
  EXPECT_EQ(resolved("ascii+box").duplicates, Duplicates::Prune);
  EXPECT_EQ(resolved(" .:").duplicates, Duplicates::Keep);
  EXPECT_EQ(resolved("@@.:").duplicates, Duplicates::Keep);
  const test::TemporaryFile file("ab");
  EXPECT_EQ(resolved("@" + file.path()).duplicates, Duplicates::Keep);
}

TEST(Charset, UnknownWordIsRejectedAsName) {
  const std::string known =
      "ascii, ascii-ramp, latin, digits, letters, half, quadrants, sextants, octants, blocks, box, dos, "
      "braille, "
      "symbols, kana, cjk, font";
  for (const std::string word : {"no-such-set", "abc", "banana"}) {
    EXPECT_EQ(refusal(word), "There is no character set \"" + word + "\"; choose one of " + known +
                                 ". To use the letters of " + word + " as the characters, add a space: \"" +
                                 word + " \".");
  }
  EXPECT_EQ(refusal("blcks"),
            "There is no character set \"blcks\"; did you mean blocks? To use the letters of blcks as the "
            "characters, add a space: \"blcks \".");
  EXPECT_NE(refusal("ascii+bracket").find("no character set \"bracket\""), std::string::npos);
  EXPECT_EQ(charset("abc "), "abc ");
  EXPECT_EQ(charset("ab"), "ab");
  EXPECT_EQ(charset("Abc"), "Abc");
  EXPECT_EQ(charset("abc1"), "abc1");
}

TEST(Charset, NamedSetsHaveNoDuplicatesOrMarks) {
  for (const NamedCharset& named : named_charsets()) {
    const auto code_points = *decode_utf8(charset(named.name));
    if (std::string(named.name) == "symbols") continue;  // the union of sets that share characters
    EXPECT_EQ(std::set<char32_t>(code_points.begin(), code_points.end()).size(), code_points.size())
        << named.name;
    for (const char32_t code_point : code_points) {
      EXPECT_EQ(cell_fitness(code_point), CellFitness::Fits)
          << named.name << ' ' << code_point_name(code_point);
    }
  }
}

TEST(Charset, CapitalLettersSuggestName) {
  EXPECT_EQ(refusal("Blocks"),
            "There is no character set \"Blocks\"; did you mean blocks? To use the letters of Blocks as the "
            "characters, add a space: \"Blocks \".");
  EXPECT_NE(refusal("ASCII+braille").find("did you mean ascii+braille?"), std::string::npos);
  EXPECT_EQ(resolved("Blocks ").characters, "Blocks ");
  EXPECT_EQ(resolved("Block").characters, "Block") << "names no set in any case";
}

TEST(Charset, OtherStringsAreLiteral) {
  EXPECT_EQ(charset(" 1728"), " 1728");
  EXPECT_EQ(charset("@"), "@");
  EXPECT_EQ(charset("@@%#*+=-:. "), "@%#*+=-:. ");
  EXPECT_EQ(charset("é漢"), "é漢");
}

TEST(Charset, FileSkipsLineEndsAndByteOrderMark) {
  const test::TemporaryFile file("\xEF\xBB\xBF ab\r\ncd\né\n");
  EXPECT_EQ(charset("@" + file.path()), " abcdé");
}

TEST(Charset, ErrorsAreSentences) {
  EXPECT_EQ(
      refusal(""),
      "The character set is empty; give --charset a name (ascii, blocks ...), the characters or @FILE.");
  EXPECT_EQ(refusal("@/nonexistent/set.txt"),
            "The charset file \"/nonexistent/set.txt\" cannot be read; check its path, or write @@ for a set "
            "that begins with the character @.");
  std::string directory("@");
  directory += testing::TempDir();
  EXPECT_NE(refusal(directory).find("cannot be read; check its path"), std::string::npos);
  const test::TemporaryFile empty("\n\n");
  EXPECT_EQ(refusal("@" + empty.path()),
            "The charset file \"" + empty.path() + "\" is empty; put at least one character into it.");
  const test::TemporaryFile latin_1("caf\xE9");
  EXPECT_EQ(refusal("@" + latin_1.path()),
            "The charset file \"" + latin_1.path() + "\" is not valid UTF-8; save it as UTF-8.");
  EXPECT_EQ(refusal("ab\xFF"),
            "The characters are not valid UTF-8: the byte at offset 2 (0xFF) is invalid; use a UTF-8 locale, "
            "and type "
            "the characters again.");
}

TEST(Utf8, RoundTripsEveryLength) {
  for (const char32_t code_point : {U'\x01', U'\x7F', U'\u0080', U'\u07FF', U'\u0800', U'\uD7FF', U'\uE000',
                                    U'\uFFFD', U'\U00010000', U'\U0010FFFF'}) {
    const auto decoded = decode_utf8(encode_utf8(code_point));
    ASSERT_TRUE(decoded) << code_point_name(code_point);
    EXPECT_EQ(*decoded, std::vector<char32_t>{code_point});
  }
  EXPECT_EQ(encode_utf8(U'€'), "\xE2\x82\xAC");
}

TEST(Utf8, RejectsInvalidSequences) {
  for (const char* bytes :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xC3", "\xE2(\xA1", "\xFE"}) {
    EXPECT_FALSE(decode_utf8(bytes)) << testing::PrintToString(std::string(bytes));
  }
  EXPECT_TRUE(decode_utf8("")->empty());
}

TEST(Unicode, WideCharactersMatchEastAsianWidth) {
  for (const char32_t wide : {U'漢', U'ア', U'あ', U'한', U'Ａ', U'\u3000', U'，', U'\u26A1', U'\U0001F600',
                              U'\u1100', U'\U00020000', U'\U0003FFFD'}) {
    EXPECT_TRUE(is_wide(wide)) << code_point_name(wide);
  }
  for (const char32_t narrow : {U'A', U' ', U'é', U'ｱ', U'─', U'█', U'Я', U'…', U'\u26A0', U'\u303F',
                                U'\U0001FB00', U'\U0001CD00', U'\U0001F321', U'\uE000'}) {
    EXPECT_FALSE(is_wide(narrow)) << code_point_name(narrow);
  }
}

TEST(Unicode, OctantsAreNarrow) {
  for (char32_t octant = 0x1CD00; octant <= 0x1CDE5; ++octant) {
    EXPECT_EQ(cell_fitness(octant), CellFitness::Fits) << code_point_name(octant);
  }
}

TEST(Unicode, MarksAndControlsHaveZeroWidth) {
  for (const char32_t mark :
       {U'\u0301', U'\u20DD', U'\u0903', U'\u200D', U'\uFE0F', U'\U000E0100', U'\u00AD', U'\u0483'}) {
    EXPECT_EQ(cell_fitness(mark), CellFitness::Combining) << code_point_name(mark);
  }
  for (const char32_t control : {U'\0', U'\n', U'\x1B', U'\x7F', U'\x9B', U'\u2028'}) {
    EXPECT_EQ(cell_fitness(control), CellFitness::Control) << code_point_name(control);
  }
  for (const char32_t printable :
       {U' ', U'\u00A0', U'A', U'~', U'é', U'漢', U'ｱ', U'\u2588', U'\U0001F600', U'\uE0A0'}) {
    EXPECT_EQ(cell_fitness(printable), CellFitness::Fits) << code_point_name(printable);
  }
}

}  // namespace
}  // namespace glyphreel::text::charset_test
