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
  cli::Settings playing = settings;
  if (present::expected_capabilities().colors == present::ColorDepth::None) {
    // The terminal shows no colors, so choose characters for one color.
    playing.color = cli::ColorChoice::Mono;
    playing.reverse = Reverse::Never;
  }
  TRY(play_on(make_terminal_output, playing));
  return PlayEnd::Finished;
}

}  // namespace glyphreel::player
