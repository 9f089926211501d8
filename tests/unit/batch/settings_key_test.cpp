#include "batch/settings_key.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/options/options.h"

namespace glyphreel::batch::settings_key_test {
namespace {

/// Options of `batch` that do not change the bytes of an output.
const std::set<std::string_view> WithoutEffect = {
    "renderer",    "device",    "hwdec",   "threads", "look",    "output-dir", "name",     "files-from",
    "files0",      "jobs",      "retry",   "verify",  "ssim",    "dry-run",    "list",     "db",
    "joblog",      "force",     "json",    "stats",   "quiet",   "verbose",    "log-file", "config",
    "profile",     "no-config", "version", "help",    "cluster", "partition",  "gres",     "time",
    "array-limit", "detach",    "status",  "cancel",  "task",    "batch"};

/// A non-default value for each option that has no fixed list of choices.
const std::map<std::string_view, std::string> Values = {
    {"to", "gif"},        {"grid", "10x10"},      {"cell", "4x8"},       {"font", "Other"},
    {"size", "100x100"},  {"aspect", "4:3"},      {"charset", "abc"},    {"ramp", " ab"},
    {"thresholds", "10"}, {"fg", "112233"},       {"bg", "112233"},      {"brightness", "5"},
    {"contrast", "5"},    {"gamma", "5"},         {"saturation", "5"},   {"legibility", "0.5"},
    {"glow", "5"},        {"scanlines", "5"},     {"start", "3"},        {"end", "3"},
    {"length", "3"},      {"frames", "3"},        {"stability", "0.25"}, {"aid", "2"},
    {"alang", "de"},      {"sid", "2"},           {"wipe", "0.5"},       {"cast-version", "3"},
    {"codec", "h264"},    {"pix-fmt", "yuv444p"}, {"crf", "5"},          {"preset", "slow"},
    {"bitrate", "100k"},  {"fps", "5"},           {"segment", "30"}};

TEST(SettingsKey, EveryOptionThatMattersChangesIt) {
  const std::string usual = canonical_settings({});
  for (const cli::OptionSpec& option : cli::option_table()) {
    if (!option.belongs_to(cli::Verb::Batch)) continue;
    const bool matters = !WithoutEffect.contains(option.name) && option.name != "palette";
    if (option.apply == nullptr) continue;
    std::vector<std::string> values;
    if (option.is_flag()) values = {""};
    for (const std::string_view choice : option.choices) values.emplace_back(choice);
    if (const auto found = Values.find(option.name); found != Values.end()) values = {found->second};
    if (!matters) continue;
    ASSERT_FALSE(values.empty()) << "the test needs a value for --" << option.name;
    bool changes = false;
    for (const std::string& value : values) {
      cli::Settings settings;
      ASSERT_TRUE(option.apply(settings, value)) << option.name << " " << value;
      changes = changes || canonical_settings(settings) != usual;
    }
    EXPECT_TRUE(changes) << "--" << option.name;
  }
  cli::Settings colors;
  colors.picture.palette = {0x112233};
  EXPECT_NE(canonical_settings(colors), usual);
}

TEST(SettingsKey, OptionsWithoutEffectDoNotChangeIt) {
  cli::Settings settings;
  settings.batch.jobs = 7;
  settings.engine.threads = 3;
  settings.engine.renderer = cli::RendererChoice::Gpu;
  settings.report.verbosity = log::Verbosity::Quiet;
  settings.inputs = {"a"};
  settings.recording.output = "b";
  EXPECT_EQ(canonical_settings(settings), canonical_settings({}));
}

}  // namespace
}  // namespace glyphreel::batch::settings_key_test
