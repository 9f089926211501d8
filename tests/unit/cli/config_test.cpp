#include "cli/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../../temporary_files.h"
#include "cli/parse.h"

namespace glyphreel::cli::config_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Parses command lines with a config.toml in a temporary folder.
class ConfigFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return temporary_.file("config.toml"); }

  Result<std::variant<Settings, EarlyExit>> parse_beside(std::string_view text,
                                                         std::vector<std::string> words) {
    std::ofstream(path()) << text;
    words.insert(words.begin(), "glyphreel");
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    return parse(static_cast<int>(argv.size()), argv.data(), {.config_file = path(), .player = {}});
  }
  Settings settings_of(std::string_view text, std::vector<std::string> words = {}) {
    const auto result = parse_beside(text, std::move(words));
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return {};
    }
    return std::get<Settings>(*result);
  }
  /// Returns the message of the usage error, with the file's path replaced by FILE.
  std::string error_of(std::string_view text, std::vector<std::string> words = {}) {
    const auto result = parse_beside(text, std::move(words));
    if (result) {
      ADD_FAILURE() << "the settings were accepted";
      return "";
    }
    EXPECT_EQ(result.error().code, ErrorCode::Usage);
    std::string message = result.error().message;
    for (std::size_t at = message.find(path()); at != std::string::npos; at = message.find(path())) {
      message.replace(at, path().size(), "FILE");
    }
    return message;
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

TEST_F(ConfigFile, AcceptsEveryOptionKind) {
  const Settings settings = settings_of(R"(
    # what I like
    volume = 80
    speed = 1.5
    audio-delay = -0.25
    contrast = -10
    fs = true
    mute = false
    auto-levels = false
    audio = "no"
    grid = "160x45"
    fg = "lime"
    bg = 0x001020
    start = 00:01:30
    mode = "ramp"
    ramp = " .#"
    thresholds = [100, 200]
  )");
  EXPECT_EQ(settings.audio.volume, 80);
  EXPECT_EQ(settings.playback.speed, 1.5);
  EXPECT_EQ(settings.audio.delay, -0.25);
  EXPECT_EQ(settings.picture.contrast, -10);
  EXPECT_TRUE(settings.window.fullscreen);
  EXPECT_FALSE(settings.audio.muted);
  EXPECT_FALSE(settings.picture.auto_levels);
  EXPECT_FALSE(settings.audio.enabled);
  EXPECT_EQ(settings.layout.grid, (GridSize{160, 45}));
  EXPECT_EQ(settings.picture.foreground, 0x00FF00U);
  EXPECT_EQ(settings.picture.background, 0x001020U);
  EXPECT_EQ(settings.playback.start, (TimePosition{90}));
  EXPECT_EQ(settings.glyphs.mode, Mode::Ramp);
  EXPECT_EQ(settings.glyphs.ramp, " .#");
  EXPECT_THAT(settings.glyphs.thresholds, ElementsAre(100, 200));
}

TEST_F(ConfigFile, EmptyOrMissingIsNoError) {
  EXPECT_EQ(settings_of(""), Settings{});
  std::filesystem::remove(path());
  const char* argv[] = {"glyphreel"};
  const auto result = parse(1, argv, {.config_file = path(), .player = {}});
  ASSERT_TRUE(result);
  EXPECT_EQ(std::get<Settings>(*result), Settings{});
}

TEST_F(ConfigFile, CommandLineOverridesProfileOverridesFile) {
  constexpr std::string_view Text = R"(
    volume = 80
    speed = 2
    contrast = 5
    [profiles.quiet]
    volume = 20
    speed = 0.5
  )";
  EXPECT_EQ(settings_of(Text).audio.volume, 80);
  const Settings settings = settings_of(Text, {"--profile", "quiet", "--speed", "3"});
  EXPECT_EQ(settings.picture.contrast, 5);
  EXPECT_EQ(settings.audio.volume, 20);
  EXPECT_EQ(settings.playback.speed, 3);
}

