#include "cli/parse.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/export_formats.h"
#include "cli/options/options.h"

namespace glyphreel::cli::parse_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<std::variant<Settings, EarlyExit>> parse_words(std::vector<std::string> words) {
  words.insert(words.begin(), "glyphreel");
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  argv.push_back(nullptr);
  return parse(static_cast<int>(words.size()), argv.data());
}

/// Returns the settings of a valid command line. Adds a test failure if the command line is invalid.
Settings settings_of(std::vector<std::string> words) {
  auto result = parse_words(std::move(words));
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  const auto* settings = std::get_if<Settings>(&*result);
  if (settings == nullptr) {
    ADD_FAILURE() << "parse() returned a page to print instead of settings";
    return {};
  }
  return *settings;
}

/// Returns the message of the usage error that parse() must report for this command line.
std::string error_of(std::vector<std::string> words) {
  auto result = parse_words(std::move(words));
  if (result) {
    ADD_FAILURE() << "the command line was accepted";
    return "";
  }
  EXPECT_EQ(result.error().code, ErrorCode::Usage);
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  return result.error().message;
}

std::string page_of(std::vector<std::string> words) {
  auto result = parse_words(std::move(words));
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return "";
  }
  const auto* page = std::get_if<EarlyExit>(&*result);
  return page == nullptr ? "" : page->text;
}

TEST(Parse, EmptyCommandLineUsesDefaults) {
  EXPECT_EQ(settings_of({}), Settings{});
}

TEST(Parse, TableDefaultsMatchSettingsDefaults) {
  for (const OptionSpec& option : option_table()) {
    if (option.default_text.empty()) continue;
    Settings settings;
    ASSERT_TRUE(option.apply(settings, option.default_text)) << option.name;
    EXPECT_EQ(settings, Settings{}) << option.name;
  }
}

TEST(Parse, FindsVerb) {
  EXPECT_EQ(settings_of({"a.mp4"}).verb, Verb::Play);
  EXPECT_EQ(settings_of({"play", "a.mp4"}).verb, Verb::Play);
  EXPECT_EQ(settings_of({"record", "a.mp4", "-o", "b.mp4"}).verb, Verb::Record);
  EXPECT_EQ(settings_of({"batch", "a.mp4", "-o", "out", "--to", "gif"}).verb, Verb::Batch);
  EXPECT_EQ(settings_of({"compare", "a.mp4"}).verb, Verb::Compare);
  EXPECT_EQ(settings_of({"bench"}).verb, Verb::Bench);
  EXPECT_EQ(settings_of({"info"}).verb, Verb::Info);
}

TEST(Parse, BenchOptions) {
  const Settings settings =
      settings_of({"bench", "--matrix", "--repetitions", "12", "--against", "old.json", "a.mp4"});
  EXPECT_TRUE(settings.bench.matrix);
  EXPECT_EQ(settings.bench.repetitions, 12);
  EXPECT_EQ(settings.bench.against, "old.json");
  EXPECT_EQ(settings_of({"bench"}).bench.repetitions, std::nullopt);
  EXPECT_TRUE(settings_of({"bench", "--peers"}).bench.peers);
  EXPECT_THAT(error_of({"bench", "--peers", "--matrix"}), HasSubstr("cannot be combined"));
  EXPECT_THAT(error_of({"bench", "--repetitions", "0"}), HasSubstr("a number from 1 to 1000"));
}

TEST(Parse, FileMayHaveVerbName) {
  EXPECT_THAT(settings_of({"play", "record"}).inputs, ElementsAre("record"));
  EXPECT_THAT(settings_of({"a.mp4", "record"}).inputs, ElementsAre("a.mp4", "record"));
  EXPECT_THAT(settings_of({"watches"}).inputs, ElementsAre("watches"));
  EXPECT_THAT(settings_of({"reel"}).inputs, ElementsAre("reel"));
}

TEST(Parse, InputsMayAppearAnywhereInOrder) {
  const Settings settings = settings_of({"a.mp4", "--fs", "b.mp4", "--cell", "6x12", "-", "demo:"});
  EXPECT_THAT(settings.inputs, ElementsAre("a.mp4", "b.mp4", "-", "demo:"));
  EXPECT_TRUE(settings.window.fullscreen);
  EXPECT_EQ(settings.layout.cell, (CellSize{6, 12}));
}

TEST(Parse, BracketsAndBracesAreOrdinaryCharacters) {
  EXPECT_THAT(settings_of({"[a,b]", "{}", "%%"}).inputs, ElementsAre("[a,b]", "{}", "%%"));
  EXPECT_EQ(settings_of({"--ramp", "{}"}).glyphs.ramp, "{}");
  EXPECT_EQ(settings_of({"--ramp", "[,]"}).glyphs.ramp, "[,]");
  EXPECT_EQ(settings_of({"--ramp", " \"'"}).glyphs.ramp, " \"'");
}

