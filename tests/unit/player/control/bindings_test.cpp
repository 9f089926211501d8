#include "player/control/bindings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace glyphreel::player {
namespace {

std::string refusal(const std::string& text) {
  Bindings bindings;
  const Result<void> added = bindings.add(text, "input.conf");
  return added ? "" : added.error().message;
}

TEST(ParseCommand, ParsesSeeks) {
  const Result<Command> relative = parse_command("seek -5");
  ASSERT_TRUE(relative);
  EXPECT_EQ(*relative, (Command{.verb = CommandVerb::Seek, .value = -5}));
  const Result<Command> exact = parse_command("  seek +1.5   exact ");
  ASSERT_TRUE(exact);
  EXPECT_EQ(*exact, (Command{.verb = CommandVerb::Seek, .value = 1.5, .exact = true}));
  const Result<Command> joined = parse_command("seek 50 absolute-percent+exact");
  ASSERT_TRUE(joined);
  EXPECT_EQ(
      *joined,
      (Command{.verb = CommandVerb::Seek, .value = 50, .seek = SeekKind::AbsolutePercent, .exact = true}));
}

TEST(ParseCommand, ParsesProperties) {
  EXPECT_EQ(*parse_command("cycle pause"), (Command{.verb = CommandVerb::Cycle, .property = "pause"}));
  EXPECT_EQ(*parse_command("add volume -2"),
            (Command{.verb = CommandVerb::Add, .property = "volume", .value = -2, .text = "-2"}));
  EXPECT_EQ(*parse_command("set fullscreen yes"),
            (Command{.verb = CommandVerb::Set, .property = "fullscreen", .value = 1, .text = "yes"}));
}

TEST(ParseCommand, ParsesEffects) {
  EXPECT_EQ(*parse_command("cycle effect"), (Command{.verb = CommandVerb::Cycle, .property = "effect"}));
  EXPECT_EQ(parse_command("set effect rain")->text, "rain");
  EXPECT_EQ(parse_command("set effect snow").error().message,
            "\"set effect snow\": effect takes none, rain, tube, glitch or ripple.");
}

TEST(ParseCommand, ErrorsNameCause) {
  const auto refused = [](std::string_view text) { return parse_command(text).error().message; };
  EXPECT_EQ(refused(""), "A key needs a command after its name.");
  EXPECT_EQ(refused("seek"), "\"seek\": seek takes a number of seconds.");
  EXPECT_EQ(refused("seek far"), "\"seek far\": seek takes a number of seconds.");
  EXPECT_EQ(refused("seek 5 quickly"), "\"seek 5 quickly\": seek has no flag \"quickly\".");
  EXPECT_EQ(refused("dance"), "\"dance\": there is no command dance.");
  EXPECT_EQ(refused("quit now"), "\"quit now\": quit takes no arguments.");
  EXPECT_EQ(refused("cycle"), "\"cycle\": cycle needs the name of a property.");
  EXPECT_EQ(refused("cycle moon"), "\"cycle moon\": there is no property moon.");
  EXPECT_EQ(refused("add volume"), "\"add volume\": add needs a value after the property.");
  EXPECT_EQ(refused("add volume loud"), "\"add volume loud\": loud is not a number.");
  EXPECT_EQ(refused("add volume nan"), "\"add volume nan\": nan is not a number.");
}

TEST(Bindings, HaveManualKeys) {
  const Bindings bindings;
  for (const char* key :
       {"SPACE", "p", "LEFT",   "RIGHT",  "UP",  "DOWN", "Shift+LEFT", "Shift+RIGHT", ".", ",", "[", "]",
        "{",     "}", "BS",     "f",      "ESC", "m",    "9",          "0",           "s", "i", "l", "L",
        "j",     "v", "Ctrl++", "Ctrl+-", "<",   ">",    "1",          "2",           "3", "4", "5", "6",
        "7",     "8", "q",      "g",      "c",   "h",    "+",          "-",           "?"}) {
    EXPECT_NE(bindings.find(key), nullptr) << key;
  }
  EXPECT_EQ(bindings.find("Q"), nullptr);
  EXPECT_EQ(bindings.find(""), nullptr);
}

TEST(Bindings, AreOverriddenByInputConf) {
  Bindings bindings;
  ASSERT_TRUE(
      bindings.add("# my keys\r\n\nLEFT seek -10 exact  # further\r\n# cycle mute\nF1 cycle help\nq ignore",
                   "input.conf"));
  EXPECT_EQ(*bindings.find("LEFT"), (Command{.verb = CommandVerb::Seek, .value = -10, .exact = true}));
  EXPECT_EQ(*bindings.find("#"), (Command{.verb = CommandVerb::Cycle, .property = "mute"}));
  EXPECT_EQ(*bindings.find("F1"), (Command{.verb = CommandVerb::Cycle, .property = "help"}));
  EXPECT_EQ(bindings.find("q")->verb, CommandVerb::Ignore);
  EXPECT_EQ(*bindings.find("RIGHT"), (Command{.verb = CommandVerb::Seek, .value = 5}));
}

TEST(Bindings, ErrorNamesLineAndChangesNothing) {
  EXPECT_EQ(refusal("LEFT seek -10\nRIGHT fly\n"), "input.conf, line 2: \"fly\": there is no command fly.");
  EXPECT_EQ(refusal("LEFT"), "input.conf, line 1: A key needs a command after its name.");
  Bindings bindings;
  ASSERT_FALSE(bindings.add("LEFT seek -10\nRIGHT fly\n", "input.conf"));
  EXPECT_EQ(*bindings.find("LEFT"), (Command{.verb = CommandVerb::Seek, .value = -5}));
}

TEST(Bindings, HelpShowsCurrentKeys) {
  Bindings bindings;
  ASSERT_TRUE(bindings.add("SPACE ignore\nF1 cycle pause\nF2 seek 30", "input.conf"));
  const std::vector<HelpEntry> help = bindings.help();
  const auto of = [&](const std::string& does) {
    const auto found =
        std::find_if(help.begin(), help.end(), [&](const HelpEntry& entry) { return entry.does == does; });
    return found == help.end() ? "" : found->keys;
  };
  EXPECT_EQ(of("pause or resume"), "p, f1");
  EXPECT_EQ(of("seek 30"), "f2");
  EXPECT_EQ(of("loop from A to B"), "l");
  for (const HelpEntry& entry : help) EXPECT_EQ(entry.keys.find("mbtn"), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::player
