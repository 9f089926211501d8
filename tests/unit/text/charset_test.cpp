#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "text/glyph_set.h"
#include "text/unicode.h"

namespace glyphreel::text {
namespace {

std::string charset(const std::string& name) {
  auto characters = resolve_charset(name);
  EXPECT_TRUE(characters) << (characters ? "" : characters.error().message);
  return characters ? *characters : "";
}

std::string refusal(const std::string& name) {
  auto characters = resolve_charset(name);
  if (characters) return "accepted";
  EXPECT_EQ(characters.error().code, ErrorCode::Usage);
  return characters.error().message;
}

/// A file in the temporary directory that is removed again.
class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    std::string pattern = testing::TempDir() + "glyphreel_charset_XXXXXX";
    const int descriptor = mkstemp(pattern.data());
    close(descriptor);
    path_ = pattern;
    std::ofstream(path_, std::ios::binary) << text;
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Charset, AsciiIsThePrintableOnesFromTheSpace) {
  std::string expected;
  for (char character = ' '; character <= '~'; ++character) expected += character;
  EXPECT_EQ(charset("ascii"), expected);
  EXPECT_EQ(expected.size(), 95u);
}

TEST(Charset, NamedSetsHoldWhatTheySay) {
  const auto count = [](const char* name) { return decode_utf8(charset(name))->size(); };
  EXPECT_EQ(charset("ascii-ramp"), " .:-=+*#%@");
  EXPECT_EQ(charset("digits"), " 0123456789");
  EXPECT_EQ(charset("letters"), " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(count("latin"), 95u + 94u);
  EXPECT_EQ(count("blocks"), 33u);
  EXPECT_EQ(count("box"), 129u);
  EXPECT_EQ(count("braille"), 256u);
  EXPECT_EQ(count("sextants"), 64u);
}

TEST(Charset, EveryNamedSetResolvesWithoutDuplicatesOrMarks) {
  for (const NamedCharset& named : named_charsets()) {
    const auto code_points = *decode_utf8(charset(named.name));
    EXPECT_EQ(std::set<char32_t>(code_points.begin(), code_points.end()).size(), code_points.size())
        << named.name;
    for (const char32_t code_point : code_points) {
      EXPECT_EQ(cell_fitness(code_point), CellFitness::Fits)
          << named.name << ' ' << code_point_name(code_point);
    }
  }
}

TEST(Charset, AnyOtherStringIsItself) {
  EXPECT_EQ(charset(" 1728"), " 1728");
  EXPECT_EQ(charset("@"), "@");
  EXPECT_EQ(charset("@@%#*+=-:. "), "@%#*+=-:. ");
  EXPECT_EQ(charset("é漢"), "é漢");
}

TEST(Charset, FileGivesItsCharactersWithoutLineEndsAndByteOrderMark) {
  const TextFile file("\xEF\xBB\xBF ab\r\ncd\né\n");
  EXPECT_EQ(charset("@" + file.path()), " abcdé");
}

TEST(Charset, ErrorsAreSentences) {
  EXPECT_EQ(
      refusal(""),
      "The character set is empty; name one (ascii, blocks ...), give a string or @FILE with --charset.");
  EXPECT_EQ(refusal("@/nonexistent/set.txt"),
            "The charset file \"/nonexistent/set.txt\" cannot be read; check its path, or begin with @@ for "
            "a set that "
            "holds the character @ first.");
  std::string directory("@");
  directory += testing::TempDir();
  EXPECT_NE(refusal(directory).find("cannot be read; check its path"), std::string::npos);
  const TextFile empty("\n\n");
  EXPECT_EQ(refusal("@" + empty.path()),
            "The charset file \"" + empty.path() + "\" holds no characters; write at least one into it.");
  const TextFile latin_1("caf\xE9");
  EXPECT_EQ(refusal("@" + latin_1.path()),
            "The charset file \"" + latin_1.path() + "\" is no valid UTF-8 text; save it as UTF-8.");
  EXPECT_EQ(refusal("ab\xFF"),
            "The characters are no valid UTF-8: byte 2 (0xFF) is wrong; save or type them as UTF-8.");
}

TEST(Utf8, DecodesEveryLengthAndEncodesItBack) {
  for (const char32_t code_point : {U'\x01', U'\x7F', U'\u0080', U'\u07FF', U'\u0800', U'\uD7FF', U'\uE000',
                                    U'\uFFFD', U'\U00010000', U'\U0010FFFF'}) {
    const auto decoded = decode_utf8(encode_utf8(code_point));
    ASSERT_TRUE(decoded) << code_point_name(code_point);
    EXPECT_EQ(*decoded, std::vector<char32_t>{code_point});
  }
  EXPECT_EQ(encode_utf8(U'€'), "\xE2\x82\xAC");
}

TEST(Utf8, RefusesWhatTheStandardForbids) {
  for (const char* bytes :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xC3", "\xE2(\xA1", "\xFE"}) {
    EXPECT_FALSE(decode_utf8(bytes)) << testing::PrintToString(std::string(bytes));
  }
  EXPECT_TRUE(decode_utf8("")->empty());
}

TEST(Unicode, MarksAndControlsHaveNoCellOfTheirOwn) {
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
}  // namespace glyphreel::text