TEST(Parse, WordsAfterDoubleDashAreInputs) {
  EXPECT_THAT(settings_of({"--fs", "--", "-x.mp4", "--", "--help"}).inputs,
              ElementsAre("-x.mp4", "--", "--help"));
}

TEST(Parse, ValueMayBeginWithDash) {
  EXPECT_EQ(settings_of({"--ramp", "-+#"}).glyphs.ramp, "-+#");
  EXPECT_EQ(settings_of({"--charset", "--x"}).glyphs.charset, "--x");
}

TEST(Parse, ValueMayFollowInSameWord) {
  for (const char* word : {"-ob.mkv", "-o=b.mkv", "--output=b.mkv"}) {
    EXPECT_EQ(settings_of({"record", "a", word}).recording.output, "b.mkv") << word;
  }
  EXPECT_EQ(settings_of({"--ramp==="}).glyphs.ramp, "==");
}

TEST(Parse, NamesAreNotAbbreviated) {
  EXPECT_EQ(error_of({"--thresh", "9"}),
            "Unknown option --thresh; 'glyphreel play --help' lists the options.");
  EXPECT_EQ(error_of({"-hq"}), "Unknown option -hq; 'glyphreel play --help' lists the options.");
}

TEST(Parse, LastOccurrenceWins) {
  EXPECT_EQ(settings_of({"--renderer", "cpu", "--renderer=gpu"}).engine.renderer, RendererChoice::Gpu);
  EXPECT_TRUE(settings_of({"--fs", "--fs"}).window.fullscreen);
}

TEST(Parse, Engine) {
  EXPECT_EQ(settings_of({"--renderer", "auto"}).engine.renderer, RendererChoice::Auto);
  EXPECT_EQ(settings_of({"--renderer", "gpu"}).engine.renderer, RendererChoice::Gpu);
  EXPECT_EQ(settings_of({"--renderer", "cpu"}).engine.renderer, RendererChoice::Cpu);
  EXPECT_EQ(settings_of({"--device", "llvmpipe"}).engine.device, "llvmpipe");
  EXPECT_EQ(settings_of({"--threads", "3"}).engine.threads, 3);
  EXPECT_EQ(settings_of({}).engine.hwdec, HwDecodeChoice::Auto);
  EXPECT_EQ(settings_of({"--hwdec", "no"}).engine.hwdec, HwDecodeChoice::No);
  EXPECT_EQ(settings_of({"--hwdec=vaapi"}).engine.hwdec, choice_of(HwDecodeApi::Vaapi));
  EXPECT_EQ(settings_of({"--hwdec", "cuda"}).engine.hwdec, choice_of(HwDecodeApi::Cuda));
  EXPECT_EQ(settings_of({"--hwdec", "vulkan"}).engine.hwdec, choice_of(HwDecodeApi::Vulkan));
  EXPECT_TRUE(settings_of({}).playback.deinterlace);
  EXPECT_FALSE(settings_of({"--deinterlace", "no"}).playback.deinterlace);
  EXPECT_TRUE(settings_of({"--deinterlace=auto"}).playback.deinterlace);
}

TEST(Parse, Grid) {
  EXPECT_EQ(settings_of({"--grid", "240x67"}).layout.grid, (GridSize{240, 67}));
  EXPECT_EQ(settings_of({"--grid", "1x4096"}).layout.grid, (GridSize{1, 4096}));
  EXPECT_EQ(settings_of({"--grid", "80x25", "--grid", "auto"}).layout.grid, std::nullopt);
  EXPECT_EQ(settings_of({"--cell", "255x1"}).layout.cell, (CellSize{255, 1}));
  EXPECT_EQ(settings_of({"--font", "Noto Sans Mono"}).layout.font, "Noto Sans Mono");
  EXPECT_EQ(settings_of({"compare", "a", "--size", "1280x720"}).layout.size, (Extent{1280, 720}));
  EXPECT_EQ(settings_of({"--fit", "cover"}).layout.fit, Fit::Cover);
  EXPECT_EQ(settings_of({"--fit", "stretch"}).layout.fit, Fit::Stretch);
}

TEST(Parse, Glyphs) {
  EXPECT_EQ(settings_of({"--charset", "@letters.txt"}).glyphs.charset, "@letters.txt");
  EXPECT_EQ(settings_of({"--mode", "ramp"}).glyphs.mode, Mode::Ramp);
  EXPECT_EQ(settings_of({"--mode", "shape"}).glyphs.mode, Mode::Shape);
  EXPECT_EQ(settings_of({"--sample", "corner"}).glyphs.sample, Sampling::Corner);
  EXPECT_EQ(settings_of({"--luma", "601"}).glyphs.luma, Luma::Bt601);
  EXPECT_EQ(settings_of({"--luma", "709"}).glyphs.luma, Luma::Bt709);
}

TEST(Parse, RampImpliesMode) {
  const Settings settings = settings_of({"--ramp", " 1728", "--thresholds", "52,103,154,215"});
  EXPECT_EQ(settings.glyphs.mode, Mode::Ramp);
  EXPECT_EQ(settings.glyphs.ramp, " 1728");
  EXPECT_THAT(settings.glyphs.thresholds, ElementsAre(52, 103, 154, 215));
}

