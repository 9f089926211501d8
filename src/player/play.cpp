#include "player/play.h"

#include <chrono>
#include <memory>
#include <utility>

#include "base/log.h"
#include "player/bindings.h"
#include "player/player.h"
#include "player/screens.h"
#include "player/statistics.h"
#include "present/terminal.h"
#include "present/window.h"

namespace glyphreel::player {
namespace {

using MakeScreen = Result<std::unique_ptr<Screen>>(const cli::Settings&, StageTimes&, Statistics&);

Result<void> play_on(MakeScreen& make_screen, const cli::Settings& settings) {
  TRY_ASSIGN(Bindings bindings, settings.ignores_config ? Result<Bindings>(Bindings()) : load_bindings());
  StageTimes times;
  Statistics statistics;
  const auto start = std::chrono::steady_clock::now();
  Player player({.settings = &settings,
                 .make_screen = [&] { return make_screen(settings, times, statistics); },
                 .bindings = std::move(bindings),
                 .times = &times,
                 .statistics = &statistics});
  TRY(player.run());
  statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  statistics.host_bytes_copied += player.bytes_copied();
  return write_statistics(statistics, player.settings_now(), times);
}

}  // namespace

Result<PlayEnd> play_in_window(const cli::Settings& settings) {
  if (Result<void> played = play_on(make_window_screen, settings); !played) {
    // A missing display is the caller's business (the terminal, a file); a demanded GPU is not, nor a display
    // that was lost.
    if (played.error().code != ErrorCode::NoDevice || settings.renderer == cli::RendererChoice::Gpu ||
        present::Window::is_lost()) {
      return std::move(played.error());
    }
    log::info("{} {}", played.error().message, played.error().cause);
    return PlayEnd::NoDisplay;
  }
  return PlayEnd::Finished;
}

Result<PlayEnd> play_in_terminal(const cli::Settings& settings) {
  cli::Settings playing = settings;
  if (present::Terminal::expected_capabilities().colors == present::ColorDepth::None) {
    // Characters are all that there is to see.
    playing.color = cli::ColorChoice::Mono;
    playing.reverse = cli::ReverseChoice::No;
  }
  TRY(play_on(make_terminal_screen, playing));
  return PlayEnd::Finished;
}

}  // namespace glyphreel::player
