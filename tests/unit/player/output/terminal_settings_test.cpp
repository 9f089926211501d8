#include <gtest/gtest.h>

#include "player/player_entry.h"

namespace glyphreel::player::terminal_settings_test {
namespace {

constexpr present::TerminalCapabilities Colorful = {.colors = present::ColorDepth::Direct,
                                                    .block_elements = true};

TEST(TerminalSettings, DrawBlocksByDefault) {
  EXPECT_EQ(terminal_settings({}, Colorful).glyphs.charset, "blocks");
  EXPECT_EQ(terminal_settings({.picture = {.color = cli::ColorChoice::Ansi16}}, Colorful).glyphs.charset,
            "blocks");
  EXPECT_EQ(terminal_settings({}, {.colors = present::ColorDepth::Direct}).glyphs.charset, "ascii")
      << "no UTF-8";
}

TEST(TerminalSettings, KeepCharactersWhereTheyMatter) {
  EXPECT_EQ(terminal_settings({.glyphs = {.charset_chosen = true}}, Colorful).glyphs.charset, "ascii");
  EXPECT_EQ(terminal_settings({.glyphs = {.mode = Mode::Ramp}}, Colorful).glyphs.charset, "ascii");
  EXPECT_EQ(terminal_settings({.glyphs = {.mode = Mode::Edge}}, Colorful).glyphs.charset, "ascii");
  EXPECT_EQ(terminal_settings({.picture = {.color = cli::ColorChoice::Fg}}, Colorful).glyphs.charset,
            "ascii");
}

TEST(TerminalSettings, AreMonoWithoutColors) {
  const cli::Settings settings = terminal_settings(
      {.picture = {.color = cli::ColorChoice::Mono, .reverse = Reverse::PerCell}}, {.block_elements = true});
  EXPECT_EQ(settings.picture.color, cli::ColorChoice::Mono);
  EXPECT_EQ(settings.picture.reverse, Reverse::Never);
  EXPECT_EQ(settings.glyphs.charset, "ascii");
}

}  // namespace
}  // namespace glyphreel::player::terminal_settings_test