TEST(Parse, ThresholdsCountCodePointsNotBytes) {
  EXPECT_THAT(settings_of({"--ramp", " \u2591\u2593\u2588", "--thresholds", "1,2,255"}).glyphs.thresholds,
              ElementsAre(1, 2, 255));
}

TEST(Parse, Color) {
  EXPECT_EQ(settings_of({"--color", "mono"}).picture.color, ColorChoice::Mono);
  EXPECT_EQ(settings_of({"--color", "fg"}).picture.color, ColorChoice::Fg);
  EXPECT_EQ(settings_of({"--color", "full"}).picture.color, ColorChoice::Full);
  EXPECT_EQ(settings_of({"--fg", "#12aBcD"}).picture.foreground, 0x12ABCDU);
  EXPECT_EQ(settings_of({"--bg", "Navy"}).picture.background, 0x000080U);
}

TEST(Parse, TextOutputImpliesMono) {
  const auto color_of = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"record", "a.mkv"});
    return settings_of(std::move(words)).picture.color;
  };
  EXPECT_EQ(color_of({"-o", "a.txt"}), ColorChoice::Mono);
  EXPECT_EQ(color_of({"-o", "a.TXT", "--mode", "ramp"}), ColorChoice::Mono);
  EXPECT_EQ(color_of({"-o", "a.txt", "--color", "full"}), ColorChoice::Full);
  EXPECT_EQ(color_of({"-o", "a.txt", "--color", "fg"}), ColorChoice::Fg);
  EXPECT_EQ(color_of({"-o", "a.mp4"}), ColorChoice::Full);
  // Text has no colors, so text output implies --color mono. A look does not override this, but an explicit
  // --color does.
  EXPECT_EQ(color_of({"-o", "a.txt", "--look", "c64"}), ColorChoice::Mono);
  EXPECT_EQ(color_of({"-o", "a.txt", "--look", "c64", "--color", "fg"}), ColorChoice::Fg);
  EXPECT_EQ(settings_of({"record", "a.mkv", "-o", "a.txt", "--look", "amber"}).picture.reverse,
            Reverse::Never);
  EXPECT_EQ(settings_of({"record", "a.mkv", "-o", "a.gif", "--look", "amber"}).picture.reverse,
            Reverse::PerCell);
}

TEST(Parse, OutputFormatImpliesOptions) {
  const Settings ans = settings_of({"record", "a.mp4", "-o", "a.ans"});
  EXPECT_EQ(ans.picture.color, ColorChoice::Ansi16);
  EXPECT_EQ(ans.glyphs.charset, "dos");
  EXPECT_EQ(settings_of({"record", "a.mp4", "-o", "a.ans", "--color", "full"}).picture.color,
            ColorChoice::Full);
  EXPECT_EQ(settings_of({"record", "a.mp4", "-o", "a.bin", "--format", "txt"}).picture.color,
            ColorChoice::Mono);
  const Settings piped = settings_of({"record", "a.mp4", "-o", "-", "--format", "y4m"});
  EXPECT_EQ(piped.recording.output, "/dev/stdout");
  EXPECT_EQ(piped.picture.color, ColorChoice::Full);
}

TEST(Parse, MoreColorOptions) {
  EXPECT_EQ(settings_of({"--mode", "edge"}).glyphs.mode, Mode::Edge);
  EXPECT_EQ(settings_of({"--color", "ansi16"}).picture.color, ColorChoice::Ansi16);
  EXPECT_EQ(settings_of({"--color", "ansi256"}).picture.color, ColorChoice::Ansi256);
  EXPECT_EQ(settings_of({"--palette", "p.gpl"}).picture.palette_file, "p.gpl");
  EXPECT_EQ(settings_of({"--color", "mono", "--reverse", "auto"}).picture.reverse, Reverse::PerCell);
  EXPECT_TRUE(settings_of({"--invert"}).picture.inverted);
  EXPECT_EQ(settings_of({"--dither", "bayer"}).picture.dither, Dither::Bayer);
  EXPECT_EQ(settings_of({"--dither", "blue"}).picture.dither, Dither::BlueNoise);
  EXPECT_EQ(settings_of({"--legibility", "0.25"}).picture.legibility, 0.25);
  EXPECT_EQ(settings_of({"--stability", "0"}).picture.stability, 0.0);
  EXPECT_EQ(settings_of({"--stability", "1.0"}).picture.stability, 1.0);
}

TEST(Parse, AdjustmentsAcceptSign) {
  const Settings settings =
      settings_of({"--brightness", "-100", "--contrast", "+20", "--gamma=-7", "--saturation", "100"});
  EXPECT_EQ(settings.picture.brightness, -100);
  EXPECT_EQ(settings.picture.contrast, 20);
  EXPECT_EQ(settings.picture.gamma, -7);
  EXPECT_EQ(settings.picture.saturation, 100);
}

