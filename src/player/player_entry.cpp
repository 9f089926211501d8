#include "player/player_entry.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "base/io/log.h"
#include "player/output/video_output.h"
#include "player/player.h"
#include "present/terminal/terminal.h"
#include "present/window/window.h"

namespace glyphreel::player {

Result<PlayInput> open_play_input(const cli::Settings& settings) {
  PlayInput input;
  if (!settings.config.is_ignored) {
    TRY_ASSIGN(input.bindings, load_bindings());
  }
  if (!settings.window.ipc_socket.empty()) {
    TRY_ASSIGN(input.ipc, IpcSocket::listen(settings.window.ipc_socket));
  }
  return input;
}

Result<PlayEnd> play_in_window(const cli::Settings& settings, const PlayInput& input) {
  present::Window::skip_compose_table();
  if (Result<void> played = Player(settings, make_window_output, input.bindings, input.ipc.get()).run();
      !played) {
    // If there is no display or no Vulkan device, the caller uses the terminal or a file instead. But if
    // `--window` or `--renderer gpu` is given, or the connection to the display was lost, return the error.
    const bool needs_window = settings.window.place == cli::PlayPlace::Window ||
                              settings.engine.renderer == cli::RendererChoice::Gpu;
    if (played.error().code != ErrorCode::NoDevice || needs_window || present::Window::is_lost()) {
      return std::move(played.error());
    }
    log::info("{}", full_text(played.error()));
    return PlayEnd::NoDisplay;
  }
  return PlayEnd::Finished;
}

cli::Settings without_colors(cli::Settings settings) {
  settings.picture.color = cli::ColorChoice::Mono;
  settings.picture.reverse = Reverse::Never;
  return settings;
}

Result<PlayEnd> play_in_terminal(const cli::Settings& settings, const PlayInput& input) {
  cli::Settings playing = settings;
  present::GraphicsSupport support;
  if (settings.window.terminal_graphics != TerminalGraphics::No && isatty(STDOUT_FILENO) != 0) {
    support = present::Terminal::probe_graphics();
    TRY_ASSIGN(playing.window.terminal_graphics,
               present::choose_graphics(settings.window.terminal_graphics, support));
  }
  playing = terminal_settings(std::move(playing), present::expected_capabilities());
  const auto make_output = [&support](const cli::Settings& wanted, StageTimes& times,
                                      session::Statistics& statistics, GpuUse) {
    return make_terminal_output(wanted, support, times, statistics);
  };
  TRY(Player(playing, make_output, input.bindings, input.ipc.get()).run());
  return PlayEnd::Finished;
}

cli::Settings terminal_settings(cli::Settings settings, const present::TerminalCapabilities& capabilities) {
  if (settings.window.terminal_graphics != TerminalGraphics::No) return settings;
  if (capabilities.colors == present::ColorDepth::None) settings = without_colors(std::move(settings));
  const bool has_two_colors =
      settings.picture.color != cli::ColorChoice::Mono && settings.picture.color != cli::ColorChoice::Fg;
  // `--mode ramp` and `--mode edge` keep their charset: block elements cannot replace the characters of a
  // ramp, or the characters that trace edges.
  if (!settings.glyphs.charset_chosen && settings.glyphs.mode == Mode::Shape && has_two_colors &&
      capabilities.block_elements)
    settings.glyphs.charset = "blocks";
  if (settings.without_look) {
    settings.without_look =
        std::make_shared<const cli::Settings>(terminal_settings(*settings.without_look, capabilities));
  }
  return settings;
}

}  // namespace glyphreel::player
