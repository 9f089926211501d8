#include "player/control/picture_settings.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "player/control/bindings.h"

namespace glyphreel::player::picture_settings_test {
namespace {

/// Settings of a player, which the tests change with keys and commands.
struct SettingsFixture {
  cli::Settings initial;
  cli::Settings now;
  std::optional<CellSize> shown = CellSize{8, 16};

  explicit SettingsFixture(const cli::Settings& settings = {}) : initial(settings), now(settings) {}
  PictureChange press(std::string_view key) {
    return apply_step(now, Bindings().find(key)->front().picture_step().value(), initial, shown);
  }
  std::string run(std::string_view command) {
    return apply_step(now, parse_commands(command)->front().picture_step().value(), initial, shown).message;
  }
  std::vector<std::string> messages(std::string_view key, int times) {
    std::vector<std::string> all;
    for (int i = 0; i < times; ++i) all.push_back(press(key).message);
    return all;
  }
};

using Messages = std::vector<std::string>;

TEST(CommandPictureStep, IsEmptyForOtherCommands) {
  const Bindings bindings;
  for (const char* key : {"q", "SPACE", "f", "ESC", "x", "9", "UP"}) {
    EXPECT_FALSE(bindings.find(key)->front().picture_step().has_value()) << key;
  }
  EXPECT_EQ(bindings.find("g")->front().picture_step()->property, PictureProperty::Mode);
  const PictureStep smaller = bindings.find("-")->front().picture_step().value();
  EXPECT_EQ(smaller.property, PictureProperty::Cell);
  EXPECT_EQ(smaller.amount, -1);
  EXPECT_FALSE(parse_commands("set contrast 5")->front().picture_step().has_value());
}

TEST(ApplyStep, CyclesModes) {
  SettingsFixture fixture;
  EXPECT_TRUE(fixture.press("g").needs_glyphs);
  EXPECT_EQ(fixture.now.glyphs.mode, Mode::Edge);
  EXPECT_EQ(fixture.messages("g", 3), (Messages{"mode: ramp", "mode: shape", "mode: edge"}));
}

TEST(ApplyStep, CyclesColors) {
  SettingsFixture fixture;
  EXPECT_TRUE(fixture.press("c").needs_glyphs);
  EXPECT_EQ(fixture.now.picture.color, cli::ColorChoice::Ansi256);
  EXPECT_EQ(fixture.messages("c", 6), (Messages{"color: ansi16", "color: mono", "color: mono, reverse",
                                                "color: fg", "color: full", "color: ansi256"}));
  while (fixture.now.picture.color != cli::ColorChoice::Mono) fixture.press("c");
  EXPECT_EQ(fixture.now.picture.reverse, Reverse::Never);
  fixture.press("c");
  EXPECT_EQ(fixture.now.picture.reverse, Reverse::PerCell);
  fixture.press("c");
  EXPECT_EQ(fixture.now.picture.reverse, Reverse::Never) << "fg has no reverse video";
}

TEST(ApplyStep, CyclesCharsets) {
  SettingsFixture fixture;
  const Messages all = {"charset: latin", "charset: blocks", "charset: braille", "charset: symbols",
                        "charset: kana",  "charset: cjk",    "charset: ascii"};
  EXPECT_EQ(static_cast<int>(all.size()), charset_count(fixture.initial));
  EXPECT_EQ(fixture.messages("h", 7), all);
  EXPECT_EQ(fixture.messages("h", 7), all);
  EXPECT_TRUE(fixture.press("h").needs_glyphs);
}

TEST(ApplyStep, CyclesEffects) {
  SettingsFixture fixture;
  EXPECT_FALSE(fixture.press("e").needs_glyphs);
  EXPECT_EQ(fixture.now.picture.effect, Effect::Rain);
  EXPECT_EQ(fixture.messages("e", 5),
            (Messages{"effect: tube", "effect: glitch", "effect: ripple", "effect: none", "effect: rain"}));
}

TEST(ApplyStep, ActionsMeanWhatTheyMeanInMpv) {
  cli::Settings settings;
  settings.picture.contrast = 20;
  settings.picture.legibility = 0.5;
  SettingsFixture fixture(settings);
  EXPECT_EQ(fixture.run("multiply contrast 0.5"), "contrast: 10");
  EXPECT_EQ(fixture.run("add contrast 0.1"), "contrast: 10") << "contrast has whole numbers";
  EXPECT_EQ(fixture.run("add contrast 25"), "contrast: 35");
  EXPECT_EQ(fixture.run("multiply contrast 9"), "contrast: 100");
  EXPECT_EQ(fixture.run("cycle contrast"), "contrast: -100") << "cycle wraps around";
  EXPECT_EQ(fixture.run("cycle contrast down"), "contrast: 100");
  EXPECT_EQ(fixture.run("add legibility 0.1"), "legibility: 0.6");
  EXPECT_EQ(fixture.run("add legibility -3"), "legibility: 0");
  EXPECT_EQ(fixture.run("add legibility -1"), "legibility: 0 (minimum)");
  EXPECT_EQ(fixture.run("multiply stability 0.5"), "stability: 0.25");
  EXPECT_EQ(fixture.run("cycle dither down"), "dither: blue");
  EXPECT_EQ(fixture.run("add dither 1"), "dither: blue") << "add stops at the end";
  EXPECT_EQ(fixture.run("cycle fit"), "fit: cover");
  EXPECT_EQ(fixture.run("cycle invert"), "invert: yes");
  EXPECT_EQ(fixture.run("cycle auto-levels"), "auto-levels: no");
  EXPECT_EQ(fixture.run("cycle reverse"), "reverse: auto");
  EXPECT_EQ(fixture.run("cycle mode down"), "mode: ramp");
  EXPECT_EQ(fixture.run("cycle charset down"), "charset: cjk");
  EXPECT_EQ(fixture.run("cycle cell down"), "cell: 7x14");
  EXPECT_EQ(fixture.run("multiply cell 2"), "cell: 14x28");
  EXPECT_EQ(fixture.run("add cell 2"), "cell: 20x40");
}

TEST(PictureValue, IsTheOptionsValue) {
  cli::Settings settings;
  for (std::size_t i = 0; i < PictureProperties; ++i) {
    const auto property = static_cast<PictureProperty>(i);
    const std::string value = text_of(picture_value(settings, property));
    EXPECT_TRUE(set_value(settings, property, value)) << picture_name(property) << " " << value;
    if (property == PictureProperty::Legibility)
      settings.picture.legibility.reset();  // by default it is not set, which means automatic
    EXPECT_EQ(settings, cli::Settings()) << picture_name(property);
  }
}

TEST(SetValue, AcceptsOptionValues) {
  cli::Settings settings;
  settings.layout.grid = GridSize{80, 25};
  settings.glyphs.ramp = " .oO";
  Messages messages;
  const auto set = [&](PictureProperty property, std::string_view value) {
    const Result<PictureChange> change = set_value(settings, property, value);
    EXPECT_TRUE(change) << change.error().message;
    if (!change) return false;
    messages.push_back(change->message);
    return change->needs_glyphs;
  };
  EXPECT_FALSE(set(PictureProperty::Effect, "glitch"));
  EXPECT_EQ(settings.picture.effect, Effect::Glitch);
  EXPECT_TRUE(set(PictureProperty::Mode, "ramp"));
  EXPECT_EQ(settings.glyphs.mode, Mode::Ramp);
  EXPECT_TRUE(set(PictureProperty::Color, "ansi16"));
  EXPECT_EQ(settings.picture.color, cli::ColorChoice::Ansi16);
  EXPECT_TRUE(set(PictureProperty::Charset, "braille"));
  EXPECT_EQ(settings.glyphs.charset, "braille");
  EXPECT_EQ(settings.glyphs.ramp, "") << "a custom ramp would replace the charset";
  EXPECT_TRUE(set(PictureProperty::Cell, "10x20"));
  EXPECT_EQ(settings.layout.cell, (CellSize{10, 20}));
  EXPECT_FALSE(settings.layout.grid) << "the grid follows from the cell size";
  EXPECT_FALSE(set(PictureProperty::Contrast, "-25"));
  EXPECT_EQ(settings.picture.contrast, -25);
  EXPECT_FALSE(set(PictureProperty::Invert, "yes"));
  EXPECT_TRUE(settings.picture.inverted);
  EXPECT_TRUE(set(PictureProperty::Palette, "my.gpl"));
  EXPECT_EQ(settings.picture.color, cli::ColorChoice::Full) << "ansi16 would hide the palette";
  EXPECT_EQ(messages, (Messages{"effect: glitch", "mode: ramp", "color: ansi16", "charset: braille",
                                "cell: 10x20", "contrast: -25", "invert: yes", "palette: my.gpl"}));
}

TEST(SetValue, RejectsInvalidValues) {
  cli::Settings settings;
  const auto refused = [&](PictureProperty property, std::string_view value) {
    const Result<PictureChange> change = set_value(settings, property, value);
    return change ? "" : change.error().message;
  };
  EXPECT_EQ(refused(PictureProperty::Effect, "snow").find("effect takes "), 0U);
  EXPECT_EQ(refused(PictureProperty::Mode, "shapes").find("mode takes "), 0U);
  EXPECT_EQ(refused(PictureProperty::Contrast, "101").find("contrast takes "), 0U);
  EXPECT_EQ(refused(PictureProperty::Cell, "8").find("cell takes "), 0U);
  EXPECT_EQ(settings.picture.contrast, 0);
  EXPECT_EQ(settings.glyphs.mode, cli::Settings{}.glyphs.mode);
}

TEST(ApplyStep, IncludesCustomCharset) {
  cli::Settings settings;
  settings.glyphs.charset = " .oO";
  SettingsFixture fixture(settings);
  EXPECT_EQ(charset_count(settings), 8);
  EXPECT_EQ(fixture.press("h").message, "charset: ascii");
  fixture.messages("h", 6);
  EXPECT_EQ(fixture.press("h").message, "charset: custom");
  EXPECT_EQ(fixture.now, settings);
}

TEST(ApplyStep, IncludesCustomRamp) {
  cli::Settings settings;
  settings.glyphs.mode = Mode::Ramp;
  settings.glyphs.ramp = " 1728";
  settings.glyphs.thresholds = {52, 103, 154, 215};
  SettingsFixture fixture(settings);
  EXPECT_EQ(fixture.press("h").message, "charset: ascii");
  EXPECT_TRUE(fixture.now.glyphs.ramp.empty());
  EXPECT_TRUE(fixture.now.glyphs.thresholds.empty());
  fixture.messages("h", 6);
  EXPECT_EQ(fixture.now.glyphs.charset, "cjk");
  EXPECT_EQ(fixture.press("h").message, "ramp:  1728");
  EXPECT_EQ(fixture.now, settings);

  // In another mode the custom ramp is inactive. Returning to ramp mode restores it.
  fixture.press("g");
  EXPECT_EQ(fixture.press("h").message, "charset: latin");
  EXPECT_EQ(fixture.now.glyphs.ramp, settings.glyphs.ramp);
}

TEST(ApplyStep, StepsTone) {
  SettingsFixture fixture;
  for (const char* key : {"2", "2", "1", "4", "3", "3", "6", "6", "7"}) {
    EXPECT_FALSE(fixture.press(key).needs_glyphs) << key;
  }
  EXPECT_EQ(fixture.now.picture.contrast, 1);
  EXPECT_EQ(fixture.now.picture.brightness, -1);
  EXPECT_EQ(fixture.now.picture.gamma, 2);
  EXPECT_EQ(fixture.now.picture.saturation, -1);
  EXPECT_EQ(fixture.press("8").message, "saturation: 0");
  EXPECT_EQ(fixture.press("5").message, "gamma: 1");
}

TEST(ApplyStep, ClampsTone) {
  cli::Settings settings;
  settings.picture.contrast = 99;
  settings.picture.brightness = -100;
  SettingsFixture fixture(settings);
  EXPECT_EQ(fixture.messages("2", 2), (Messages{"contrast: 100", "contrast: 100 (maximum)"}));
  const PictureChange effect = fixture.press("3");
  EXPECT_FALSE(effect.needs_glyphs);
  EXPECT_EQ(effect.message, "brightness: -100 (minimum)");
}

TEST(ApplyStep, StepsCellSize) {
  SettingsFixture fixture;
  const PictureChange effect = fixture.press("+");
  EXPECT_TRUE(effect.needs_glyphs);
  EXPECT_EQ(effect.message, "cell: 10x20");
  EXPECT_EQ(fixture.messages("-", 6), (Messages{"cell: 8x16", "cell: 7x14", "cell: 6x12", "cell: 5x10",
                                                "cell: 4x8", "cell: 4 pixels wide (the smallest)"}));
  EXPECT_FALSE(fixture.press("-").needs_glyphs);
  EXPECT_EQ(fixture.press("=").message, "cell: 5x10");
  std::set<std::string> sizes;
  while (fixture.press("+").needs_glyphs) sizes.insert(std::to_string(fixture.now.layout.cell.width));
  EXPECT_EQ(fixture.now.layout.cell, (CellSize{64, 128}));
  EXPECT_EQ(sizes.size(), 12u) << "cell widths from 6 to 64 pixels";
  EXPECT_EQ(fixture.press("+").message, "cell: 64 pixels wide (the largest)");
  fixture.now.layout.cell = {8, 16};
  EXPECT_EQ(fixture.run("multiply cell 1.01"), "cell: 8 pixels wide");
}

TEST(ApplyStep, KeepsRequestedCellShape) {
  cli::Settings settings;
  settings.layout.cell = {9, 9};
  SettingsFixture fixture(settings);
  EXPECT_EQ(fixture.press("+").message, "cell: 10x10");
  EXPECT_EQ(fixture.press("-").message, "cell: 8x8");
  settings.layout.cell = {2, 255};
  SettingsFixture tall(settings);
  EXPECT_EQ(tall.press("+").message, "cell: 4x255") << "maximum cell height";
  EXPECT_FALSE(tall.press("-").needs_glyphs);
}

TEST(ApplyStep, CellChangeEndsFixedGrid) {
  cli::Settings settings;
  settings.layout.grid = GridSize{80, 23};
  SettingsFixture fixture(settings);
  fixture.shown = CellSize{16, 32};
  EXPECT_EQ(fixture.press("-").message, "cell: 14x28") << "relative to the cells on screen";
  EXPECT_FALSE(fixture.now.layout.grid);
}

TEST(ApplyStep, TerminalCellsAreFixed) {
  SettingsFixture fixture;
  fixture.shown.reset();
  for (const char* key : {"+", "-"}) {
    const PictureChange effect = fixture.press(key);
    EXPECT_FALSE(effect.needs_glyphs);
    EXPECT_EQ(effect.message, "cell: set by the terminal's font size");
    EXPECT_EQ(fixture.now, fixture.initial);
  }
}

}  // namespace
}  // namespace glyphreel::player::picture_settings_test