TEST(Parse, AutoLevelsValueIsOptional) {
  EXPECT_FALSE(settings_of({"--auto-levels", "no"}).picture.auto_levels);
  EXPECT_FALSE(settings_of({"--auto-levels=no"}).picture.auto_levels);
  EXPECT_TRUE(settings_of({"--auto-levels=no", "--auto-levels"}).picture.auto_levels);
  const Settings settings = settings_of({"--auto-levels", "film.mkv", "--fs"});
  EXPECT_TRUE(settings.picture.auto_levels);
  EXPECT_THAT(settings.inputs, ElementsAre("film.mkv"));
  EXPECT_TRUE(settings.window.fullscreen);
  EXPECT_THAT(settings_of({"--auto-levels", "yes", "no"}).inputs, ElementsAre("no"));
  EXPECT_EQ(settings_of({"--ramp", "--auto-levels"}).glyphs.ramp, "--auto-levels");
  EXPECT_EQ(error_of({"--auto-levels=maybe"}), "--auto-levels takes yes or no, not 'maybe'.");
}

TEST(Parse, ScreenshotsAreNotVideos) {
  EXPECT_THAT(settings_of({"--screenshot-format", "cells,html,y4m"}).window.screenshot_formats,
              ElementsAre("cells", "html", "y4m"));
  EXPECT_EQ(error_of({"--screenshot-format", "png,mp4"}), "--screenshot-format takes one or more of " +
                                                              screenshot_names() +
                                                              ", separated by commas, not 'png,mp4'.");
}

TEST(Parse, ConflictingColorOptionsAreRejected) {
  EXPECT_THAT(error_of({"--reverse", "auto"}), HasSubstr("--reverse auto needs --color mono"));
  EXPECT_THAT(error_of({"--palette", "p", "--color", "mono"}),
              HasSubstr("--palette cannot be combined with --color mono"));
  EXPECT_THAT(error_of({"--palette", "p", "--color", "ansi16"}),
              HasSubstr("--palette cannot be combined with --color ansi16"));
  EXPECT_THAT(error_of({"--mode", "edge", "--ramp", "ab"}), HasSubstr("leave out --ramp or --mode edge"));
  EXPECT_EQ(settings_of({"--palette", "p", "--color", "fg"}).picture.color, ColorChoice::Fg);
}

TEST(Parse, Time) {
  const Settings settings =
      settings_of({"--start", "1:02.5", "--end", "01:00:00", "--frames", "7", "--loop-file"});
  EXPECT_EQ(settings.playback.start, (TimePosition{62.5}));
  EXPECT_EQ(settings.playback.end, (TimePosition{3600.0}));
  EXPECT_EQ(settings.playback.frames, 7);
  EXPECT_EQ(settings.playback.repeats, PlaybackSettings::RepeatForever);
  EXPECT_EQ(settings_of({"--length", "2"}).playback.length_seconds, 2.0);
}

TEST(Parse, TimesMayDependOnInput) {
  using Unit = TimePosition::Unit;
  const Settings settings = settings_of({"--start=50%", "--end", "-5"});
  EXPECT_EQ(settings.playback.start, (TimePosition{50, Unit::Percent}));
  EXPECT_EQ(settings.playback.end, (TimePosition{5, Unit::SecondsBeforeEnd}));
  EXPECT_EQ(settings_of({"--start", "-1:30"}).playback.start, (TimePosition{90, Unit::SecondsBeforeEnd}));
  EXPECT_EQ(settings_of({"--start", "#3"}).playback.start, (TimePosition{3, Unit::Chapter}));
  EXPECT_EQ(settings_of({"--start=-5", "--end=-2"}).playback.end, (TimePosition{2, Unit::SecondsBeforeEnd}));
  EXPECT_THAT(error_of({"--start=-2", "--end=-5"}), HasSubstr("--end must be later than --start"));
  EXPECT_THAT(error_of({"--start=50%", "--end=50%"}), HasSubstr("--end must be later than --start"));
  EXPECT_THAT(error_of({"--start=101%"}), HasSubstr("--start takes seconds"));
  EXPECT_THAT(error_of({"--start=#0"}), HasSubstr("--start takes seconds"));
}

TEST(Parse, FlagsTakeYesAndNo) {
  EXPECT_TRUE(settings_of({"--fs=yes"}).window.fullscreen);
  EXPECT_FALSE(settings_of({"--fs", "--fs=no"}).window.fullscreen);
  EXPECT_FALSE(settings_of({"--fs", "--no-fs"}).window.fullscreen);
  EXPECT_TRUE(settings_of({"--mute=yes"}).audio.muted);
  EXPECT_EQ(error_of({"--fs=maybe"}), "--fs takes yes or no, not 'maybe'.");
  EXPECT_THAT(error_of({"--no-fs=yes"}), HasSubstr("Unknown option --no-fs"));
}

