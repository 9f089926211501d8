#include "player/control/bindings.h"
#include "player/control/default_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace glyphreel::player::bindings_test {
namespace {

Command parsed(std::string_view text) {
  return parse_commands(text)->front();
}

TEST(ParseCommand, ParsesSeeks) {
  const Command relative = parsed("seek -5");
  EXPECT_EQ(relative.spec->name, "seek");
  EXPECT_EQ(relative.value, -5);
  EXPECT_EQ(relative.seek, SeekKind::Relative);
  EXPECT_FALSE(relative.exact);
  const Command exact = parsed("  seek +1.5   exact ");
  EXPECT_EQ(exact.value, 1.5);
  EXPECT_TRUE(exact.exact);
  const Command joined = parsed("seek 50 absolute-percent+exact");
  EXPECT_EQ(joined.value, 50);
  EXPECT_EQ(joined.seek, SeekKind::AbsolutePercent);
  EXPECT_TRUE(joined.exact);
}

TEST(ParseCommand, ParsesProperties) {
  const Command cycle = parsed("cycle pause");
  EXPECT_EQ(cycle.property->name, "pause");
  EXPECT_EQ(cycle.spec->action, PropertyAction::Cycle);
  EXPECT_EQ(parsed("cycle pause down").value, -1);
  const Command add = parsed("add volume -2");
  EXPECT_EQ(add.property->name, "volume");
  EXPECT_EQ(add.spec->action, PropertyAction::Add);
  EXPECT_EQ(add.value, -2);
  EXPECT_EQ(parsed("add volume").value, 1);
  const Command set = parsed("set fullscreen yes");
  EXPECT_EQ(set.property->name, "fullscreen");
  EXPECT_EQ(set.values, std::vector<PropertyValue>{true});
  EXPECT_EQ(parsed("set effect rain").values, std::vector<PropertyValue>{"rain"});
  EXPECT_EQ(parsed("set sub no").values, std::vector<PropertyValue>{0.0});
  EXPECT_EQ(parsed("set fg lime").values, std::vector<PropertyValue>{"#00FF00"});
}

TEST(ParseCommand, ParsesMpvsCycleValues) {
  const Command cycle = parsed("cycle-values speed 1 1.5 2");
  EXPECT_EQ(cycle.property->name, "speed");
  EXPECT_EQ(cycle.values, (std::vector<PropertyValue>{1.0, 1.5, 2.0}));
  const Command reversed = parsed("cycle-values !reverse legibility 0 0.3");
  EXPECT_EQ(reversed.values, (std::vector<PropertyValue>{0.3, 0.0}));
}

TEST(ParseCommand, ParsesPrefixesAndSeveralCommands) {
  EXPECT_EQ(parsed("no-osd cycle mute").osd, OsdUse::No);
  EXPECT_EQ(parsed("async osd-msg seek 5").osd, OsdUse::Yes);
  EXPECT_EQ(parsed("repeatable seek 5").osd, OsdUse::Auto);
  const std::vector<Command> several =
      *parse_commands("set pause yes; show-text \"A; b # c\" 500 ;seek 5 # d");
  ASSERT_EQ(several.size(), 3U);
  EXPECT_EQ(several[0].property->name, "pause");
  EXPECT_EQ(several[1].text, "A; b # c");
  EXPECT_EQ(several[1].value, 0.5);
  EXPECT_EQ(several[2].value, 5);
  EXPECT_EQ(parsed("show-text 'it\\n'").text, "it\\n");
  EXPECT_EQ(parsed("show-text \"a \\\"b\\\"\"").text, "a \"b\"");
}

TEST(ChangedValue, MeansWhatItMeansInMpv) {
  const PropertyDomain volume = {.kind = PropertyKind::Number, .min = 0, .max = 130};
  const auto changed = [&](PropertyValue now, PropertyAction action, double amount) {
    return changed_value(volume, now, action, amount);
  };
  EXPECT_EQ(changed(50.0, PropertyAction::Add, -2), PropertyValue(48.0));
  EXPECT_EQ(changed(129.0, PropertyAction::Add, 5), PropertyValue(130.0));
  EXPECT_EQ(changed(50.0, PropertyAction::Multiply, 0.5), PropertyValue(25.0));
  EXPECT_EQ(changed(130.0, PropertyAction::Cycle, 1), PropertyValue(0.0));
  EXPECT_EQ(changed(0.0, PropertyAction::Cycle, -1), PropertyValue(130.0));
  const PropertyDomain flag = {.kind = PropertyKind::Flag};
  EXPECT_EQ(changed_value(flag, true, PropertyAction::Cycle, 1), PropertyValue(false));
  EXPECT_EQ(changed_value(flag, false, PropertyAction::Add, 1), PropertyValue(true));
  EXPECT_EQ(changed_value(flag, true, PropertyAction::Add, -1), PropertyValue(false));
}

TEST(Converted, GivesThePropertysType) {
  const auto value = [](std::string_view name, const PropertyValue& from) {
    return *converted(*find_property(name), from);
  };
  EXPECT_EQ(value("pause", "yes"), PropertyValue(true));
  EXPECT_EQ(value("volume", "500"), PropertyValue(130.0));
  EXPECT_EQ(value("osd-level", 1.6), PropertyValue(2.0));
  EXPECT_EQ(value("legibility", 0.3), PropertyValue(0.3));
  EXPECT_EQ(value("invert", true), PropertyValue(true));
  EXPECT_EQ(value("contrast", 5.0), PropertyValue(5.0));
  EXPECT_EQ(converted(*find_property("pause"), 1.5).error().message, "pause takes yes or no, not 1.5.");
  EXPECT_EQ(converted(*find_property("volume"), true).error().message, "volume takes a number, not yes.");
}

TEST(CommandTable, NamesAreUniqueAndDefaultsParse) {
  std::set<std::string_view> names;
  for (const CommandSpec& spec : command_table()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_TRUE(spec.help.ends_with('.')) << spec.name;
  }
  for (const PropertySpec& spec : property_table()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_EQ(spec.help.empty(), spec.picture.has_value()) << spec.name;
    if (spec.picture) {
      EXPECT_EQ(spec.name, picture_name(*spec.picture));
    }
  }
  for (const DefaultKeys& built_in : default_keys()) {
    EXPECT_TRUE(parse_commands(built_in.command)) << built_in.command;
    EXPECT_FALSE(built_in.help.empty()) << built_in.command;
  }
}

TEST(CommandHelp, NamesArgumentsAndValues) {
  const auto find = [](const std::vector<HelpEntry>& entries, std::string_view keys) {
    return std::ranges::find(entries, keys, &HelpEntry::keys)->does;
  };
  EXPECT_NE(find(command_help(), "cycle-values [!reverse] PROPERTY VALUE..."), "");
  EXPECT_EQ(find(property_help(), "volume"), "Perceived loudness in percent (0 to 130).");
  EXPECT_EQ(find(property_help(), "duration"), "Length of the input in seconds (read-only).");
  EXPECT_EQ(find(property_help(), "fit"), "The same as the option --fit (contain, cover or stretch).");
}

TEST(ParseCommand, ErrorsNameCause) {
  const auto refused = [](std::string_view text) { return parse_commands(text).error().message; };
  EXPECT_EQ(refused(""), "There is no command; name one, such as 'quit'.");
  EXPECT_EQ(refused("seek"), "\"seek\": seek needs a number, as in \"seek -5\".");
  EXPECT_EQ(refused("seek far"), "\"seek far\": seek needs a number, as in \"seek -5\".");
  EXPECT_EQ(
      refused("seek 5 quickly"),
      "\"seek 5 quickly\": seek has no flag \"quickly\"; its flags are relative, absolute, absolute-percent, "
      "keyframes and exact.");
  EXPECT_EQ(refused("dance"), "\"dance\": there is no command dance; the manual page lists the commands.");
  EXPECT_EQ(refused("shw-text hi"), "\"shw-text hi\": there is no command shw-text; did you mean show-text?");
  EXPECT_EQ(refused("quit now"), "\"quit now\": quit has no arguments; remove the words after it.");
  EXPECT_EQ(refused("cycle"), "\"cycle\": cycle needs the name of a property, as in \"cycle pause\".");
  EXPECT_EQ(refused("cycle moon"),
            "\"cycle moon\": there is no property moon; the manual page lists the properties.");
  EXPECT_EQ(refused("cycle font"),
            "\"cycle font\": cycle works only with numbers, flags and choices; use \"set\" or "
            "\"cycle-values\" with font.");
  EXPECT_EQ(refused("cycle pause 2"),
            "\"cycle pause 2\": after the property, cycle takes \"up\" or \"down\", not \"2\".");
  EXPECT_EQ(
      refused("multiply pause 2"),
      "\"multiply pause 2\": multiply works only with numbers; use \"set\" or \"cycle-values\" with pause.");
  EXPECT_EQ(refused("add duration 1"), "\"add duration 1\": duration cannot be changed.");
  EXPECT_EQ(refused("set volume"),
            "\"set volume\": set needs a value after the property, as in \"set speed 1\".");
  EXPECT_EQ(refused("set volume loud"), "\"set volume loud\": volume takes a number, not loud.");
  EXPECT_EQ(refused("set effect snow"),
            "\"set effect snow\": effect takes none, rain, tube, glitch or ripple.");
  EXPECT_EQ(refused("add volume loud"),
            "\"add volume loud\": loud is not a number; write one, as in \"add volume 2\".");
  EXPECT_EQ(refused("add volume nan"),
            "\"add volume nan\": nan is not a number; write one, as in \"add volume 2\".");
  EXPECT_EQ(refused("show-text \"open"), "\"show-text \"open\": add the missing closing \".");
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
  EXPECT_TRUE(bindings
                  .add("# my keys\r\n\nLEFT seek -10 exact  # further\r\n# cycle mute\nF1 cycle help\n"
                       "q ignore\nk cycle pause; show-text ${pause}",
                       "input.conf")
                  .empty());
  EXPECT_EQ(bindings.find("LEFT")->front().value, -10);
  EXPECT_TRUE(bindings.find("LEFT")->front().exact);
  EXPECT_EQ(bindings.find("#")->front().property->name, "mute");
  EXPECT_EQ(bindings.find("F1")->front().property->name, "help");
  EXPECT_EQ(bindings.find("q")->front().spec->name, "ignore");
  EXPECT_EQ(bindings.find("k")->size(), 2U);
  EXPECT_EQ(bindings.find("RIGHT")->front().value, 5);
}

TEST(Bindings, InvalidLinesAreReportedAndIgnored) {
  Bindings bindings;
  EXPECT_EQ(bindings.add("LEFT seek -10\nRIGHT fly\n\nUP\nDOWN seek -20\n", "input.conf"),
            (std::vector<std::string>{
                "input.conf, line 2: \"fly\": there is no command fly; the manual page lists the commands.",
                "input.conf, line 4: There is no command; name one, such as 'quit'."}));
  EXPECT_EQ(bindings.find("LEFT")->front().value, -10);
  EXPECT_EQ(bindings.find("RIGHT")->front().value, 5) << "the built-in binding remains";
  EXPECT_EQ(bindings.find("DOWN")->front().value, -20);
}

TEST(Bindings, HelpShowsCurrentKeys) {
  Bindings bindings;
  ASSERT_TRUE(bindings.add("SPACE ignore\nF1 cycle pause\nF2 seek 30 # far", "input.conf").empty());
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
}  // namespace glyphreel::player::bindings_test