TEST_F(ConfigFile, ColorDoesNotMakeTextUnreadable) {
  const std::vector<std::string> words = {"record", "a.mkv", "-o", "a.txt"};
  EXPECT_EQ(settings_of("color = \"full\"", words).picture.color, ColorChoice::Mono);
  EXPECT_EQ(settings_of("look = \"c64\"", words).picture.color, ColorChoice::Mono);
}

TEST_F(ConfigFile, LaterProfilesOverrideEarlier) {
  constexpr std::string_view Text = R"(
    [profiles.a]
    volume = 10
    contrast = 10
    [b]
    volume = 20
  )";
  const Settings settings = settings_of(Text, {"--profile", "a,b"});
  EXPECT_EQ(settings.audio.volume, 20);
  EXPECT_EQ(settings.picture.contrast, 10);
  EXPECT_EQ(settings_of(Text, {"--profile", "b,a"}).audio.volume, 10);
}

TEST_F(ConfigFile, ProfileCanUnsetFlag) {
  constexpr std::string_view Text = "fs = true\n[profiles.window]\nfs = false\n";
  EXPECT_TRUE(settings_of(Text).window.fullscreen);
  EXPECT_FALSE(settings_of(Text, {"--profile", "window"}).window.fullscreen);
}

TEST_F(ConfigFile, CommandLineUnsetsFlag) {
  EXPECT_FALSE(settings_of("fs = true", {"--no-fs"}).window.fullscreen);
  EXPECT_FALSE(settings_of("fs = true", {"--fullscreen=no"}).window.fullscreen);
}

TEST_F(ConfigFile, AcceptsOtherSpellings) {
  EXPECT_TRUE(settings_of("fullscreen = true").window.fullscreen);
  EXPECT_EQ(settings_of("hwdec = 'nvdec'").engine.hwdec, choice_of(HwDecodeApi::Cuda));
  EXPECT_EQ(settings_of("chapter = 3").playback.start, (TimePosition{3, TimePosition::Unit::Chapter}));
  EXPECT_EQ(settings_of("loop-file = 2").playback.repeats, 2);
  EXPECT_EQ(settings_of("loop = 'inf'").playback.repeats, PlaybackSettings::RepeatForever);
  EXPECT_EQ(settings_of("loop-file = true").playback.repeats, PlaybackSettings::RepeatForever);
  EXPECT_EQ(settings_of("loop-file = false").playback.repeats, 0);
}

TEST_F(ConfigFile, CommandLineDropsConflictingOptions) {
  EXPECT_EQ(settings_of("quiet = true", {"--verbose"}).report.verbosity, log::Verbosity::Verbose);
  EXPECT_EQ(settings_of("length = 9", {"--end", "5"}).playback.length_seconds, std::nullopt);
  EXPECT_EQ(settings_of("ramp = ' .#'\nthresholds = [9, 99]", {"--mode", "shape"}).glyphs.mode, Mode::Shape);
  EXPECT_EQ(settings_of("ramp = ' .#'", {"--mode", "ramp"}).glyphs.ramp, " .#");
  EXPECT_EQ(settings_of("mode = 'edge'", {"--ramp", " #"}).glyphs.mode, Mode::Ramp);
  EXPECT_EQ(settings_of("color = 'mono'\nreverse = 'auto'", {"--color", "full"}).picture.reverse,
            Reverse::Never);
  EXPECT_EQ(settings_of("palette = 'p.gpl'", {"--color", "mono"}).picture.palette_file, "");
  EXPECT_EQ(settings_of("palette = 'p.gpl'", {"--color", "fg"}).picture.palette_file, "p.gpl");
  EXPECT_EQ(settings_of("renderer = 'gpu'", {"--terminal"}).engine.renderer, RendererChoice::Auto);
  EXPECT_EQ(settings_of("terminal = true", {"--renderer", "gpu"}).window.place, PlayPlace::Auto);
  EXPECT_EQ(settings_of("terminal = true", {"--renderer", "cpu"}).window.place, PlayPlace::Terminal);
  EXPECT_THAT(error_of("quiet = true\nverbose = true"), HasSubstr("cannot be combined"));
}