TEST(Parse, NoBeforeNameMeansValueNo) {
  EXPECT_FALSE(settings_of({"--no-audio"}).audio.enabled);
  EXPECT_EQ(settings_of({"--no-sub"}).subtitles.track, SubtitleSettings::NoTrack);
  EXPECT_EQ(settings_of({"--no-hwdec"}).engine.hwdec, HwDecodeChoice::No);
  EXPECT_EQ(settings_of({"--loop", "--no-loop-file"}).playback.repeats, 0);
  EXPECT_THAT(error_of({"--no-volume"}), HasSubstr("Unknown option --no-volume"));
}

TEST(Parse, AcceptsSpellingsOfMpv) {
  EXPECT_TRUE(settings_of({"--fullscreen"}).window.fullscreen);
  EXPECT_TRUE(settings_of({"--pause", "--shuffle"}).playback.paused);
  EXPECT_TRUE(settings_of({"--pause", "--shuffle"}).playback.shuffled);
  EXPECT_EQ(settings_of({"--loop=inf"}).playback.repeats, PlaybackSettings::RepeatForever);
  EXPECT_EQ(settings_of({"--loop-file=3"}).playback.repeats, 3);
  EXPECT_THAT(settings_of({"--loop", "3"}).inputs, ElementsAre("3"));
  EXPECT_EQ(settings_of({"--chapter", "2"}).playback.start, (TimePosition{2, TimePosition::Unit::Chapter}));
  EXPECT_EQ(settings_of({"--chapter=2"}).playback.start, (TimePosition{2, TimePosition::Unit::Chapter}));
  EXPECT_THAT(settings_of({"--slang=de,en"}).subtitles.languages, ElementsAre("de", "en"));
  EXPECT_THAT(settings_of({"--alang", "ja"}).audio.languages, ElementsAre("ja"));
  EXPECT_EQ(settings_of({"--aspect=16:9"}).layout.aspect, (Rational{16, 9}));
  EXPECT_EQ(settings_of({"--video-aspect-override", "1.5"}).layout.aspect, (Rational{15'000, 10'000}));
  EXPECT_EQ(settings_of({"--aspect=16:9", "--aspect=no"}).layout.aspect, std::nullopt);
  EXPECT_EQ(settings_of({"--audio-device=pulse/hdmi"}).audio.device, "hdmi");
  EXPECT_EQ(settings_of({"--audio-device=auto"}).audio.device, "");
  EXPECT_EQ(settings_of({"--keep-open"}).playback.keep_open, KeepOpen::Yes);
  EXPECT_EQ(settings_of({"--keep-open=always"}).playback.keep_open, KeepOpen::Always);
  EXPECT_EQ(settings_of({"--hwdec=nvdec"}).engine.hwdec, choice_of(HwDecodeApi::Cuda));
  EXPECT_EQ(settings_of({"--hwdec", "auto-safe"}).engine.hwdec, HwDecodeChoice::Auto);
  EXPECT_FALSE(settings_of({"--aid=no"}).audio.enabled);
  EXPECT_THAT(error_of({"--aid=0"}),
              HasSubstr("--aid takes 'auto', 'no', or a track's number from 1 to 999"));
  EXPECT_EQ(settings_of({"--sid=2", "--sid=auto"}).subtitles.track, 0);
  EXPECT_EQ(settings_of({"-v"}).report.verbosity, log::Verbosity::Verbose);
  EXPECT_EQ(settings_of({"-q"}).report.verbosity, log::Verbosity::Quiet);
  EXPECT_TRUE(settings_of({"record", "a", "-o", "b", "-y"}).recording.overwrite);
}

TEST(Parse, PlaceToPlay) {
  EXPECT_EQ(settings_of({}).window.place, PlayPlace::Auto);
  EXPECT_EQ(settings_of({"--window"}).window.place, PlayPlace::Window);
  EXPECT_EQ(settings_of({"--terminal"}).window.place, PlayPlace::Terminal);
  EXPECT_THAT(error_of({"--terminal", "--window"}), HasSubstr("--window and --terminal cannot be combined"));
  EXPECT_THAT(error_of({"--terminal", "--renderer", "gpu"}), HasSubstr("--renderer gpu cannot be combined"));
}

TEST(Parse, Window) {
  EXPECT_EQ(settings_of({"--geometry", "640x480+10-20"}).window.geometry, "640x480+10-20");
  EXPECT_EQ(settings_of({}).window.vsync, PresentMode::Auto);
  EXPECT_EQ(settings_of({"--vsync", "mailbox"}).window.vsync, PresentMode::Mailbox);
  EXPECT_EQ(settings_of({"--vsync", "immediate"}).window.vsync, PresentMode::Immediate);
}

