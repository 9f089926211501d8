#include "player/play.h"

#include <utility>

#include "base/io/log.h"
#include "player/control/bindings.h"
#include "player/output/video_output.h"
#include "player/player.h"
#include "present/terminal/terminal.h"
#include "present/window/window.h"

namespace glyphreel::player {
namespace {

Result<void> play_on(Player::MakeOutput& make_output, const cli::Settings& settings) {
  TRY_ASSIGN(Bindings bindings, settings.ignores_config ? Result<Bindings>(Bindings()) : load_bindings());
  return Player(settings, make_output, std::move(bindings)).run();
}

}  // namespace

Result<PlayEnd> play_in_window(const cli::Settings& settings) {
  if (Result<void> played = play_on(make_window_output, settings); !played) {
    // If there is no display or no Vulkan device, the caller uses the terminal or a file instead. But it is
    // an error if --window is given, if --renderer gpu finds no GPU, or if the connection to the display was
    // lost.
    const bool needs_window =
        settings.place == cli::PlayPlace::Window || settings.renderer == cli::RendererChoice::Gpu;
    if (played.error().code != ErrorCode::NoDevice || needs_window || present::Window::is_lost()) {
      return std::move(played.error());
    }
    log::info("{}", full_text(played.error()));
    return PlayEnd::NoDisplay;
  }
  return PlayEnd::Finished;
}

Result<PlayEnd> play_in_terminal(const cli::Settings& settings) {
  TRY(play_on(make_terminal_output, terminal_settings(settings, present::expected_capabilities())));
  return PlayEnd::Finished;
}

cli::Settings terminal_settings(cli::Settings settings, const present::TerminalCapabilities& capabilities) {
  if (capabilities.colors == present::ColorDepth::None) {
    settings.color = cli::ColorChoice::Mono;
    settings.reverse = Reverse::Never;
  }
  const bool has_two_colors =
      settings.color != cli::ColorChoice::Mono && settings.color != cli::ColorChoice::Fg;
  // --mode ramp and edge are about characters and strokes.
  if (!settings.charset_chosen && settings.mode == Mode::Shape && has_two_colors &&
      capabilities.block_elements)
    settings.charset = "blocks";
  return settings;
}

}  // namespace glyphreel::player