TEST_F(ConfigFile, OptionsOfOtherVerbsAreIgnored) {
  EXPECT_EQ(settings_of("crf = 20\nvolume = 50", {"info"}).recording.crf, std::nullopt);
  EXPECT_EQ(settings_of("crf = 20\nvolume = 50", {"record", "a.mp4", "-o", "b.mp4"}).recording.crf, 20);
  EXPECT_FALSE(settings_of("charset = 'kana'", {"info"}).glyphs.charset_given);
}

TEST_F(ConfigFile, ErrorsNameFileLineAndSuggestion) {
  EXPECT_EQ(error_of("\nvolumee = 3"), "FILE, line 2: Unknown option 'volumee'; did you mean 'volume'?");
  EXPECT_EQ(error_of("banana = 3"),
            "FILE, line 1: Unknown option 'banana'; 'glyphreel --help' lists the options.");
  EXPECT_EQ(error_of("\n\nvolume = 900"),
            "FILE, line 3: volume takes a percentage from 0 to 130, not '900'.");
  EXPECT_EQ(error_of("fs = 'yes'"), "FILE, line 1: fs takes true or false without quotes, not 'yes'.");
  EXPECT_THAT(error_of("volume = [[1]]"),
              HasSubstr("FILE, line 1: volume takes a percentage from 0 to 130, not a table"));
  EXPECT_THAT(error_of("[profiles.x]\nspeed = 'fast'"), HasSubstr("FILE, line 2: speed takes"));
  EXPECT_THAT(error_of("[profiles]\nspeed = 2"), HasSubstr("FILE, line 2: A profile must be a table"));
  EXPECT_THAT(error_of("output = 'a.mp4'"),
              HasSubstr("FILE, line 1: 'output' works only on the command line"));
  EXPECT_THAT(error_of("cancel = true"), HasSubstr("'cancel' works only on the command line"));
  EXPECT_THAT(error_of("volume = = 3"), HasSubstr("FILE, line 1: This is not valid TOML"));
  EXPECT_THAT(error_of("zebra = 1\naardvark = 1"), HasSubstr("line 1"));
}

TEST_F(ConfigFile, MissingProfileErrorListsProfiles) {
  EXPECT_EQ(error_of("[a]\n[profiles.b]\n", {"--profile", "c"}),
            "FILE has no profile 'c'; choose one of a, b.");
  EXPECT_EQ(error_of("", {"--profile", "c"}), "FILE has no profiles; add a table [profiles.c].");
  EXPECT_EQ(error_of("", {"--profile", "c", "--no-config"}),
            "There is no profile 'c' because no configuration file was read; use --config.");
}

TEST_F(ConfigFile, PathCanBeChangedOrDisabled) {
  EXPECT_EQ(settings_of("volume = 9", {"--no-config"}).audio.volume, Settings{}.audio.volume);
  EXPECT_TRUE(settings_of("nonsense", {"--no-config"}).config.is_ignored);
  const std::string other = (folder_ / "other.toml").string();
  std::ofstream(other) << "volume = 7";
  EXPECT_EQ(settings_of("volume = 9", {"--config", other}).audio.volume, 7);
  EXPECT_THAT(error_of("", {"--config", other, "--no-config"}), HasSubstr("cannot be combined"));
  EXPECT_THAT(error_of("", {"--config", other + "x"}), HasSubstr("cannot be read"));
}

TEST_F(ConfigFile, BrokenFileStillAllowsHelp) {
  const auto result = parse_beside("nonsense", {"--help"});
  ASSERT_TRUE(result);
  EXPECT_TRUE(std::holds_alternative<EarlyExit>(*result));
}

}  // namespace
}  // namespace glyphreel::cli::config_test