TEST(Parse, Recording) {
  const Settings settings = settings_of(
      {"record", "a", "-o", "b.mkv", "--codec", "libx265", "--crf", "0", "--audio", "no", "--force"});
  EXPECT_EQ(settings.recording.output, "b.mkv");
  EXPECT_EQ(settings.recording.codec, "libx265");
  EXPECT_EQ(settings.recording.crf, 0);
  EXPECT_FALSE(settings.audio.enabled);
  EXPECT_TRUE(settings.recording.overwrite);
  EXPECT_EQ(settings_of({"record", "a", "--output=b.mkv", "--bitrate", "2.5M"}).recording.bits_per_second,
            2'500'000);
  EXPECT_TRUE(settings_of({"record", "a", "-ob.mkv", "--audio", "auto"}).audio.enabled);
}

TEST(Parse, Other) {
  const Settings settings = settings_of({"compare", "a", "--json", "--stats", "s.json", "--report", "r"});
  EXPECT_TRUE(settings.report.json);
  EXPECT_EQ(settings.report.stats_file, "s.json");
  EXPECT_EQ(settings.report.directory, "r");
  EXPECT_EQ(settings_of({"--quiet"}).report.verbosity, log::Verbosity::Quiet);
  EXPECT_EQ(settings_of({"--verbose"}).report.verbosity, log::Verbosity::Verbose);
  EXPECT_EQ(settings_of({"--log-file", "l"}).report.log_file, "l");
}

TEST(Parse, InvalidValuesNameAcceptedOnes) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"hwdec", "dxva2"},     {"deinterlace", "yes"}, {"renderer", "GPU"},   {"device", ""},
      {"threads", "-1"},      {"threads", "1025"},    {"grid", "0x5"},       {"grid", "4097x1"},
      {"grid", "80"},         {"grid", "80x25x3"},    {"cell", "256x1"},     {"cell", "8 x16"},
      {"font", ""},           {"size", "0x10"},       {"size", "16385x2"},   {"fit", "fill"},
      {"charset", ""},        {"charset", "@"},       {"charset", "\xff"},   {"mode", "line"},
      {"ramp", "x"},          {"ramp", "\xc3"},       {"thresholds", "3,3"}, {"thresholds", "0,1"},
      {"sample", "mean"},     {"luma", "2020"},       {"color", "ansi"},     {"fg", "#12345"},
      {"bg", "grau"},         {"start", "1:"},        {"end", "1:60"},       {"length", "1e3"},
      {"frames", "0"},        {"geometry", "640"},    {"vsync", "on"},       {"output", ""},
      {"codec", ""},          {"crf", "64"},          {"bitrate", "10"},     {"audio", "yes"},
      {"report", ""},         {"stats", ""},          {"log-file", ""},      {"palette", ""},
      {"reverse", "yes"},     {"brightness", "101"},  {"contrast", "-101"},  {"gamma", "1.5"},
      {"saturation", ""},     {"saturation", "--5"},  {"dither", "sand"},    {"legibility", "1.1"},
      {"legibility", "-0.5"}, {"stability", "2"},     {"stability", "half"}, {"stability", "-1"}};
  for (const auto& [name, value] : wrong) {
    const OptionSpec* option = find_option(name);
    ASSERT_NE(option, nullptr) << name;
    std::string verb;
    for (const VerbSpec& spec : verb_table()) {
      if (option->belongs_to(spec.verb)) verb = spec.name;
    }
    EXPECT_EQ(error_of({verb, "a", fmt::format("--{}", name), value}),
              fmt::format("--{} takes {}, not '{}'.", name, accepted_values(*option), value));
  }
}

TEST(Parse, MissingValuesNameOption) {
  for (const OptionSpec& option : option_table()) {
    if (option.is_flag() || !option.bare_value.empty()) continue;
    std::string verb;
    for (const VerbSpec& spec : verb_table()) {
      if (option.belongs_to(spec.verb)) verb = spec.name;
    }
    const std::string name = fmt::format("--{}", option.name);
    const std::string sentence = fmt::format("{} needs a value: {}.", name, accepted_values(option));
    EXPECT_EQ(error_of({verb, "a", name}), sentence);
    EXPECT_EQ(error_of({verb, name, "--", "a"}), sentence);
    EXPECT_EQ(error_of({verb, fmt::format("{}=", name), "a"}), sentence);
  }
}

TEST(Parse, UnknownOptionSuggestsNearest) {
  EXPECT_EQ(error_of({"--gird", "80x25"}), "Unknown option --gird; did you mean --grid?");
  EXPECT_EQ(error_of({"--colour=full"}), "Unknown option --colour; did you mean --color?");
  EXPECT_EQ(error_of({"-fs"}), "Unknown option -fs; did you mean --fs?");
  EXPECT_EQ(error_of({"--banana"}), "Unknown option --banana; 'glyphreel play --help' lists the options.");
}

TEST(Parse, InvalidChoiceSuggestsNearest) {
  EXPECT_THAT(error_of({"--look", "matirx"}), HasSubstr(", not 'matirx'; did you mean matrix?"));
  EXPECT_THAT(error_of({"--mode=shap"}), HasSubstr(", not 'shap'; did you mean shape?"));
}

