#include "cli/looks.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "cli/parse.h"

namespace glyphreel::cli::looks_test {
namespace {

Settings parsed_settings(std::vector<const char*> words) {
  words.insert(words.begin(), {"glyphreel", "play", "--no-config"});
  words.push_back("clip.mp4");
  const auto result = parse(static_cast<int>(words.size()), words.data(), {});
  CHECK(static_cast<bool>(result), result.error().message);
  return std::get<Settings>(*result);
}

TEST(Looks, OptionsAreValid) {
  for (const Look& look : looks()) {
    const Settings settings = parsed_settings({"--look", std::string(look.name).c_str()});
    EXPECT_EQ(settings.look, look.name);
    for (const auto& [option, value] : look.options) {
      Settings scratch;
      ASSERT_NE(find_option(option), nullptr) << option;
      EXPECT_TRUE(find_option(option)->apply(scratch, value)) << look.name << ": " << option;
    }
  }
}

TEST(Looks, CommandLineOverridesLook) {
  const Settings amber = parsed_settings({"--look", "amber"});
  EXPECT_EQ(amber.picture.color, ColorChoice::Mono);
  EXPECT_EQ(amber.picture.foreground, 0xFFB000u);
  const Settings green = parsed_settings({"--fg", "lime", "--look", "amber"});
  EXPECT_EQ(green.picture.foreground, 0x00FF00u);
  EXPECT_EQ(green.picture.background, amber.picture.background);
  // --color on the command line overrides the look's --color mono.
  EXPECT_EQ(parsed_settings({"--color", "full", "--look", "amber"}).picture.color, ColorChoice::Full);
}

TEST(Looks, AnotherLookReplacesThePrevious) {
  const Settings start = parsed_settings({"--fg", "lime", "--look", "amber"});
  Settings changed = with_look(start, "blueprint");
  EXPECT_EQ(changed.look, "blueprint");
  EXPECT_EQ(changed.glyphs.mode, Mode::Edge);
  EXPECT_EQ(changed.picture.foreground, 0x00FF00u);
  EXPECT_EQ(changed.picture.scanlines, 0);
  changed.layout.cell = {16, 32};
  changed = with_look(changed, "none");
  EXPECT_EQ(changed.picture.color, ColorChoice::Full);
  EXPECT_EQ(changed.glyphs.mode, Mode::Shape);
  EXPECT_EQ(changed.layout.cell, (CellSize{16, 32}));
  EXPECT_EQ(with_look(with_look(start, "c64"), "none").layout.cell, start.layout.cell);
  changed.picture.contrast = 30;
  EXPECT_EQ(with_look(with_look(changed, "night"), "none").picture.contrast, 30);
}

}  // namespace
}  // namespace glyphreel::cli::looks_test
