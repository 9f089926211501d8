#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "base/io/printable.h"
#include "base/io/user_folders.h"
#include "base/threads/thread.h"
#include "cli/assets.h"
#include "cli/parse.h"
#include "commands/commands.h"
#include "mapping/tables/palette.h"
#include "media/ffmpeg/log_handler.h"
#include "player/control/bindings.h"
#include "session/command_files.h"
#include "session/input_palette.h"
#include "session/setup.h"
#include "text/charset.h"
#include "text/fonts/font_search.h"

namespace {

using namespace glyphreel;

/// Adds the fonts of a portable bundle to the font search. A system installation has no fonts of its
/// own and uses the system's fonts.
void add_own_fonts() {
  if (const Result<std::string> font = cli::find_asset("fonts/DejaVuSansMono.ttf")) {
    text::add_font_folder(std::filesystem::path(*font).parent_path().string());
  }
}

Result<int> run(const cli::Settings& given) {
  add_own_fonts();
  TRY_ASSIGN(cli::Settings settings, session::with_palette(given));
  if (settings.verb != cli::Verb::Batch) {  // a batch does this for each input
    TRY_ASSIGN(settings, session::with_recorded_input(std::move(settings)));
    TRY_ASSIGN(settings, session::with_input_palette(std::move(settings)));
  }
  TRY(session::check_device(settings));
  switch (settings.verb) {
    case cli::Verb::Play:
      return commands::run_play(settings);
    case cli::Verb::Record:
      return commands::run_record(settings);
    case cli::Verb::Batch:
      return commands::run_batch(settings);
    case cli::Verb::Compare:
      return commands::run_compare(settings);
    case cli::Verb::Bench:
      return commands::run_bench(settings);
    case cli::Verb::Info:
      return commands::run_info(settings);
    case cli::Verb::Help:  // cli::parse() has handled it
      break;
  }
  return Error{};
}

/// Prints the error as one line and returns its exit code.
int report(const Error& error) {
  std::fprintf(stderr, "glyphreel: %s\n", printable(full_text(error)).c_str());
  return static_cast<int>(error.code);
}

std::vector<std::string> charset_names() {
  std::vector<std::string> names;
  for (const text::NamedCharset& charset : text::named_charsets()) names.emplace_back(charset.name);
  return names;
}

std::vector<std::string> palette_names() {
  std::vector<std::string> names;
  for (const mapping::NamedPalette& palette : mapping::named_palettes()) names.emplace_back(palette.name);
  return names;
}

int run_program(int argc, const char* const* argv) {
  const std::filesystem::path folder = config_folder();
  const std::vector<cli::HelpEntry> keys = player::Bindings().help();
  const std::vector<cli::HelpEntry> commands = player::command_help();
  const std::vector<cli::HelpEntry> properties = player::property_help();
  const std::vector<cli::OptionNames> names = {{"charset", charset_names()}, {"palette", palette_names()}};
  const Result<std::variant<cli::Settings, cli::EarlyExit>> parsed =
      cli::parse(argc, argv,
                 {.config_file = folder.empty() ? "" : folder / "config.toml",
                  .player = {.keys = keys, .commands = commands, .properties = properties},
                  .names = names});
  if (!parsed) return report(parsed.error());
  if (const auto* print = std::get_if<cli::EarlyExit>(&*parsed)) {
    std::fputs(print->text.c_str(), stdout);
    return 0;
  }
  const auto& settings = std::get<cli::Settings>(*parsed);
  if (const Result<void> checked = session::check_outputs(settings); !checked) return report(checked.error());
  log::initialize(settings.report.verbosity, settings.report.log_file);
  install_interrupt_handler();
  media::install_ffmpeg_log_handler();
  const Result<int> outcome = run(settings);
  return outcome ? *outcome : report(outcome.error());
}

int run_and_catch(int argc, const char* const* argv) {
  try {
    return run_program(argc, argv);
  } catch (...) {
    return report(error_of_exception());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int code = run_and_catch(argc, argv);
  if (!has_leaked_thread()) return code;
  std::fflush(nullptr);
  std::quick_exit(code);
}