TEST(Parse, OptionsWithoutEffectOnTheFormatAreRejected) {
  const auto record = [](const char* output, const char* option, const char* value) {
    return std::vector<std::string>{"record", "a", "-o", output, option, value};
  };
  EXPECT_EQ(error_of(record("a.png", "--codec", "h264")),
            "--codec works only with video files, not with .png; leave it out.");
  EXPECT_EQ(error_of(record("a.gif", "--pix-fmt", "yuv444p")),
            "--pix-fmt works only with video files, not with .gif; leave it out.");
  EXPECT_EQ(error_of(record("a.mp4", "--cast-version", "3")),
            "--cast-version works only with .cast, not with .mp4; leave it out.");
  EXPECT_EQ(error_of({"record", "a", "-o", "a.mp4", "--embed"}),
            "--embed works only with .html and .cast, not with .mp4; leave it out.");
  EXPECT_EQ(settings_of(record("a.mkv", "--codec", "ffv1")).recording.codec, "ffv1");
  EXPECT_FALSE(settings_of({"record", "a", "-o", "a.mp4", "--no-embed"}).recording.embed);
}

TEST(Parse, UnknownOptionSuggestsOtherSpelling) {
  EXPECT_EQ(error_of({"--fullscren"}), "Unknown option --fullscren; did you mean --fullscreen?");
}

TEST(Parse, MistypedVerbIsNoInput) {
  EXPECT_EQ(error_of({"recrod", "a.mp4"}),
            "There is no verb and no file 'recrod'; did you mean 'glyphreel record'?");
  EXPECT_THAT(error_of({"paly"}), HasSubstr("did you mean 'glyphreel play'?"));
  EXPECT_THAT(settings_of({"a.mp4", "recrod"}).inputs, ElementsAre("a.mp4", "recrod"));
}

TEST(Parse, HelpIsAVerb) {
  EXPECT_EQ(page_of({"help"}), page_of({"--help"}));
  EXPECT_EQ(page_of({"help", "record"}), page_of({"record", "--help"}));
  EXPECT_EQ(error_of({"help", "recrod"}), "There is no verb 'recrod'; did you mean record?");
  EXPECT_EQ(error_of({"help", "dance"}),
            "There is no verb 'dance'; choose one of play, record, batch, compare, bench, info, help.");
}

TEST(Parse, OptionOfAnotherVerbNamesVerb) {
  EXPECT_EQ(error_of({"a", "--report", "3"}),
            "--report is an option of 'glyphreel compare', not of 'glyphreel play'.");
  EXPECT_EQ(error_of({"info", "--fs"}), "--fs is an option of 'glyphreel play', not of 'glyphreel info'.");
}

TEST(Parse, VerbMustComeFirst) {
  EXPECT_EQ(error_of({"--verbose", "record", "a", "-o", "b"}),
            "A verb comes first: glyphreel record [OPTION...]; for a file of that name, write ./record.");
}

TEST(Parse, CountsInputs) {
  EXPECT_THAT(settings_of({"play"}).inputs, IsEmpty());
  EXPECT_THAT(settings_of({"info"}).inputs, IsEmpty());
  EXPECT_THAT(error_of({"record", "-o", "b.mp4"}), HasSubstr("'glyphreel record' needs an INPUT"));
  EXPECT_THAT(error_of({"compare"}), HasSubstr("'glyphreel compare' needs an INPUT"));
  EXPECT_THAT(error_of({"compare", "a", "b"}), HasSubstr("takes one INPUT, not 2; 'b' is one too many"));
  EXPECT_THAT(error_of({"info", "a", "b"}), HasSubstr("takes one INPUT"));
  EXPECT_THAT(error_of({"a", ""}), HasSubstr("An INPUT is empty"));
  EXPECT_THAT(error_of({"record", "a"}), HasSubstr("needs -o FILE"));
}

TEST(Parse, ConflictingOptionsAreRejected) {
  EXPECT_THAT(error_of({"--quiet", "--verbose"}), HasSubstr("--quiet and --verbose cannot be combined"));
  EXPECT_THAT(error_of({"record", "a", "-o", "b", "--crf", "1", "--bitrate", "1M"}),
              HasSubstr("--crf and --bitrate cannot be combined"));
  EXPECT_THAT(error_of({"--end", "3", "--length", "2"}), HasSubstr("--end and --length cannot be combined"));
  EXPECT_THAT(error_of({"--start", "3", "--end", "3"}), HasSubstr("--end must be later than --start"));
  EXPECT_THAT(error_of({"--end", "0"}), HasSubstr("--end must be later than --start"));
  EXPECT_THAT(error_of({"--length", "0"}), HasSubstr("--length must be longer than 0"));
  EXPECT_THAT(error_of({"--mode", "shape", "--ramp", "abc"}),
              HasSubstr("--ramp works only with --mode ramp"));
  EXPECT_THAT(error_of({"--thresholds", "1,2"}), HasSubstr("--thresholds needs --ramp"));
  EXPECT_EQ(error_of({"--ramp", "abc", "--thresholds", "1,2,3"}),
            "--thresholds has 3 values, but the 3 characters of --ramp need 2.");
}

