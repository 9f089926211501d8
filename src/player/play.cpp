#include "player/play.h"

#include <chrono>
#include <memory>
#include <utility>

#include "base/io/log.h"
#include "player/control/bindings.h"
#include "player/output/video_output.h"
#include "player/player.h"
#include "session/statistics.h"
#include "present/terminal/terminal.h"
#include "present/window/window.h"

namespace glyphreel::player {
namespace {

using MakeOutput = Result<std::unique_ptr<VideoOutput>>(const cli::Settings&, StageTimes&,
                                                        session::Statistics&);

Result<void> play_on(MakeOutput& make_output, const cli::Settings& settings) {
  TRY_ASSIGN(Bindings bindings, settings.ignores_config ? Result<Bindings>(Bindings()) : load_bindings());
  StageTimes times;
  session::Statistics statistics;
  const auto start = std::chrono::steady_clock::now();
  Player player({.settings = &settings,
                 .make_output = [&] { return make_output(settings, times, statistics); },
                 .bindings = std::move(bindings),
                 .times = &times,
                 .statistics = &statistics});
  TRY(player.run());
  statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  statistics.host_bytes_copied += player.bytes_copied();
  return session::write_statistics(statistics, player.settings_now(), times);
}

}  // namespace

Result<PlayEnd> play_in_window(const cli::Settings& settings) {
  if (Result<void> played = play_on(make_window_output, settings); !played) {
    // The caller handles a missing display or Vulkan device (with the terminal, or a file), but not a missing
    // GPU that was demanded, nor a display that was lost.
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
  if (present::expected_capabilities().colors == present::ColorDepth::None) {
    // Only the characters can be seen.
    playing.color = cli::ColorChoice::Mono;
    playing.reverse = Reverse::Never;
  }
  TRY(play_on(make_terminal_output, playing));
  return PlayEnd::Finished;
}

}  // namespace glyphreel::player
