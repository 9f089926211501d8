#include "present/terminal/terminal_capabilities.h"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "../../../environment.h"

namespace glyphreel::present::terminal_capabilities_test {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(const Variables& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

constexpr Terminfo Monochrome = {.erase_characters = true};
constexpr Terminfo Eight = {.colors = 8};
constexpr Terminfo Xterm8 = {.colors = 8, .back_color_erase = true, .erase_characters = true};
constexpr Terminfo Xterm256 = {.colors = 256, .back_color_erase = true, .erase_characters = true};
constexpr Terminfo Direct = {.colors = 256, .direct_color = true};

ColorDepth depth(const Variables& variables, const std::optional<Terminfo>& info) {
  return terminal_capabilities(environment(variables), info).colors;
}

TEST(TerminalCapabilities, Utf8LocalesShowBlockElements) {
  const auto shows_blocks = [](const Variables& variables) {
    return terminal_capabilities(environment(variables), Xterm256).block_elements;
  };
  EXPECT_TRUE(shows_blocks({{"TERM", "xterm"}, {"LANG", "de_DE.UTF-8"}}));
  EXPECT_TRUE(shows_blocks({{"TERM", "xterm"}, {"LC_CTYPE", "en_US.utf8"}, {"LANG", "C"}}));
  EXPECT_FALSE(shows_blocks({{"TERM", "xterm"}, {"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}}));
  EXPECT_FALSE(shows_blocks({{"TERM", "xterm"}}));
  EXPECT_FALSE(shows_blocks({{"TERM", "linux"}, {"LANG", "C.UTF-8"}}));
}

TEST(TerminalCapabilities, KnownTerminalsReportColors) {
  struct Row {
    Variables variables;
    std::optional<Terminfo> info;
    ColorDepth depth;
  };
  const Row rows[] = {
      {{{"TERM", "xterm"}}, Xterm8, ColorDepth::Ansi16},
      {{{"TERM", "xterm"}}, std::nullopt, ColorDepth::Ansi16},
      {{{"TERM", "xterm-256color"}}, Xterm256, ColorDepth::Ansi256},
      {{{"TERM", "xterm-256color"}}, std::nullopt, ColorDepth::Ansi256},
      {{{"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}}, Xterm256, ColorDepth::Direct},
      {{{"TERM", "xterm-256color"}, {"COLORTERM", "24bit"}}, Xterm256, ColorDepth::Direct},
      {{{"TERM", "xterm-256color"}, {"COLORTERM", "rxvt"}}, Xterm256, ColorDepth::Ansi256},
      {{{"TERM", "xterm-256color"}, {"VTE_VERSION", "7201"}}, Xterm256, ColorDepth::Direct},
      {{{"TERM", "xterm-256color"}, {"VTE_VERSION", "3400"}}, Xterm256, ColorDepth::Ansi256},
      {{{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "iTerm.app"}}, Xterm256, ColorDepth::Direct},
      {{{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "Apple_Terminal"}}, Xterm256, ColorDepth::Ansi256},
      {{{"TERM", "xterm-direct"}}, std::nullopt, ColorDepth::Direct},
      {{{"TERM", "xterm-kitty"}}, std::nullopt, ColorDepth::Direct},
      {{{"TERM", "foot"}}, std::nullopt, ColorDepth::Direct},
      {{{"TERM", "alacritty"}}, std::nullopt, ColorDepth::Direct},
      {{{"TERM", "somebody's"}}, Direct, ColorDepth::Direct},
      {{{"TERM", "tmux-256color"}}, Xterm256, ColorDepth::Ansi256},
      {{{"TERM", "tmux"}}, Eight, ColorDepth::Ansi16},
      {{{"TERM", "tmux-256color"}, {"TMUX", "/tmp/tmux-0/default,1,0"}}, Xterm256, ColorDepth::Direct},
      {{{"TERM", "screen"}, {"TMUX", "/tmp/tmux-0/default,1,0"}}, Eight, ColorDepth::Direct},
      {{{"TERM", "screen"}}, Eight, ColorDepth::Ansi16},
      {{{"TERM", "screen-256color"}, {"COLORTERM", "truecolor"}}, Xterm256, ColorDepth::Ansi256},
      {{{"TERM", "screen"}, {"STY", "1.pts"}, {"TMUX", "/tmp/tmux"}}, Eight, ColorDepth::Ansi16},
      {{{"TERM", "screen"}, {"TERM_PROGRAM", "iTerm.app"}}, Eight, ColorDepth::Ansi16},
      {{{"TERM", "linux"}}, Eight, ColorDepth::Ansi16},
      {{{"TERM", "linux"}, {"COLORTERM", "truecolor"}}, Eight, ColorDepth::Ansi16},
      {{{"TERM", "rxvt-unicode-256color"}}, Xterm256, ColorDepth::Ansi256},
      {{{"TERM", "vt100"}}, Terminfo{}, ColorDepth::None},
      {{{"TERM", "vt100"}}, std::nullopt, ColorDepth::None},
      {{{"TERM", "vt220"}}, Monochrome, ColorDepth::None},
      {{{"TERM", "xterm-mono"}, {"COLORTERM", "truecolor"}}, Monochrome, ColorDepth::None},
      {{{"TERM", "dumb"}, {"COLORTERM", "truecolor"}}, std::nullopt, ColorDepth::None},
      {{}, std::nullopt, ColorDepth::None},
      {{{"TERM", "xterm-kitty"}, {"NO_COLOR", "1"}}, Direct, ColorDepth::None},
      {{{"TERM", "xterm-kitty"}, {"NO_COLOR", ""}}, Direct, ColorDepth::Direct},
  };
  for (const Row& row : rows) {
    std::string what;
    for (const auto& [name, value] : row.variables) what += name + "=" + value + " ";
    EXPECT_EQ(depth(row.variables, row.info), row.depth)
        << what << (row.info ? "with" : "without") << " terminfo";
  }
}

TEST(TerminalCapabilities, PipesHaveColorsUnlessEnvironmentSaysNo) {
  EXPECT_EQ(piped_colors(environment({}), {}), ColorDepth::Direct);
  EXPECT_EQ(piped_colors(environment({{"NO_COLOR", "1"}}), {}), ColorDepth::None);
  EXPECT_EQ(piped_colors(environment({{"TERM", "dumb"}}), {}), ColorDepth::None);
  EXPECT_EQ(piped_colors(environment({{"TERM", "xterm-256color"}}), {}), ColorDepth::Ansi256);
}

TEST(TerminalCapabilities, AllowedSequencesFollowTerminfo) {
  const auto of = [](const char* term, const std::optional<Terminfo>& info) {
    return terminal_capabilities(environment({{"TERM", term}}), info);
  };
  EXPECT_TRUE(of("xterm", Xterm8).back_color_erase);
  EXPECT_TRUE(of("xterm", Xterm8).private_modes);
  EXPECT_FALSE(of("xterm", std::nullopt).back_color_erase) << "back-color erase is unknown without terminfo";
  EXPECT_TRUE(of("tmux-256color", Xterm256).back_color_erase);
  EXPECT_FALSE(of("screen", Eight).back_color_erase);
  EXPECT_TRUE(of("screen", Eight).erase_characters);
  EXPECT_FALSE(of("linux", Xterm8).private_modes);
  EXPECT_FALSE(of("vt100", Terminfo{}).erase_characters);
  EXPECT_FALSE(of("dumb", std::nullopt).private_modes);
}

void append_number(std::string& bytes, int value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

/// Returns a compiled terminfo entry (term(5)) with bce, 256 colors and ech; if `extended`, also with the
/// extended capability RGB.
std::string entry(int number_size, bool extended) {
  const std::string names = "t|test";
  std::string bytes;
  append_number(bytes, number_size == 4 ? 01036 : 0432, 2);
  for (const int size : {static_cast<int>(names.size()) + 1, 29, 14, 38, 4}) append_number(bytes, size, 2);
  bytes += names + '\0';
  for (int i = 0; i < 29; ++i) bytes += static_cast<char>(i == 28);
  if (bytes.size() % 2 != 0) bytes += '\0';
  for (int i = 0; i < 14; ++i) append_number(bytes, i == 13 ? 256 : -1, number_size);
  for (int i = 0; i < 38; ++i) append_number(bytes, i == 37 ? 0 : -1, 2);
  bytes += std::string("ech") + '\0';
  if (!extended) return bytes;
  if (bytes.size() % 2 != 0) bytes += '\0';
  for (const int count : {1, 0, 1, 3, 10}) append_number(bytes, count, 2);
  bytes += '\1';
  bytes += '\0';
  append_number(bytes, 0, 2);  // offset of the value of the string capability Xs
  append_number(bytes, 0, 2);  // offsets of the names
  append_number(bytes, 4, 2);
  bytes += std::string("val") + '\0' + "RGB" + '\0' + "Xs" + '\0';
  return bytes;
}

/// A terminfo database with the single entry "test".
class Terminfos : public ::testing::Test {
 protected:
  Terminfos() { std::filesystem::create_directory(folder_ + "/t"); }
  ~Terminfos() override { std::filesystem::remove_all(folder_); }

  std::optional<Terminfo> parse(const std::string& bytes) {
    std::ofstream(folder_ + "/t/test", std::ios::binary) << bytes;
    return find_terminfo("test");
  }

 private:
  static std::string make_folder() {
    std::string name = ::testing::TempDir() + "terminfo-XXXXXX";
    return ::mkdtemp(name.data());
  }
  std::string folder_ = make_folder();
  test::Environment variable_{"TERMINFO", folder_};
};

TEST_F(Terminfos, ReadBothFormatsAndExtension) {
  for (const int size : {2, 4}) {
    for (const bool extended : {false, true}) {
      const std::optional<Terminfo> info = parse(entry(size, extended));
      ASSERT_TRUE(info) << size;
      EXPECT_EQ(info->colors, 256);
      EXPECT_TRUE(info->back_color_erase);
      EXPECT_TRUE(info->erase_characters);
      EXPECT_EQ(info->direct_color, extended);
    }
  }
}

TEST_F(Terminfos, SurviveRandomBytes) {
  std::mt19937 random(3);
  const std::string good = entry(2, true);
  for (int round = 0; round < 500; ++round) {
    std::string bytes = good.substr(0, random() % (good.size() + 1));
    for (std::size_t changes = random() % 6; changes > 0 && !bytes.empty(); --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    const std::optional<Terminfo> info = parse(bytes);
    EXPECT_GE(info.value_or(Terminfo{}).colors, 0);
  }
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse(good.substr(0, 40)));
}

TEST(Terminfo, NamesCannotEscapeFolders) {
  EXPECT_FALSE(find_terminfo("../passwd"));
  EXPECT_FALSE(find_terminfo(""));
}

}  // namespace
}  // namespace glyphreel::present::terminal_capabilities_test
