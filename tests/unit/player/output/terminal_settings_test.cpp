#include <gtest/gtest.h>

#include "player/player_entry.h"

namespace glyphreel::player {
namespace {

constexpr present::TerminalCapabilities Colorful = {.colors = present::ColorDepth::Direct,
                                                    .block_elements = true};

TEST(TerminalSettings, DrawBlocksByDefault) {
  EXPECT_EQ(terminal_settings({}, Colorful).charset, "blocks");
  EXPECT_EQ(terminal_settings({.color = cli::ColorChoice::Ansi16}, Colorful).charset, "blocks");
  EXPECT_EQ(terminal_settings({}, {.colors = present::ColorDepth::Direct}).charset, "ascii") << "no UTF-8";
}

TEST(TerminalSettings, KeepCharactersWhereTheyMatter) {
  EXPECT_EQ(terminal_settings({.charset_chosen = true}, Colorful).charset, "ascii");
  EXPECT_EQ(terminal_settings({.mode = Mode::Ramp}, Colorful).charset, "ascii");
  EXPECT_EQ(terminal_settings({.mode = Mode::Edge}, Colorful).charset, "ascii");
  EXPECT_EQ(terminal_settings({.color = cli::ColorChoice::Fg}, Colorful).charset, "ascii");
}

TEST(TerminalSettings, AreMonoWithoutColors) {
  const cli::Settings settings = terminal_settings(
      {.color = cli::ColorChoice::Mono, .reverse = Reverse::PerCell}, {.block_elements = true});
  EXPECT_EQ(settings.color, cli::ColorChoice::Mono);
  EXPECT_EQ(settings.reverse, Reverse::Never);
  EXPECT_EQ(settings.charset, "ascii");
}

}  // namespace
}  // namespace glyphreel::player
