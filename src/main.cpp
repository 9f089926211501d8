#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/thread.h"
#include "base/user_folders.h"
#include "cli/assets.h"
#include "cli/parse.h"
#include "media/source.h"
#include "player/bindings.h"
#include "player/command_files.h"
#include "player/setup.h"
#include "text/font_search.h"
#include "tools/commands.h"

namespace {

using namespace glyphreel;

/// The fonts that a bundle brings along; an installation has its system's alone.
void add_own_fonts() {
  if (const Result<std::string> font = cli::find_asset("fonts/DejaVuSansMono.ttf")) {
    text::add_font_folder(std::filesystem::path(*font).parent_path().string());
  }
}

Result<int> run(const cli::Settings& asked) {
  add_own_fonts();
  TRY_ASSIGN(const cli::Settings settings, player::with_palette(asked));
  switch (settings.verb) {
    case cli::Verb::Play:
      return tools::run_play(settings);
    case cli::Verb::Record:
      return tools::run_record(settings);
    case cli::Verb::Compare:
      return tools::run_compare(settings);
    case cli::Verb::Info:
      return tools::run_info(settings);
  }
  return Error{};
}

/// The player's own keys, for the manual page.
std::vector<cli::KeyHelp> key_help() {
  std::vector<cli::KeyHelp> keys;
  for (player::HelpEntry& entry : player::Bindings().help()) {
    keys.push_back({std::move(entry.keys), std::move(entry.does), std::move(entry.group)});
  }
  return keys;
}

/// Prints the error as one line; its exit code.
int report(const Error& error) {
  const std::string cause = error.cause.empty() ? "" : " (" + error.cause + ")";
  std::fprintf(stderr, "glyphreel: %s\n", printable(error.message + cause).c_str());
  return static_cast<int>(error.code);
}

int run_program(int argc, const char* const* argv) {
  const std::filesystem::path folder = config_folder();
  const std::vector<cli::KeyHelp> keys = key_help();
  const Result<std::variant<cli::Settings, cli::PrintAndExit>> parsed =
      cli::parse(argc, argv, {.config_file = folder.empty() ? "" : folder / "config.toml", .keys = keys});
  if (!parsed) return report(parsed.error());
  if (const auto* print = std::get_if<cli::PrintAndExit>(&*parsed)) {
    std::fputs(print->text.c_str(), stdout);
    return 0;
  }
  const auto& settings = std::get<cli::Settings>(*parsed);
  if (const Result<void> checked = player::check_outputs(settings); !checked) return report(checked.error());
  log::initialise(settings.verbosity, settings.log_file);
  install_interrupt_handler();
  media::quiet_ffmpeg();
  const Result<int> outcome = run(settings);
  return outcome ? *outcome : report(outcome.error());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (...) {
    return report(error_of_exception());
  }
}
