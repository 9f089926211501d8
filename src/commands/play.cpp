#include <cstdlib>

#include <unistd.h>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "player/play.h"
#include "player/playlist/playlist.h"
#include "player/recording/recording_name.h"
#include "commands/commands.h"

namespace glyphreel::commands {
namespace {

constexpr double UnattendedSeconds = 10;  // length of the recording if there is no window and no terminal

/// Records a short file instead of playing, and logs its name.
Result<int> record_instead(const cli::Settings& settings) {
  cli::Settings recording = settings;
  // Use the first usable input. Problems with the other inputs have been reported.
  const player::Playlist playlist(settings.inputs);
  if (playlist.current() == nullptr) return playlist.outcome().error();
  recording.inputs = {playlist.current()->url};
  recording.output = player::free_recording_name(settings.codec);
  if (!recording.length_seconds && !recording.end) recording.length_seconds = UnattendedSeconds;
  log::warn("There is no window and no terminal to play in; recording to {} instead.", recording.output);
  return run_record(recording);
}

}  // namespace

Result<int> run_play(const cli::Settings& settings) {
  cli::Settings playing = settings;
  if (playing.inputs.empty()) playing.inputs.emplace_back("demo:");
  auto end = player::PlayEnd::NoDisplay;
  if (playing.place != cli::PlayPlace::Terminal) {
    TRY_ASSIGN(end, player::play_in_window(playing));
  }
  if (end == player::PlayEnd::NoDisplay &&
      (playing.place == cli::PlayPlace::Terminal || isatty(STDOUT_FILENO) != 0)) {
    TRY_ASSIGN(end, player::play_in_terminal(playing));
  }
  if (end == player::PlayEnd::NoDisplay) return record_instead(playing);
  return interrupted() ? static_cast<int>(ErrorCode::Interrupted) : EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