TEST(Parse, PageRequestsSkipOtherChecks) {
  EXPECT_THAT(page_of({"--version"}), testing::MatchesRegex("glyphreel [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  EXPECT_THAT(page_of({"record", "--help"}), HasSubstr("Usage: glyphreel record"));
  EXPECT_THAT(page_of({"-h", "--banana"}), HasSubstr("Usage: glyphreel [play]"));
}

TEST(Parse, GeneratesPages) {
  EXPECT_THAT(page_of({"--generate", "man"}), HasSubstr(".TH GLYPHREEL 1"));
  EXPECT_THAT(page_of({"--generate", "bash-completion"}), HasSubstr("complete -o default -F _glyphreel"));
  EXPECT_THAT(page_of({"--generate", "zsh-completion"}), HasSubstr("#compdef glyphreel"));
  EXPECT_THAT(page_of({"--generate", "fish-completion"}), HasSubstr("complete -c glyphreel"));
  EXPECT_THAT(error_of({"--generate", "pdf"}), HasSubstr("--generate takes man"));
  EXPECT_THAT(error_of({"--generate"}), HasSubstr("not ''"));
}

TEST(Parse, HandlesEmptyArgumentVector) {
  const char* const none[] = {nullptr};
  auto result = parse(0, none);
  ASSERT_TRUE(result);
  EXPECT_EQ(std::get<Settings>(*result), Settings{});
}

TEST(Parse, BatchOptions) {
  const Settings settings = settings_of({"batch", "a", "-o", "out", "--to", "ans", "--jobs", "3", "--list"});
  EXPECT_EQ(settings.recording.output, "out");
  EXPECT_EQ(settings.batch.to_format, "ans");
  EXPECT_EQ(settings.picture.color, ColorChoice::Ansi16);  // implied by the format
  EXPECT_EQ(settings.batch.jobs, 3);
  EXPECT_EQ(settings.batch.list, "");
  EXPECT_EQ(settings_of({"batch", "a", "-o", "out", "--list=state=failed"}).batch.list, "state=failed");
  EXPECT_THAT(error_of({"batch", "-o", "out"}), HasSubstr("needs an INPUT"));
  EXPECT_THAT(error_of({"batch", "a"}), HasSubstr("needs -o DIR"));
  EXPECT_THAT(error_of({"batch", "a", "-o", "out", "--to", "xyz"}), HasSubstr("--to takes one of mp4"));
  EXPECT_EQ(settings.batch.pictures, 0);
  EXPECT_EQ(settings_of({"batch", "a", "-o", "out", "--to", "txt", "--batch", "16"}).batch.pictures, 16);
  EXPECT_EQ(settings_of({"batch", "a", "-o", "out", "--to", "txt", "--batch", "auto"}).batch.pictures, 0);
  EXPECT_THAT(error_of({"batch", "a", "-o", "out", "--to", "txt", "--batch", "33"}),
              HasSubstr("--batch takes"));
  EXPECT_THAT(error_of({"batch", "a", "-o", "out", "--to", "txt", "--batch", "2", "--cluster", "slurm"}),
              HasSubstr("--batch is for this machine"));
  // The other verbs still accept --to, FFmpeg's name for --end.
  EXPECT_EQ(settings_of({"record", "a", "-o", "b.mp4", "--to", "5"}).playback.end, TimePosition{5});
}

TEST(Parse, OptionsOfAnItem) {
  const Settings base =
      settings_of({"batch", "a", "-o", "out", "--to", "txt", "--crf", "20", "--look", "amber"});
  const std::vector<GivenOption> bitrate = {{"bitrate", "1M"}, {"mode", "edge"}, {"invert", "yes"}};
  const auto changed = with_options(base, bitrate);
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(changed->recording.bits_per_second, 1'000'000);
  EXPECT_FALSE(changed->recording.crf);  // the item's --bitrate excludes --crf
  EXPECT_EQ(changed->glyphs.mode, Mode::Edge);
  EXPECT_TRUE(changed->picture.inverted);
  EXPECT_EQ(changed->picture.foreground, base.picture.foreground);  // the look's foreground stays
  const std::vector<GivenOption> other = {{"look", "none"}, {"to", "gif"}};
  EXPECT_EQ(with_options(base, other)->picture.foreground, Settings{}.picture.foreground);
  const std::vector<GivenOption> same;
  EXPECT_EQ(with_options(base, same)->options, base.options);
  const std::vector<GivenOption> unknown = {{"moed", "edge"}};
  EXPECT_THAT(with_options(base, unknown).error().message, HasSubstr("did you mean --mode?"));
  const std::vector<GivenOption> invalid = {{"mode", "shapes"}};
  EXPECT_THAT(with_options(base, invalid).error().message, HasSubstr("--mode takes"));
}

}  // namespace
}  // namespace glyphreel::cli::parse_test
