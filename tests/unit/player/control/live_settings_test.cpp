#include "player/control/live_settings.h"

#include <gtest/gtest.h>

#include "player/control/bindings.h"

#include <filesystem>
#include <fstream>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

namespace glyphreel::player::live_settings_test {
namespace {

/// A player's LiveSettings, with a way to wait for new glyphs.
struct Player {
  CellSize window_cell{8, 16};
  std::vector<std::string> messages;
  std::counting_semaphore<> loaded{0};
  std::unique_ptr<LiveSettings> live;

  explicit Player(const cli::Settings& settings = {}) {
    auto made =
        LiveSettings::make({.initial = settings,
                            .cell_for = [this](const cli::Settings&) { return window_cell; },
                            .on_loaded = [this] { loaded.release(); },
                            .announce = [this](const std::string& text) { messages.push_back(text); }});
    CHECK(static_cast<bool>(made), made.error().message);
    live = *std::move(made);
  }
  ~Player() { live.reset(); }  // first, because the thread of `live` uses the other members
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void press(std::string_view key) {
    live->press(Bindings().find(key)->front().picture_step().value(), window_cell);
  }
  /// Waits for glyphs that poll() accepts.
  void wait() {
    do {
      loaded.acquire();
    } while (!live->poll());
  }
};

TEST(LiveSettings, StartWithRequestedSettings) {
  cli::Settings settings;
  settings.glyphs.charset = " xyz";
  const Player player(settings);
  EXPECT_EQ(player.live->glyphs().setup.glyphs->size(), 4);
  EXPECT_EQ(player.live->wanted(), settings);
  EXPECT_FALSE(player.live->poll());
  EXPECT_TRUE(player.messages.empty());
}

TEST(LiveSettings, InvalidCharsetIsUsageError) {
  cli::Settings settings;
  settings.glyphs.charset = "no-such-set";
  const auto made = LiveSettings::make({.initial = settings,
                                        .cell_for =
                                            [](const cli::Settings&) {
                                              return CellSize{8, 16};
                                            },
                                        .on_loaded = [] {},
                                        .announce = [](const std::string&) {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::Usage);
}

TEST(LiveSettings, KeepOldGlyphsUntilNewAreReady) {
  Player player;
  const auto old = player.live->glyphs().setup.glyphs;
  player.press("h");
  EXPECT_EQ(player.live->glyphs().setup.glyphs, old);
  EXPECT_EQ(player.live->wanted().glyphs.charset, "latin");
  player.wait();
  EXPECT_EQ(player.live->glyphs().settings.glyphs.charset, "latin");
  EXPECT_GT(player.live->glyphs().setup.glyphs->size(), 95);
  EXPECT_EQ(player.messages, std::vector<std::string>{"charset: latin"});
}

TEST(LiveSettings, NewestRequestWins) {
  Player player;
  for (int i = 0; i < 3; ++i) player.press("h");
  while (player.live->glyphs().settings.glyphs.charset != "braille") player.wait();
  EXPECT_EQ(player.live->glyphs().setup.glyphs->size(), 256);
  EXPECT_FALSE(player.live->poll()) << "no result of an older request may follow";
}

TEST(LiveSettings, ColorChangeKeepsGlyphs) {
  Player player;
  player.press("h");
  player.wait();
  const LoadedGlyphs before = player.live->glyphs();
  player.press("c");
  player.wait();
  EXPECT_EQ(player.live->glyphs().setup.glyphs, before.setup.glyphs);
  EXPECT_NE(player.live->glyphs().setup.tables, before.setup.tables);
  EXPECT_FALSE(player.live->glyphs().setup.mapping.palette.empty()) << "the palette must be that of ansi256";
}

TEST(LiveSettings, ToneAppliesImmediately) {
  Player player;
  player.press("2");
  EXPECT_EQ(player.live->frame_options().adjustments.contrast, 1);
}

TEST(LiveSettings, ToneChangedMeanwhileIsKept) {
  Player player;
  player.press("g");
  player.press("4");
  player.wait();
  EXPECT_EQ(player.live->setup({80, 25}).mapping.mode, Mode::Edge);
  EXPECT_EQ(player.live->frame_options().adjustments.brightness, 1);
}

TEST(LiveSettings, EffectAppliesImmediatelyAndPersists) {
  Player player;
  player.press("e");
  EXPECT_EQ(player.live->frame_options().effect, Effect::Rain);
  player.press("g");
  EXPECT_TRUE(player.live->set(PictureProperty::Effect, "tube"));
  player.wait();
  EXPECT_EQ(player.live->frame_options().effect, Effect::Tube);
  EXPECT_EQ(player.messages.back(), "effect: tube");
}

TEST(LiveSettings, PaletteIsReadAndRemoved) {
  const std::string path = testing::TempDir() + "glyphreel-live-palette-test.txt";
  std::ofstream(path) << "#000000\n#FF8000\n";
  Player player;
  ASSERT_TRUE(player.live->set(PictureProperty::Palette, path));
  player.wait();
  EXPECT_EQ(player.live->glyphs().setup.mapping.palette, (std::vector<std::uint32_t>{0x000000, 0xFF8000}));
  EXPECT_EQ(player.live->wanted().picture.palette.size(), 2U);
  ASSERT_TRUE(player.live->set(PictureProperty::Palette, "no"));
  player.wait();
  EXPECT_TRUE(player.live->glyphs().setup.mapping.palette.empty());
  std::filesystem::remove(path);
  const Result<void> missing = player.live->set(PictureProperty::Palette, path);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find(path), std::string::npos) << missing.error().message;
  EXPECT_EQ(player.live->wanted().picture.palette_file, "")
      << "a palette that cannot be read changes nothing";
}

TEST(LiveSettings, UnknownNamesAreRefusedAtOnce) {
  Player player;
  const cli::Settings before = player.live->wanted();
  for (const auto& [property, value] :
       {std::pair(PictureProperty::Charset, "no-such-set"), std::pair(PictureProperty::Charset, "Blocks"),
        std::pair(PictureProperty::Font, "nosuchfont"), std::pair(PictureProperty::Palette, "nosuchpalette"),
        std::pair(PictureProperty::Palette, "auto:1")}) {
    const Result<void> set = player.live->set(property, value);
    ASSERT_FALSE(set) << value;
    EXPECT_EQ(set.error().code, ErrorCode::Usage) << value;
  }
  EXPECT_EQ(player.live->wanted(), before);
  EXPECT_TRUE(player.messages.empty()) << player.messages.back();
}

TEST(LiveSettings, MappingSettingsReachTheSetup) {
  Player player;
  ASSERT_TRUE(player.live->set(PictureProperty::Legibility, "0.3"));
  ASSERT_TRUE(player.live->set(PictureProperty::Stability, "0"));
  ASSERT_TRUE(player.live->set(PictureProperty::Fit, "cover"));
  ASSERT_TRUE(player.live->set(PictureProperty::Invert, "yes"));
  EXPECT_TRUE(player.live->frame_options().adjustments.inverted);
  while (player.live->glyphs().settings.layout.fit != Fit::Cover) player.wait();
  EXPECT_EQ(player.live->setup({80, 25}).mapping.legibility, 0.3);
  EXPECT_EQ(player.live->setup({80, 25}).mapping.stability, 0);
  EXPECT_EQ(player.live->setup({80, 25}).fit, Fit::Cover);
}

TEST(LiveSettings, SetupsIncludeTables) {
  Player player;
  const render::RenderSetup setup = player.live->setup({80, 25});
  EXPECT_EQ(setup.grid, (GridSize{80, 25}));
  EXPECT_EQ(setup.glyphs, player.live->glyphs().setup.glyphs);
  ASSERT_TRUE(setup.tables);
  EXPECT_EQ(setup.tables, player.live->glyphs().setup.tables);
}

TEST(LiveSettings, CellsFollowWindow) {
  Player player;
  player.live->sync_cell();
  player.window_cell = {10, 20};
  player.live->sync_cell();
  player.live->sync_cell();
  EXPECT_EQ(player.live->glyphs().setup.glyphs->cell(), (CellSize{8, 16}));
  player.wait();
  EXPECT_EQ(player.live->glyphs().setup.glyphs->cell(), (CellSize{10, 20}));
  EXPECT_FALSE(player.loaded.try_acquire()) << "glyphs must be loaded only once";
}

/// Settings with a charset file, which vanish() deletes.
struct VanishingCharset {
  std::string path = testing::TempDir() + "glyphreel-live-settings-test.txt";
  cli::Settings settings;
  VanishingCharset() {
    std::ofstream(path) << " .oO";
    settings.glyphs.charset = "@" + path;
  }
  void vanish() const { std::filesystem::remove(path); }
};

TEST(LiveSettings, FailedRequestKeepsOldGlyphs) {
  const VanishingCharset charset;
  Player player(charset.settings);
  charset.vanish();
  player.press("2");
  player.press("+");
  player.press("2");
  player.window_cell = {10, 20};
  player.live->sync_cell();
  // The key + and sync_cell() request glyphs. The second request fails, then the first one.
  while (player.messages.size() < 5) {
    player.loaded.acquire();
    EXPECT_FALSE(player.live->poll());
  }
  EXPECT_EQ(player.live->wanted().layout.cell, (CellSize{8, 16})) << "the key + must not change the cell";
  EXPECT_EQ(player.live->wanted().picture.contrast, 2) << "contrast needs no new glyphs";
  EXPECT_EQ(player.live->glyphs().setup.glyphs->size(), 4);
  EXPECT_NE(player.messages.back().find(charset.path), std::string::npos) << player.messages.back();
}

/// A character that no font has: a noncharacter of Unicode.
constexpr const char* Unassigned = "\U0010FFFF";

TEST(LiveSettings, OnlyTheGlyphsOfAFailedRequestAreUndone) {
  Player player;
  ASSERT_TRUE(player.live->set(PictureProperty::Charset, " xyz"));
  ASSERT_TRUE(player.live->set(PictureProperty::Stability, "0.25"));
  ASSERT_TRUE(player.live->set(PictureProperty::Charset, Unassigned));
  ASSERT_TRUE(player.live->set(PictureProperty::Legibility, "0.75"));
  player.wait();
  EXPECT_EQ(player.live->glyphs().setup.glyphs->size(), 4);
  EXPECT_EQ(player.live->glyphs().settings.picture.stability, 0.25);
  EXPECT_EQ(player.live->glyphs().settings.picture.legibility, 0.75) << "a later change is kept";
  EXPECT_EQ(player.live->wanted(), player.live->glyphs().settings);
  EXPECT_NE(player.messages.back().find("10FFFF"), std::string::npos) << player.messages.back();
}

TEST(LiveSettings, FailingCharsetIsSkipped) {
  const VanishingCharset charset;
  Player player(charset.settings);
  for (int i = 1; i < charset_count(charset.settings); ++i) player.press("h");
  EXPECT_EQ(player.live->wanted().glyphs.charset, "cjk");
  while (player.live->glyphs().settings.glyphs.charset != "cjk") player.wait();
  charset.vanish();
  player.press("h");
  EXPECT_EQ(player.live->wanted().glyphs.charset, charset.settings.glyphs.charset);
  player.wait();
  EXPECT_EQ(player.live->glyphs().settings.glyphs.charset, "ascii");
  EXPECT_NE(player.messages.back().find("charset: ascii; "), std::string::npos) << player.messages.back();
}

TEST(LiveSettings, CharsetThatIsSetIsNotSkipped) {
  Player player;
  ASSERT_TRUE(player.live->set(PictureProperty::Charset, Unassigned));
  player.loaded.acquire();
  EXPECT_FALSE(player.live->poll());
  EXPECT_EQ(player.live->wanted().glyphs.charset, "ascii") << "the previous charset, not the next one";
  EXPECT_NE(player.messages.back().find("10FFFF"), std::string::npos) << player.messages.back();
}

}  // namespace
}  // namespace glyphreel::player::live_settings_test
