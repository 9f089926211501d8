#include "player/control/bindings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace glyphreel::player {
namespace {

std::string refusal(const std::string& text) {
  Bindings bindings;
  const Result<void> added = bindings.add(text, "input.conf");
  return added ? "" : added.error().message;
}

TEST(ParseCommand, ParsesSeeks) {
  const Command relative = *parse_command("seek -5");
  EXPECT_EQ(relative.spec->name, "seek");
  EXPECT_EQ(relative.value, -5);
  EXPECT_EQ(relative.seek, SeekKind::Relative);
  EXPECT_FALSE(relative.exact);
  const Command exact = *parse_command("  seek +1.5   exact ");
  EXPECT_EQ(exact.value, 1.5);
  EXPECT_TRUE(exact.exact);
  const Command joined = *parse_command("seek 50 absolute-percent+exact");
  EXPECT_EQ(joined.value, 50);
  EXPECT_EQ(joined.seek, SeekKind::AbsolutePercent);
  EXPECT_TRUE(joined.exact);
}

TEST(ParseCommand, ParsesProperties) {
  const Command cycle = *parse_command("cycle pause");
  EXPECT_EQ(cycle.spec->name, "pause");
  EXPECT_EQ(cycle.action, PropertyAction::Cycle);
  const Command add = *parse_command("add volume -2");
  EXPECT_EQ(add.spec->name, "volume");
  EXPECT_EQ(add.action, PropertyAction::Add);
  EXPECT_EQ(add.value, -2);
  const Command set = *parse_command("set fullscreen yes");
  EXPECT_EQ(set.spec->name, "fullscreen");
  EXPECT_EQ(set.action, PropertyAction::Set);
  EXPECT_EQ(set.value, 1);
}

TEST(ParseCommand, ParsesEffects) {
  EXPECT_EQ(parse_command("cycle effect")->spec->name, "effect");
  EXPECT_EQ(parse_command("set effect rain")->text, "rain");
  EXPECT_EQ(parse_command("set effect snow").error().message,
            "\"set effect snow\": effect takes none, rain, tube, glitch or ripple.");
}

TEST(Command, ChangesNumbersAndSwitches) {
  EXPECT_EQ(parse_command("add volume -2")->changed(50), 48);
  EXPECT_EQ(parse_command("multiply speed 2")->changed(1.5), 3);
  EXPECT_EQ(parse_command("set speed 1")->changed(3), 1);
  EXPECT_TRUE(parse_command("cycle mute")->switched(false));
  EXPECT_FALSE(parse_command("cycle mute")->switched(true));
  EXPECT_TRUE(parse_command("set mute yes")->switched(true));
  EXPECT_FALSE(parse_command("set mute no")->switched(true));
}

TEST(CommandTable, NamesAreUniqueAndDefaultsParse) {
  std::set<std::string_view> names;
  for (const CommandSpec& spec : command_table()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    for (const DefaultKeys& built_in : spec.defaults) {
      if (built_in.keys.empty()) continue;
      EXPECT_EQ(parse_command(built_in.command)->spec, &spec) << built_in.command;
      EXPECT_FALSE(built_in.help.empty()) << built_in.command;
    }
  }
}

TEST(ParseCommand, ErrorsNameCause) {
  const auto refused = [](std::string_view text) { return parse_command(text).error().message; };
  EXPECT_EQ(refused(""), "A key needs a command after its name, as in \"q quit\".");
  EXPECT_EQ(refused("seek"), "\"seek\": seek needs a number, as in \"seek -5\".");
  EXPECT_EQ(refused("seek far"), "\"seek far\": seek needs a number, as in \"seek -5\".");
  EXPECT_EQ(
      refused("seek 5 quickly"),
      "\"seek 5 quickly\": seek has no flag quickly; use relative, absolute, absolute-percent, keyframes "
      "or exact.");
  EXPECT_EQ(refused("dance"),
            "\"dance\": there is no command dance; examples are \"seek 5\" and \"cycle pause\".");
  EXPECT_EQ(refused("quit now"), "\"quit now\": quit has no arguments; remove the words after it.");
  EXPECT_EQ(refused("cycle"), "\"cycle\": cycle needs the name of a property, as in \"cycle pause\".");
  EXPECT_EQ(refused("cycle moon"),
            "\"cycle moon\": there is no property moon; examples are pause, volume, speed and mode.");
  EXPECT_EQ(refused("add volume"),
            "\"add volume\": add needs a value after the property, as in \"set speed 1\".");
  EXPECT_EQ(refused("add volume loud"),
            "\"add volume loud\": loud is not a number; write one, as in \"add volume 2\".");
  EXPECT_EQ(refused("set volume loud"), "\"set volume loud\": volume takes a number, yes or no, not loud.");
  EXPECT_EQ(refused("add volume nan"),
            "\"add volume nan\": nan is not a number; write one, as in \"add volume 2\".");
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
  EXPECT_EQ(bindings.find("LEFT")->value, -10);
  EXPECT_TRUE(bindings.find("LEFT")->exact);
  EXPECT_EQ(bindings.find("#")->spec->name, "mute");
  EXPECT_EQ(bindings.find("F1")->spec->name, "help");
  EXPECT_EQ(bindings.find("q")->spec->name, "ignore");
  EXPECT_EQ(bindings.find("RIGHT")->value, 5);
}

TEST(Bindings, ErrorNamesLineAndChangesNothing) {
  EXPECT_EQ(
      refusal("LEFT seek -10\nRIGHT fly\n"),
      "input.conf, line 2: \"fly\": there is no command fly; examples are \"seek 5\" and \"cycle pause\".");
  EXPECT_EQ(refusal("LEFT"), "input.conf, line 1: A key needs a command after its name, as in \"q quit\".");
  Bindings bindings;
  ASSERT_FALSE(bindings.add("LEFT seek -10\nRIGHT fly\n", "input.conf"));
  EXPECT_EQ(bindings.find("LEFT")->value, -5);
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
