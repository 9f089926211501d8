#include "player/play.h"

#include <chrono>
#include <memory>
#include <utility>

#include "base/log.h"
#include "player/bindings.h"
#include "player/player.h"
#include "player/screens.h"
#include "player/statistics.h"

namespace glyphreel::player {
namespace {

/// Plays on a screen that is there.
Result<void> play_on(Screen& screen, const cli::Settings& settings, Bindings bindings, StageTimes& times,
                     Statistics& statistics) {
  const auto start = std::chrono::steady_clock::now();
  Player player({.settings = &settings,
                 .screen = &screen,
                 .bindings = std::move(bindings),
                 .times = &times,
                 .statistics = &statistics});
  TRY(player.run());
  statistics.host_bytes_copied += screen.bytes_copied();
  statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return write_statistics(statistics, player.settings_now(), times);
}

}  // namespace

Result<PlayEnd> play_in_window(const cli::Settings& settings) {
  TRY_ASSIGN(Bindings bindings, load_bindings());
  StageTimes times;
  Statistics statistics;
  Result<std::unique_ptr<Screen>> screen = make_window_screen(settings, times, statistics);
  if (!screen) {
    // A missing display is the caller's business (the terminal, a file); a demanded GPU is not.
    if (screen.error().code == ErrorCode::NoDevice && settings.renderer != cli::RendererChoice::Gpu) {
      log::info("{} {}", screen.error().message, screen.error().cause);
      return PlayEnd::NoDisplay;
    }
    return std::move(screen.error());
  }
  TRY(play_on(**screen, settings, std::move(bindings), times, statistics));
  return PlayEnd::Finished;
}

Result<PlayEnd> play_in_terminal(const cli::Settings& settings) {
  TRY_ASSIGN(Bindings bindings, load_bindings());
  StageTimes times;
  Statistics statistics;
  TRY_ASSIGN(const std::unique_ptr<Screen> screen, make_terminal_screen(settings, times, statistics));
  TRY(play_on(*screen, settings, std::move(bindings), times, statistics));
  return PlayEnd::Finished;
}

}  // namespace glyphreel::player
